/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "spank/wrap.h"

#include "core/cleanup.h"
#include "core/handover.h"
#include "spank/barrier.h"
#include "spank/hccn_conf.h"
#include "spank/job.h"
#include "spank/options.h"
#include "spank/secret.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define LAUNCHER PKGLIBEXECDIR "/dist-train-launch"

#if HAVE_DECL_SPANK_PREPEND_TASK_ARGV

static int prepend(spank_t sp, struct err *err)
{
	const char *argv[] = {LAUNCHER, "--"};

	if (spank_prepend_task_argv(sp, 2, argv) != ESPANK_SUCCESS)
		return err_printf(err, "Slurm doesn't let the launcher start");
	return 0;
}

#else

/* Before Slurm 23.11 the vector can't grow: its first word is replaced, and
 * the launcher gets the original through the environment. */
static int prepend(spank_t sp, struct err *err)
{
	static char launcher[] = LAUNCHER;
	char **argv;

	if (job_argv(sp, &argv, err) < 0 ||
	    job_setenv(sp, HANDOVER_ARGV0, argv[0], err) < 0)
		return -1;
	argv[0] = launcher;
	return 0;
}

#endif

/* Open the step's secret while no container has been entered. Where that
 * fails the launcher gets the reason. In a heterogeneous step only one
 * component has it. */
static int hand_secret(spank_t sp, const struct job *job, const char *id,
		       struct err *err)
{
	cleanup_free char *credential = job_getenv(sp, HANDOVER_CREDENTIAL);
	struct err why;
	char text[16];
	int fd;

	if (!credential)
		return job_setenv(sp, HANDOVER_SECRET, NULL, err);
	fd = job->het ? err_printf(&why, "the step is heterogeneous")
		      : secret_open(credential, id, &why);
	snprintf(text, sizeof(text), "%d", fd);
	if (job_setenv(sp, HANDOVER_CREDENTIAL, NULL, err) < 0)
		return -1;
	return job_setenv(sp, HANDOVER_SECRET, fd < 0 ? why.text : text, err);
}

int wrap_task(spank_t sp, const struct adapter *adapter, const struct job *job,
	      struct err *err)
{
	cleanup_free char *container = job_getenv(sp, "SLURM_CONTAINER");
	char id[64];

	if (container)
		return err_printf(err, "the launcher can't be put into an OCI "
				       "container (srun --container); "
				       "procs=task does without it");
	if (access(LAUNCHER, X_OK) < 0)
		return err_printf(err,
				  "%s on node %s: %s; install "
				  "slurm-dist-train's helpers there",
				  LAUNCHER, job->node_name, strerror(errno));
	snprintf(id, sizeof(id), "%d:%lu.%lu", HANDOVER_VERSION, job->job_id,
		 job->step_id);
	if (job_setenv(sp, HANDOVER_ID, id, err) < 0 ||
	    job_setenv(sp, HANDOVER_REQUEST, options_text(), err) < 0 ||
	    job_setenv(sp, HANDOVER_CONFIG, adapter->config_text, err) < 0 ||
	    job_setenv(sp, HANDOVER_NODE, job->rank0_node, err) < 0 ||
	    job_setenv(sp, HANDOVER_ADDR, job->rank0_addr, err) < 0 ||
	    job_setenv(sp, HANDOVER_PROCS, job->procs, err) < 0 ||
	    job_setenv(sp, HANDOVER_NIC, job->nic, err) < 0 ||
	    job_setenv(sp, HANDOVER_OWN_ADDR, job->own_addr, err) < 0 ||
	    job_setenv(sp, HANDOVER_NIC_ADDR, job->nic_addr, err) < 0 ||
	    hand_secret(sp, job, id, err) < 0 ||
	    hccn_conf_hand_over(sp, adapter->hccn_conf, err) < 0 ||
	    barrier_hand_over(sp, adapter->barrier_fd, err) < 0)
		return -1;
	return prepend(sp, err);
}
