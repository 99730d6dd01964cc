/* SPDX-License-Identifier: Apache-2.0 */
#include "spank/node/step_cleanup.h"

#include "core/facts/handover.h"
#include "sys/folder.h"
#include "sys/kept/marked_folder.h"
#include "sys/left_signals.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/fsuid.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

/* descriptors that are closed one by one, before Linux 5.9 */
#define FILES_MAX 65536
/* limits of the process that removes files */
#define FILES_MOST  (2 * FOLDER_DEPTH_MAX)
#define TIME_MOST_S 60
/* that it looks whether a folder is still in use */
#define TRIES	 10
#define PAUSE_US 500000
/* in which a killed launcher's services end what they have started */
#define END_TRIES    40
#define END_PAUSE_US 100000

void step_cleanup_prepare(spank_t sp, const struct adapter *adapter,
			  struct step_cleanup *ret)
{
	const char *dir = adapter->config.rundir;
	struct step_owner owner;

	ret->on = false;
	if (job_owner(sp, &owner) < 0 ||
	    (!job_hasenv(sp, HANDOVER_COMPONENTS) &&
	     !resolved_may_launch(&adapter->request, &adapter->resolved,
				  owner.ntasks)))
		return;
	ret->nrunning = ret->nleft = owner.ntasks;
	ret->uid = owner.uid;
	ret->gid = owner.gid;
	snprintf(ret->base, sizeof(ret->base), "%s",
		 dir ? dir : RUN_DIR_DEFAULT);
	snprintf(ret->prefix, sizeof(ret->prefix), RUN_DIR_PREFIX "%u.%u.",
		 owner.job_id, owner.step_id);
	ret->folder = adapter->resolved.folder;
	ret->on = true;
}

struct sweep {
	const struct step_cleanup *j;
	bool busy; /* one is in use */
};

static void remove_run_dir(void *arg, int base, const char *name)
{
	struct sweep *sweep = arg;
	const struct step_cleanup *j = sweep->j;
	size_t n = strlen(j->prefix);

	if (strncmp(name, j->prefix, n) == 0 &&
	    !marked_folder_remove(base, name, j->uid))
		sweep->busy = true;
}

/* Where others could rename the user's own folders, none is known to be a
 * launcher's. Of one that is in use the launcher's last child may be about to
 * end, or it is another node's. */
static void clean(const struct step_cleanup *j)
{
	cleanup_close int base =
		open(j->base, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct sweep sweep = {.j = j, .busy = true};

	if (base < 0 || !folder_is_safe(base, j->uid))
		return;
	for (int i = 0; i < TRIES && sweep.busy; i++) {
		if (i > 0)
			usleep(PAUSE_US);
		sweep.busy = false;
		folder_each(base, remove_run_dir, &sweep);
	}
}

/* Close slurmstepd's connections and files, its standard streams among them: a
 * peer that waits until they are closed must not wait for a slow file system.
 */
static void close_all(void)
{
#ifdef SYS_close_range
	if (syscall(SYS_close_range, 0U, ~0U, 0U) == 0)
		return;
#endif
	for (int fd = 0; fd < FILES_MAX; fd++)
		close(fd);
}

/* No core file, no more heap than slurmstepd had (folder.h needs none), few
 * descriptors, little time: the user decides what is in the folders. */
static int limit(void)
{
	const struct rlimit none = {0, 0}, files = {FILES_MOST, FILES_MOST};

	alarm(TIME_MOST_S);
	return setrlimit(RLIMIT_CORE, &none) == 0 &&
			       setrlimit(RLIMIT_DATA, &none) == 0 &&
			       setrlimit(RLIMIT_NOFILE, &files) == 0
		       ? 0
		       : -1;
}

static int use_files_as(uid_t uid)
{
	setfsuid(uid);
	return (uid_t)setfsuid((uid_t)-1) == uid ? 0 : -1;
}

/* Root's ids without these may do no more than the user does. */
static int drop_capabilities(void)
{
	struct __user_cap_header_struct self = {
		.version = _LINUX_CAPABILITY_VERSION_3,
	};
	const struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = {
		{0},
	};

	return (int)syscall(SYS_capset, &self, none);
}

/* Do as the user, who may not stop the process, nor end or trace it: its real
 * and saved user ids stay root's. For files the file system's ids are enough;
 * the effective one lets it signal. */
static int act_as_user(const struct step_cleanup *j, int (*become)(uid_t uid))
{
	if (setgroups(0, NULL) < 0 || setgid(j->gid) < 0 ||
	    become(j->uid) < 0 || drop_capabilities() < 0)
		return -1;
	/* what the kernel does by itself depends on fs.suid_dumpable */
	return prctl(PR_SET_DUMPABLE, 0);
}

/* Fork. True in the new process, which acts as the user and which nobody waits
 * for. It takes nothing from slurmstepd along. */
static bool in_own_process(const struct step_cleanup *j,
			   int (*become)(uid_t uid))
{
	if (!j->on || fork() != 0)
		return false;
	close_all();
	signals_forget();
	if (chdir("/") < 0 || limit() < 0 || act_as_user(j, become) < 0)
		_exit(1);
	return true;
}

/* The process itself is gone, and its number can be given to a new one only
 * when its group is empty. */
static bool is_new_process(pid_t pid)
{
	return kill(pid, 0) == 0 || errno != ESRCH;
}

/* A service that its launcher's death has told to end (PR_SET_PDEATHSIG) may
 * have started daemons in groups of their own, which nobody knows but it. */
static void end_group(pid_t pid)
{
	int signal = SIGTERM;

	for (int i = 0; i < END_TRIES; i++) {
		if (is_new_process(pid) || kill(-pid, signal) < 0)
			return;
		signal = 0;
		usleep(END_PAUSE_US);
	}
	if (!is_new_process(pid))
		kill(-pid, SIGKILL);
}

/* Slurm makes all tasks of a node one process group, that of the first one: as
 * long as another task runs, a signal to it would tell that one to end, too. */
static bool has_group_to_end(struct step_cleanup *j,
			     const struct ended_task *task)
{
	j->nrunning -= j->nrunning > 0;
	j->nleft -= !task->killed && j->nleft > 0;
	j->killed |= task->killed;
	if (task->localid == 0)
		j->group = task->pid;
	return !j->nrunning && j->killed && j->group > 1;
}

void step_cleanup_task_ended(struct step_cleanup *j, spank_t sp)
{
	struct ended_task task;

	if (job_ended_task(sp, &task) < 0 || !has_group_to_end(j, &task) ||
	    !in_own_process(j, seteuid))
		return;
	end_group(j->group);
	_exit(0);
}

void step_cleanup_run(const struct step_cleanup *j)
{
	if (!j->folder || !j->nleft || !in_own_process(j, use_files_as))
		return;
	clean(j);
	_exit(0);
}
