/* SPDX-License-Identifier: Apache-2.0 */
/* The process that reads profiles, where the folder never answers. */
#include "spank/node/node.h"

#include "spank/slurm/step_job.h"
#include "sys/profile_dir.h"
#include "tests/fixtures/unit.h"

#include <grp.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define ALICE 61001

/* What the reader has been seen as; shared with it. */
static struct {
	volatile pid_t pid, reading;
	uid_t real, effective;
	gid_t gid, group;
	int ngroups;
	volatile bool alone; /* its parent is to end before it looks */
} * seen;

/* --- what stands in for Slurm, and for the folder ------------------------ */

int job_owner(spank_t sp, struct step_owner *ret)
{
	(void)sp;
	*ret = (struct step_owner){.uid = ALICE, .gid = ALICE};
	seen->pid = getpid();
	if (seen->alone) {
		pid_t parent = getppid();

		kill(parent, SIGKILL);
		while (getppid() == parent)
			sched_yield();
	}
	return 0;
}

const char *job_getenv(void *sp, const char *name)
{
	(void)sp;
	(void)name;
	return NULL;
}

int job_setenv(spank_t sp, const char *name, const char *value, struct err *err)
{
	(void)sp;
	(void)name;
	(void)value;
	(void)err;
	return 0;
}

const char *job_handed(spank_t sp, const char *name)
{
	(void)sp;
	(void)name;
	return NULL;
}

int job_node_name(spank_t sp, char ret[HOSTLIST_NAME_MAX])
{
	(void)sp;
	(void)ret;
	return -1;
}

char *profile_dir_read(const char *dir, const char *names, struct err *err)
{
	(void)dir;
	(void)names;
	(void)err;
	getresuid(&seen->real, &seen->effective, &(uid_t){0});
	seen->gid = getegid();
	seen->ngroups = getgroups(1, &seen->group);
	seen->reading = getpid();
	for (;;)
		pause();
}

/* --- tests ---------------------------------------------------------------- */

/* A task that waits for the reader. */
static pid_t start_task(bool alone)
{
	static char profile[] = "x";
	const struct adapter adapter = {.config.profiles = profile};
	struct err err;
	pid_t pid;

	seen->pid = seen->reading = 0;
	seen->alone = alone;
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		task_profile_keep(NULL, &adapter, &err);
		_exit(0);
	}
	return pid;
}

/* The status of what has become a child of this process. */
static int end_of(pid_t pid)
{
	int status = 0;

	alarm(20);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	alarm(0);
	return status;
}

static void wait_for_reader(void)
{
	for (int i = 0; !seen->reading && i < 20000; i++)
		usleep(1000);
	assert_true(seen->reading);
}

static void ends_with_its_task(void **state)
{
	pid_t task = start_task(false);
	int status;

	(void)state;
	wait_for_reader();
	kill(task, SIGKILL);
	end_of(task);
	status = end_of(seen->reading);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
}

/* The signal at its parent's end would come too late. */
static void its_task_has_ended_before(void **state)
{
	pid_t task = start_task(true);
	int status;

	(void)state;
	end_of(task);
	status = end_of(seen->pid);
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 1);
	assert_int_equal(seen->reading, 0);
}

/* Of root's it has the real user id alone, so that the user can't stop it. */
static void is_the_users(void **state)
{
	pid_t task = start_task(false);

	(void)state;
	wait_for_reader();
	kill(task, SIGKILL);
	end_of(task);
	end_of(seen->reading);
	assert_int_equal(seen->real, 0);
	assert_int_equal(seen->effective, ALICE);
	assert_int_equal(seen->gid, ALICE);
	assert_int_equal(seen->ngroups, 1);
	assert_int_equal(seen->group, ALICE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ends_with_its_task),
		cmocka_unit_test(its_task_has_ended_before),
		cmocka_unit_test(is_the_users),
	};

	if (geteuid() != 0)
		return 77;
	seen = mmap(NULL, sizeof(*seen), PROT_READ | PROT_WRITE,
		    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (seen == MAP_FAILED || prctl(PR_SET_CHILD_SUBREAPER, 1) < 0)
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
