/* SPDX-License-Identifier: Apache-2.0 */
#include "spank/node/node.h"

#include "paths.h"
#include "spank/node/container.h"
#include "spank/slurm/secret.h"
#include "spank/slurm/step_job.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define LAUNCHER PKGLIBEXECDIR "/dist-train-launch"

/* What launchers ask by. In a container they can't find the socket, and may not
 * know their user's number. */
static void put_socket(spank_t sp, char word[AUTH_WORD_MAX])
{
	int fd = container_socket();
	size_t n = strlen(word);
	struct step_owner owner;

	if (fd >= 0 && job_owner(sp, &owner) == 0)
		snprintf(word + n, AUTH_WORD_MAX - n, " %d %u", fd,
			 (unsigned)owner.uid);
}

/* No srun has made a secret. */
static int hand_meeting(spank_t sp, const struct job *job, struct err *err)
{
	char word[AUTH_WORD_MAX], text[AUTH_WORD_MAX + sizeof(HANDOVER_MEET)];

	secret_by_meeting(word);
	if (job_setenv(sp, HANDOVER_CREDENTIAL, NULL, err) < 0)
		return -1;
	if (!*word)
		return job_setenv(sp, HANDOVER_SECRET,
				  job->ntasks > 1 ? HANDOVER_BY_MUNGE : NULL,
				  err);
	put_socket(sp, word);
	snprintf(text, sizeof(text), "%s%s", HANDOVER_MEET, word);
	return job_setenv(sp, HANDOVER_SECRET, text, err);
}

/* Pass the step's secret to the launcher as the number of a pipe, as what it is
 * to be asked for by, or as text why there is none. The credential of a
 * heterogeneous step isn't what shows the step's secret to others. */
static int hand_secret(spank_t sp, const struct job *job, const char *id,
		       struct err *err)
{
	const char *credential = job_getenv(sp, HANDOVER_CREDENTIAL);
	const char *het = job_getenv(sp, HANDOVER_HET);
	char text[AUTH_WORD_MAX] = "";
	struct err why;
	int fd = -1;

	if (job->unhooked)
		return hand_meeting(sp, job, err);
	if (!credential)
		return job_setenv(sp, HANDOVER_SECRET, NULL, err);
	if (!secret_is_asked_for(credential))
		fd = secret_into_pipe(het ? het : id, het ? "" : credential,
				      &why);
	else if (secret_by_asking(credential, text, &why) == 0)
		put_socket(sp, text);
	if (fd >= 0)
		snprintf(text, sizeof(text), "%d", fd);
	if (job_setenv(sp, HANDOVER_CREDENTIAL, NULL, err) < 0)
		return -1;
	return job_setenv(sp, HANDOVER_SECRET, *text ? text : why.text, err);
}

/* What the launcher can't read of Slurm's own variables. */
static int hand_component(spank_t sp, const struct job *job, struct err *err)
{
	char text[32];

	snprintf(text, sizeof(text), "%u %u", job->first, job->component_tasks);
	return job_setenv(sp, HANDOVER_FIRST, job->het ? text : NULL, err);
}

/* The launcher's path for this task, in or outside of a container. */
static int find_launcher(const char *node, const char **ret, struct err *err)
{
	static char inside[LAUNCHER_INSIDE_SIZE];

	if (container_entered()) {
		*ret = inside;
		return container_launcher(node, inside, err);
	}
	*ret = LAUNCHER;
	if (access(LAUNCHER, X_OK) == 0)
		return 0;
	return err_printf(err,
			  "%s on node %s: %s; install slurm-dist-train's "
			  "helpers there",
			  LAUNCHER, node, strerror(errno));
}

int prepend_launcher(spank_t sp, const struct adapter *adapter,
		     const struct task *task, const struct job *job,
		     bool for_node, const struct envset *set, struct err *err)
{
	const char *container = job_getenv(sp, "SLURM_CONTAINER");
	const char *launcher;
	char id[HANDOVER_ID_SIZE];

	if (container)
		return err_printf(err, "the launcher can't run in an OCI "
				       "container (srun --container); use "
				       "procs=task, and no key that needs it "
				       "(supervise, stage, restarts...)");
	if (find_launcher(job->node_name, &launcher, err) < 0)
		return -1;
	task_handover_id(job, id);
	if (task_hand_over(task, job, id, err) < 0 ||
	    hand_component(sp, job, err) < 0 ||
	    hand_secret(sp, job, id, err) < 0 ||
	    hccn_conf_hand_over(sp, adapter->hccn_conf, err) < 0 ||
	    node_memory_hand_over(sp, adapter->node_memory_fd, err) < 0 ||
	    keepers_socket_hand_over(sp, &adapter->keepers, for_node, err) < 0)
		return -1;
	if (adapter->later_plugin)
		return later_plugin_hand_over(sp, job, set, true, err);
	return prepend_program(sp, launcher, err);
}
