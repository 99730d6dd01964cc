/* SPDX-License-Identifier: Apache-2.0 */
#include "spank/node/node.h"

#include "core/option/profile.h"
#include "paths.h"
#include "spank/slurm/step_job.h"
#include "sys/epoch.h"
#include "sys/profile_dir.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* Until a folder counts as one that doesn't answer. Slurm itself doesn't end a
 * task that waits before its program starts: with proctrack/linuxproc SIGKILL
 * isn't sent to what is still called slurmstepd. */
#define WAIT_S 20

/* What the reader tells: the text, or an error. */
#define READ_OK	    'o'
#define READ_FAILED 'f'
#define ANSWER_SIZE (PROFILE_MAX + 2)

/* The default profiles of this node, by its partition and its features. */
static char *default_profiles(spank_t sp, const struct config *config)
{
	const char *partition = job_getenv(sp, "SLURM_JOB_PARTITION");
	char node[HOSTLIST_NAME_MAX];
	struct profile_place where = {
		.partition = partition,
		.features = job_handed(sp, HANDOVER_FEATURES),
		.node = job_node_name(sp, node) == 0 ? node : NULL,
	};

	return profile_defaults(config->profiles, &where);
}

/* The text of the profiles, "" when there is none; for the caller to free. */
static char *read_text(spank_t sp, const struct config *config,
		       const char *names, struct err *err)
{
	cleanup_free char *chosen = NULL;
	char *text = NULL;

	if (!names) {
		chosen = default_profiles(sp, config);
		names = chosen;
	}
	if (names && *names) {
		text = profile_dir_read(config->profiledir, names, err);
		return text ? profile_trim(text) : NULL;
	}
	text = names ? strdup("") : NULL;
	if (!text)
		err_memory(err);
	return text;
}

/* --- the reader: a process of its own, with the user's effective id --- */

static void tell(int fd, char how, const char *text)
{
	FILE *f = fdopen(fd, "w");

	if (f) {
		putc(how, f);
		fputs(text, f);
		fclose(f);
	}
}

/* The user's group alone is left of root's. Whoever has another effective id
 * than before isn't ended with its parent any more: that comes last. */
static int become_reader(const struct step_owner *owner)
{
	if (geteuid() == 0 &&
	    (setgroups(1, &owner->gid) < 0 || setegid(owner->gid) < 0))
		return -1;
	return seteuid(owner->uid) < 0 ? -1 : prctl(PR_SET_PDEATHSIG, SIGKILL);
}

static void run_reader(spank_t sp, const struct config *config,
		       const char *names, pid_t parent, int fd)
{
	cleanup_free char *text = NULL;
	struct step_owner owner;
	struct err err;

	if (job_owner(sp, &owner) < 0 || become_reader(&owner) < 0)
		err_printf(&err, "can't become the job's user: %s",
			   strerror(errno));
	else if (getppid() != parent)
		_exit(1);
	else
		text = read_text(sp, config, names, &err);
	tell(fd, text ? READ_OK : READ_FAILED, text ? text : err.text);
	_exit(0);
}

/* All that the reader tells, with a NUL. Returns 0, or -1 when it doesn't come
 * in time. */
static int hear(int fd, char *buf, size_t size)
{
	long left, end = (long)monotonic_ms() + WAIT_S * 1000;
	struct pollfd ready = {.fd = fd, .events = POLLIN};
	size_t used = 0;
	ssize_t n = 1;

	while (n > 0 && (left = end - (long)monotonic_ms()) > 0) {
		if (poll(&ready, 1, (int)left) <= 0)
			continue;
		n = read(fd, buf + used, size - 1 - used);
		used += n > 0 ? (size_t)n : 0;
	}
	buf[used] = '\0';
	return n > 0 ? -1 : 0;
}

/* --- the task's process --- */

/* Start the reader. Returns its pid, with the end of a pipe, or -1. */
static pid_t start_reader(spank_t sp, const struct config *config,
			  const char *names, int *ret_fd)
{
	pid_t parent = getpid(), pid;
	int ends[2];

	if (pipe2(ends, O_CLOEXEC) < 0)
		return -1;
	pid = fork();
	if (pid == 0)
		run_reader(sp, config, names, parent, ends[1]);
	close(ends[1]);
	if (pid < 0)
		close(ends[0]);
	else
		*ret_fd = ends[0];
	return pid;
}

static int use_answer(spank_t sp, const char *answer, struct err *err)
{
	const char *text = answer + 1;

	if (*answer == READ_FAILED)
		return err_printf(err, "%s", text);
	if (*answer != READ_OK)
		return err_printf(err, "profile: the process that reads it "
				       "has ended too early");
	return job_setenv(sp, HANDOVER_PROFILE, *text ? text : NULL, err);
}

int task_profile_keep(spank_t sp, const struct adapter *adapter,
		      struct err *err)
{
	const char *names = request_text(&adapter->request, KEY_PROFILE);
	const struct config *config = &adapter->config;
	cleanup_free char *answer = NULL;
	cleanup_close int fd = -1;
	pid_t pid;

	if (!names && !config->profiles)
		return job_setenv(sp, HANDOVER_PROFILE, NULL, err);
	answer = malloc(ANSWER_SIZE);
	if (!answer)
		return err_memory(err);
	pid = start_reader(sp, config, names, &fd);
	if (pid < 0)
		return err_printf(err, "profile: can't start a process: %s",
				  strerror(errno));
	if (hear(fd, answer, ANSWER_SIZE) == 0) {
		waitpid(pid, NULL, 0);
		return use_answer(sp, answer, err);
	}
	/* not waited for: the kernel may not be able to end it */
	kill(pid, SIGKILL);
	return err_printf(err,
			  "profiledir=%s: no answer within %d s; is it a "
			  "folder of this node?",
			  config->profiledir ? config->profiledir : PROFILES,
			  WAIT_S);
}
