/* SPDX-License-Identifier: Apache-2.0 */
#include "spank/node/step_cleanup.h"

#include "core/facts/handover.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* descriptors that are closed one by one, before Linux 5.9 */
#define FILES_MAX 65536

void step_cleanup_prepare(spank_t sp, const struct adapter *adapter,
			  struct step_cleanup *ret)
{
	const char *dir = adapter->config.rundir;
	struct step_owner owner;

	ret->on = false;
	if (!adapter->resolved.folder || job_owner(sp, &owner) < 0 ||
	    !resolved_may_launch(&adapter->request, &adapter->resolved,
				 owner.ntasks))
		return;
	ret->nodeid = owner.nodeid;
	ret->uid = owner.uid;
	ret->gid = owner.gid;
	snprintf(ret->base, sizeof(ret->base), "%s",
		 dir ? dir : RUN_DIR_DEFAULT);
	snprintf(ret->prefix, sizeof(ret->prefix), RUN_DIR_PREFIX "%u.%u.",
		 owner.job_id, owner.step_id);
	ret->on = true;
}

static void remove_files(int base, const char *name)
{
	int fd = openat(base, name,
			O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	DIR *d = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *e;

	while (d && (e = readdir(d)))
		if (unlinkat(fd, e->d_name, 0) < 0 && errno == EISDIR &&
		    strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0)
			remove_files(fd, e->d_name);
	if (d)
		closedir(d);
	unlinkat(base, name, AT_REMOVEDIR);
}

/* Whether the folder belongs to another node's launcher, which may still run:
 * after the prefix its name is REQUEUE-nNODE-... */
static bool is_other_nodes(const struct step_cleanup *j, const char *rest)
{
	unsigned node;

	return sscanf(rest, "%*u-" RUN_DIR_NODE "%u-", &node) == 1 &&
	       strchr(rest, '-') != strrchr(rest, '-') && node != j->nodeid;
}

static void clean(const struct step_cleanup *j)
{
	size_t n = strlen(j->prefix);
	DIR *d = opendir(j->base);
	struct dirent *e;

	while (d && (e = readdir(d)))
		if (!strncmp(e->d_name, j->prefix, n) &&
		    !is_other_nodes(j, e->d_name + n))
			remove_files(dirfd(d), e->d_name);
}

/* Close slurmstepd's connections and files: a peer that waits until they are
 * closed must not wait for a slow file system. */
static void close_all(void)
{
#ifdef SYS_close_range
	if (syscall(SYS_close_range, 3U, ~0U, 0U) == 0)
		return;
#endif
	for (int fd = 3; fd < FILES_MAX; fd++)
		close(fd);
}

/* Fork. True in the new process, which runs as the user and which nobody waits
 * for. */
static bool in_users_process(const struct step_cleanup *j)
{
	if (!j->on || fork() != 0)
		return false;
	if (setgroups(0, NULL) < 0 || setgid(j->gid) < 0 || setuid(j->uid) < 0)
		_exit(1);
	close_all();
	return true;
}

void step_cleanup_task_ended(const struct step_cleanup *j, spank_t sp)
{
	pid_t pid;
	bool killed;

	/* Slurm makes each task a process group of its own */
	if (job_ended_task(sp, &pid, &killed) < 0 || !killed || pid <= 1 ||
	    !in_users_process(j))
		return;
	kill(-pid, SIGKILL);
	_exit(0);
}

void step_cleanup_run(const struct step_cleanup *j)
{
	if (!in_users_process(j))
		return;
	clean(j);
	_exit(0);
}
