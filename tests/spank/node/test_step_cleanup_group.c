/* SPDX-License-Identifier: Apache-2.0 */
/* What slurmstepd ends after a launcher that was killed. */
#include "spank/node/step_cleanup.h"

#include "spank/slurm/step_job.h"

#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#define ALICE 61001

static struct step_cleanup alices = {.on = true, .uid = ALICE, .gid = ALICE};
static pid_t ended;
static bool killed = true;

/* --- what stands in for Slurm -------------------------------------------- */

int job_owner(spank_t sp, struct step_owner *ret)
{
	(void)sp;
	(void)ret;
	return -1;
}

int job_ended_task(spank_t sp, pid_t *ret_pid, bool *ret_killed)
{
	(void)sp;
	*ret_pid = ended;
	*ret_killed = killed;
	return 0;
}

static void leave(int signal)
{
	_exit(signal);
}

/* on_term: what SIGTERM does to it */
static pid_t sleeper(pid_t group, void (*on_term)(int))
{
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (pid == 0) {
		signal(SIGTERM, on_term);
		if (setpgid(0, group) < 0 || setresuid(ALICE, ALICE, ALICE) < 0)
			abort();
		for (;;)
			pause();
	}
	while (getpgid(pid) != (group ? group : pid))
		sched_yield();
	return pid;
}

/* -1: of the process that the plugin has started */
static int end_of(pid_t pid)
{
	int status;

	assert_true(waitpid(pid, &status, 0) > 0);
	return WIFSIGNALED(status) ? WTERMSIG(status) : -WEXITSTATUS(status);
}

static void ends_group_of_killed_task(void **state)
{
	pid_t leader = sleeper(0, SIG_DFL);
	pid_t service = sleeper(leader, leave);
	pid_t stubborn = sleeper(leader, SIG_IGN);

	(void)state;
	kill(leader, SIGKILL);
	end_of(leader);
	ended = leader;
	step_cleanup_task_ended(&alices, NULL);
	assert_int_equal(end_of(service), -SIGTERM);
	assert_int_equal(end_of(stubborn), SIGKILL);
	end_of(-1);
}

/* The number may have gone to a new process of the user's. */
static void spares_new_process_with_that_number(void **state)
{
	pid_t pid = sleeper(0, SIG_DFL);

	(void)state;
	ended = pid;
	step_cleanup_task_ended(&alices, NULL);
	end_of(-1);
	kill(pid, SIGTERM);
	assert_int_equal(end_of(pid), SIGTERM);
}

/* A launcher that ends by itself leaves nothing to remove. */
static void nothing_to_remove(void **state)
{
	struct step_cleanup step = {.on = true,
				    .folder = true,
				    .uid = ALICE,
				    .gid = ALICE,
				    .nleft = 2};

	(void)state;
	killed = false;
	step_cleanup_task_ended(&step, NULL);
	step_cleanup_run(&step); /* of the other task */
	end_of(-1);
	step_cleanup_task_ended(&step, NULL);
	step_cleanup_run(&step);
	assert_int_equal(waitpid(-1, NULL, 0), -1);
	killed = true;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ends_group_of_killed_task),
		cmocka_unit_test(spares_new_process_with_that_number),
		cmocka_unit_test(nothing_to_remove),
	};

	if (geteuid() != 0) {
		print_message("skipped: needs root, to be another user\n");
		return 77;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
