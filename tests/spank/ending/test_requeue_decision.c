/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a job is requeued when its step has ended, and the line for that. */
#include "spank/ending/job_end.h"

#include "tests/fixtures/unit.h"

#include <string.h>

#define ALL                                                                    \
	(REQUEUE_TIME_LIMIT | REQUEUE_PREEMPTION | REQUEUE_NODE_LOSS |         \
	 REQUEUE_FAILURE)
#define NOW 1000000
#define FAR (NOW + 5000)

/* A life in which nothing has happened yet; the rest of a row is in addition.
 */
#define CASE                                                                   \
	.job = "7", .causes = ALL, .most = 100, .lead_s = 60, .now = NOW,      \
	.life = {.end = FAR, .batch = true, .may_requeue = true}
#define HEARD(bits) .heard = {.has_outcome = true, .outcome = (bits)}
#define TOLD(bits)                                                             \
	.heard = {.told = true, .has_outcome = true, .outcome = (bits)}

#pragma GCC diagnostic ignored "-Woverride-init"

struct row {
	const char *name;
	struct requeue_case c;
	bool requeues;
	const char *line;
};

static void is_as_said(const struct row *rows, size_t n)
{
	char line[1200];

	for (size_t i = 0; i < n; i++) {
		bool requeues = requeue_decide(&rows[i].c, line, sizeof(line));

		if (requeues != rows[i].requeues || strcmp(line, rows[i].line))
			fail_msg("%s: %d: %s", rows[i].name, requeues, line);
	}
}

static void time_limit(void **state)
{
	static const struct row rows[] = {
		{"ended well", {CASE, HEARD(0)}, false, ""},
		{"signalled",
		 {CASE, HEARD(OUTCOME_SIGNALLED)},
		 true,
		 "job 7 is requeued: its time limit (time-limit, 1 of at most "
		 "100)"},
		{"signalled, and it ended with a failure",
		 {CASE, HEARD(OUTCOME_SIGNALLED | OUTCOME_FAILED)},
		 true,
		 "job 7 is requeued: its time limit (time-limit, 1 of at most "
		 "100)"},
		{"Slurm's SIGTERM at the limit",
		 {CASE, TOLD(OUTCOME_SIGNALLED), .life.end = NOW + 1},
		 true,
		 "job 7 is requeued: its time limit (time-limit, 1 of at most "
		 "100)"},
		{"timed out, and nobody has told how the step ended",
		 {CASE, .life.fate = FATE_TIMEOUT, .life.end = NOW},
		 true,
		 "job 7 is requeued: its time limit (time-limit, 1 of at most "
		 "100)"},
		{"nobody has told, near the end",
		 {CASE, .life.end = NOW + 61},
		 true,
		 "job 7 is requeued: its time limit (time-limit, 1 of at most "
		 "100)"},
		{"nobody has told, far from it", {CASE}, false, ""},
	};

	(void)state;
	is_as_said(rows, COUNT(rows));
}

static void other_causes(void **state)
{
	static const struct row rows[] = {
		{"the step still runs",
		 {CASE, .still_runs = true, .life.end = NOW + 3},
		 true,
		 "job 7 is requeued: its time limit, and the step still runs "
		 "(time-limit, 1 of at most 100)"},
		{"preempted, with grace",
		 {CASE, TOLD(OUTCOME_SIGNALLED), .life.preempted = NOW - 5,
		  .life.end = NOW + 5},
		 true,
		 "job 7 is requeued: it is preempted (preemption, 1 of at most "
		 "100)"},
		{"preempted and killed",
		 {CASE, .life.fate = FATE_PREEMPTED},
		 true,
		 "job 7 is requeued: it is preempted (preemption, 1 of at most "
		 "100)"},
		{"a lost node",
		 {CASE, HEARD(0), .node_lost = true, .life.restarts = 4},
		 true,
		 "job 7 is requeued: a node is lost (node-loss, 5 of at most "
		 "100)"},
		{"a lost node, with --requeue=expedite",
		 {CASE, HEARD(0), .node_lost = true, .life.expedite = true},
		 true,
		 "job 7 is requeued: a node is lost (node-loss, 1 of at most "
		 "100); Slurm starts it when that node answers or is given up "
		 "(SlurmdTimeout)"},
		{"failed",
		 {CASE, HEARD(OUTCOME_FAILED), .life.expedite = true},
		 true,
		 "job 7 is requeued: the step has failed (failure, 1 of at "
		 "most "
		 "100)"},
	};

	(void)state;
	is_as_said(rows, COUNT(rows));
}

static void not_requeued(void **state)
{
	static const struct row rows[] = {
		{"Slurm has done it",
		 {CASE, TOLD(OUTCOME_SIGNALLED), .life.fate = FATE_REQUEUED},
		 false,
		 "job 7 has been requeued already"},
		{"it was preempted by that",
		 {CASE, TOLD(0), .life.fate = FATE_REQUEUED,
		  .life.preempted = NOW},
		 false,
		 "job 7 has been requeued already"},
		{"scancel",
		 {CASE, TOLD(OUTCOME_FAILED), .life.fate = FATE_CANCELLED},
		 false,
		 "job 7 isn't requeued: it was cancelled"},
		{"scancel near the end",
		 {CASE, TOLD(OUTCOME_SIGNALLED), .life.fate = FATE_CANCELLED,
		  .life.end = NOW + 5},
		 false,
		 "job 7 isn't requeued: it was cancelled"},
		{"scancel of the step",
		 {CASE, TOLD(OUTCOME_SIGNALLED | OUTCOME_FAILED)},
		 false,
		 "job 7 isn't requeued: it was cancelled"},
		{"93",
		 {CASE, HEARD(OUTCOME_FAILED | OUTCOME_NEVER)},
		 false,
		 "job 7 isn't requeued: a process has ended with exit code 93, "
		 "which asks for that"},
		{"93 after the signal",
		 {CASE, HEARD(OUTCOME_SIGNALLED | OUTCOME_NEVER)},
		 false,
		 "job 7 isn't requeued: a process has ended with exit code 93, "
		 "which asks for that"},
		{"not asked for",
		 {CASE, HEARD(OUTCOME_FAILED), .causes = REQUEUE_TIME_LIMIT},
		 false,
		 "job 7 isn't requeued: the step has failed, and requeue= "
		 "doesn't have failure"},
		{"often enough",
		 {CASE, HEARD(OUTCOME_SIGNALLED), .most = 3,
		  .life.restarts = 3},
		 false,
		 "job 7 isn't requeued: it has been as often as requeues=3 "
		 "allows"},
		{"no progress",
		 {CASE, HEARD(OUTCOME_SIGNALLED), .progress_file = "done",
		  .idle_lives = 3, .progress = "it is 10"},
		 false,
		 "job 7 isn't requeued: 3 runs have ended without progress "
		 "(progress-file=done: it is 10)"},
	};

	(void)state;
	is_as_said(rows, COUNT(rows));
}

static void two_idle_lives(void **state)
{
	const struct row rows[] = {
		{"two",
		 {CASE, HEARD(OUTCOME_SIGNALLED), .progress_file = "done",
		  .idle_lives = 2, .progress = "it is 10"},
		 true,
		 "job 7 is requeued: its time limit; no progress (it is 10) "
		 "(time-limit, 1 of at most 100)"},
	};

	(void)state;
	is_as_said(rows, COUNT(rows));
}

/* Then slurmctld isn't even asked. */
static void needless(void **state)
{
	struct srun_heard well = {.has_outcome = true}, told = well,
			  failed = well;

	(void)state;
	told.told = true;
	failed.outcome = OUTCOME_FAILED;
	assert_true(requeue_is_needless(&well, false));
	assert_false(requeue_is_needless(&well, true));
	assert_false(requeue_is_needless(&told, false));
	assert_false(requeue_is_needless(&failed, false));
	assert_false(requeue_is_needless(&(struct srun_heard){0}, false));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(time_limit),
		cmocka_unit_test(other_causes),
		cmocka_unit_test(not_requeued),
		cmocka_unit_test(two_idle_lives),
		cmocka_unit_test(needless),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
