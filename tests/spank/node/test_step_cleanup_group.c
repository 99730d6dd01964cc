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

static struct ended_task ended;

/* --- what stands in for Slurm -------------------------------------------- */

bool job_hasenv(spank_t sp, const char *name)
{
	(void)sp;
	(void)name;
	return false;
}

int job_owner(spank_t sp, struct step_owner *ret)
{
	(void)sp;
	(void)ret;
	return -1;
}

int job_ended_task(spank_t sp, struct ended_task *ret)
{
	(void)sp;
	*ret = ended;
	return 0;
}

/* --- helpers --- */

static struct step_cleanup alices(unsigned ntasks)
{
	return (struct step_cleanup){.on = true,
				     .uid = ALICE,
				     .gid = ALICE,
				     .nrunning = ntasks,
				     .nleft = ntasks};
}

static void end(struct step_cleanup *step, int localid, pid_t pid, bool killed)
{
	ended = (struct ended_task){
		.pid = pid, .localid = localid, .killed = killed};
	step_cleanup_task_ended(step, NULL);
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
	struct step_cleanup step = alices(1);
	pid_t leader = sleeper(0, SIG_DFL);
	pid_t service = sleeper(leader, leave);
	pid_t stubborn = sleeper(leader, SIG_IGN);

	(void)state;
	kill(leader, SIGKILL);
	end_of(leader);
	end(&step, 0, leader, true);
	assert_int_equal(end_of(service), -SIGTERM);
	assert_int_equal(end_of(stubborn), SIGKILL);
	end_of(-1);
}

/* The group is that of all tasks of the node, whose first one gives it its
 * number. `first`: it is the first one that is killed. */
static void ends_none_while_others_run(bool first)
{
	struct step_cleanup step = alices(2);
	pid_t leader = sleeper(0, leave);
	pid_t other = sleeper(leader, leave);
	pid_t service = sleeper(leader, leave);
	pid_t lost = first ? leader : other, lives = first ? other : leader;

	kill(lost, SIGKILL);
	end_of(lost);
	end(&step, !first, lost, true);
	assert_int_equal(waitpid(-1, NULL, WNOHANG), 0); /* no process of its */
	kill(lives, SIGTERM);
	end_of(lives);
	end(&step, first, lives, false);
	assert_int_equal(end_of(service), -SIGTERM);
	end_of(-1);
}

static void another_task_runs(void **state)
{
	(void)state;
	ends_none_while_others_run(true);
	ends_none_while_others_run(false);
}

/* The number may have gone to a new process of the user's. */
static void spares_new_process_with_that_number(void **state)
{
	struct step_cleanup step = alices(1);
	pid_t pid = sleeper(0, SIG_DFL);

	(void)state;
	end(&step, 0, pid, true);
	end_of(-1);
	kill(pid, SIGTERM);
	assert_int_equal(end_of(pid), SIGTERM);
}

/* A launcher that ends by itself leaves nothing to remove. */
static void nothing_to_remove(void **state)
{
	struct step_cleanup step = alices(2);

	(void)state;
	step.folder = true;
	end(&step, 0, 2, false);
	step_cleanup_run(&step); /* of the other task */
	end_of(-1);
	end(&step, 1, 3, false);
	step_cleanup_run(&step);
	assert_int_equal(waitpid(-1, NULL, 0), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ends_group_of_killed_task),
		cmocka_unit_test(another_task_runs),
		cmocka_unit_test(spares_new_process_with_that_number),
		cmocka_unit_test(nothing_to_remove),
	};

	if (geteuid() != 0) {
		print_message("skipped: needs root, to be another user\n");
		return 77;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
