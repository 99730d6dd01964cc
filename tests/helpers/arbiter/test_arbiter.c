/* SPDX-License-Identifier: Apache-2.0 */
/* Failures, losses and nonsense. */
#include "helpers/arbiter/arbiter_state.h"

#include "tests/fixtures/arbiter_fixture.h"

static void all_well(void **state)
{
	struct arbiter_fixture g;

	(void)state;
	begin(&g, 3, 0);
	ends(&g, 0, 1, "0 0");
	virtual_pass(&g.loop, 3600000);
	hear(&g, 1, MSG_ENDED, "0 0"); /* again */
	is(&g, "");
	hear(&g, 2, MSG_ENDED, "0 0");
	is(&g, "*L0");
	assert_int_equal(arbiter_loss(g.arbiter), LOSS_NONE);
	hear(&g, 2, MSG_FAILED, "0 3 0 0");
	arbiter_lost(g.arbiter, 1, "node1", 0, 15);
	arbiter_stop(g.arbiter, "late\n", 1, 0);
	is(&g, "");
	done(&g);
}

/* With one member nobody else can have been first. */
static void alone(void **state)
{
	struct arbiter_fixture g;

	(void)state;
	begin(&g, 1, 0);
	hear(&g, 0, MSG_FAILED, "0 3 0 0");
	is(&g, "*E30 0R");
	hear(&g, 0, MSG_ENDED, "0 7");
	is(&g, "! dist-train: 7 other processes were ended *L3");
	done(&g);
}

/* What arrives in the window competes by arrival less age. */
static void first_by_age(void **state)
{
	struct arbiter_fixture g;

	(void)state;
	begin(&g, 4, 0);
	hear(&g, 3, MSG_FAILED, "0 3 10 0");
	virtual_pass(&g.loop, 50);
	hear(&g, 1, MSG_FAILED, "0 139 61 0");
	virtual_pass(&g.loop, 20);
	hear(&g, 2, MSG_FAILED, "0 7 0 0");
	is(&g, "");
	virtual_pass(&g.loop, 29);
	is(&g, "");
	virtual_pass(&g.loop, 1);
	is(&g, "*E30 1R");
	ends(&g, 0, 3, "0 1");
	is(&g, "! dist-train: 4 other processes were ended *L139");
	done(&g);
}

/* As old by this node's clock: who came first stays first. */
static void ties(void **state)
{
	struct arbiter_fixture g;

	(void)state;
	begin(&g, 3, 0);
	hear(&g, 2, MSG_FAILED, "0 2 40 0");
	virtual_pass(&g.loop, 10);
	hear(&g, 1, MSG_FAILED, "0 1 50 0");
	virtual_pass(&g.loop, 90);
	is(&g, "*E30 2R");
	abandon(&g);
}

/* Behind the window it is too late, however old it claims to be. */
static void too_late(void **state)
{
	struct arbiter_fixture g;

	(void)state;
	begin(&g, 3, 0);
	hear(&g, 2, MSG_FAILED, "0 2 0 0");
	virtual_pass(&g.loop, 100);
	is(&g, "*E30 2R");
	hear(&g, 1, MSG_FAILED, "0 1 5000 0");
	virtual_pass(&g.loop, 200);
	is(&g, "");
	abandon(&g);
}

/* All have ended, but the window is still open: it is decided first. */
static void all_end_in_the_window(void **state)
{
	struct arbiter_fixture g;

	(void)state;
	begin(&g, 2, 0);
	hear(&g, 1, MSG_FAILED, "0 3 0 0");
	ends(&g, 0, 1, "0 0");
	is(&g, "");
	virtual_pass(&g.loop, 100);
	is(&g, "*E30 1R *L3");
	done(&g);
}

/* By a signal to the whole step: nobody is blamed, the code stays. Who loses
 * those that it has ended may be the first to fail, by its launcher's clock. */
static void quiet(void **state)
{
	struct arbiter_fixture g;

	(void)state;
	begin(&g, 3, 5);
	hear(&g, 2, MSG_FAILED, "0 1 20 0");
	hear(&g, 1, MSG_FAILED, "0 143 0 1");
	hear(&g, 0, MSG_FAILED, "0 143 0 1");
	virtual_pass(&g.loop, 100);
	is(&g, "*E30");
	ends(&g, 0, 2, "0 0");
	is(&g, "*L143");
	done(&g);
}

static bool is_unsure(const void *arg)
{
	(void)arg;
	return true;
}

/* Slurm has ended a part of the step: the others end at once. Not where a
 * process has failed by itself. */
static void a_part_is_cancelled(void **state)
{
	struct arbiter_fixture g;

	(void)state;
	begin(&g, 3, 5);
	g.arbiter->o.unsure = is_unsure;
	hear(&g, 2, MSG_FAILED, "0 143 0 1");
	hear(&g, 1, MSG_FAILED, "0 1 0 0"); /* has lost its peer */
	virtual_pass(&g.loop, 1000);
	is(&g, "");
	arbiter_cancelled(g.arbiter, "cancelled\n");
	is(&g, "*E0 ! cancelled");
	ends(&g, 0, 2, "0 0");
	is(&g, "*L143");
	done(&g);
	begin(&g, 3, 5);
	arbiter_cancelled(g.arbiter, "cancelled\n");
	is(&g, "*E0 ! cancelled");
	ends(&g, 0, 2, "0 0");
	is(&g, "*L143");
	done(&g);
	begin(&g, 3, 0);
	hear(&g, 2, MSG_FAILED, "0 3 0 0");
	virtual_pass(&g.loop, 100);
	is(&g, "*E30 2R");
	arbiter_cancelled(g.arbiter, "cancelled\n");
	is(&g, "");
	ends(&g, 0, 2, "0 0");
	is(&g, "*L3");
	done(&g);
}

/* Who doesn't answer is waited for until the last SIGKILL, and a little. */
static void silent_member(void **state)
{
	struct arbiter_fixture g;

	(void)state;
	begin(&g, 3, 0);
	hear(&g, 1, MSG_FAILED, "0 3 0 0");
	virtual_pass(&g.loop, 100);
	is(&g, "*E30 1R");
	ends(&g, 0, 1, "0 0");
	virtual_pass(&g.loop, LATEST_MS - 1);
	is(&g, "");
	virtual_pass(&g.loop, 1);
	is(&g, "*L3");
	done(&g);
}

static void lost_node(void **state)
{
	struct arbiter_fixture g;

	(void)state;
	begin(&g, 3, 4);
	arbiter_lost(g.arbiter, 2, "node9", ETIMEDOUT, 15);
	assert_int_equal(arbiter_loss(g.arbiter), LOSS_NODE);
	virtual_pass(&g.loop, 100);
	is(&g, "*E30 ! dist-train: no sign of life from node9 "
	       "for 15 s: node or network lost (first failure) "
	       "! dist-train: restarts=4 not used: one of its launchers is "
	       "gone");
	hear(&g, 2, MSG_FAILED, "0 1 9999 0"); /* from the grave */
	arbiter_lost(g.arbiter, 2, "node9", ETIMEDOUT, 15);
	ends(&g, 0, 1, "0 1");
	is(&g, "! dist-train: 2 other processes were ended *L137");
	done(&g);
}

static void lost_launcher(void **state)
{
	struct arbiter_fixture g;

	(void)state;
	begin(&g, 3, 0);
	arbiter_lost(g.arbiter, 1, "node1", ECONNRESET, 15);
	assert_int_equal(arbiter_loss(g.arbiter), LOSS_LAUNCHER);
	virtual_pass(&g.loop, 1500);
	is(&g, "*E30 ! dist-train: the launcher of task 1 on "
	       "node1 has ended or lost its connection (first "
	       "failure)");
	ends(&g, 0, 2, "0 0");
	is(&g, "*L137");
	done(&g);
}

/* Ctrl-C: Slurm's SIGKILL comes to one node after the other. It is none of that
 * half a minute later. */
static void lost_after_ctrl_c(void **state)
{
	struct arbiter_fixture g;

	(void)state;
	for (int i = 0; i < 2; i++) {
		begin(&g, 3, 0);
		if (i)
			arbiter_interrupted(g.arbiter);
		arbiter_lost(g.arbiter, 1, "node1", ECONNRESET, 15);
		if (!i)
			arbiter_interrupted(g.arbiter);
		virtual_pass(&g.loop, 1500);
		is(&g, "*E30");
		ends(&g, 0, 2, "0 0");
		is(&g, "*L137");
		done(&g);
	}
	begin(&g, 3, 0);
	arbiter_interrupted(g.arbiter);
	virtual_pass(&g.loop, 30000);
	arbiter_lost(g.arbiter, 1, "node1", ECONNRESET, 15);
	virtual_pass(&g.loop, 1500);
	has(&g, "*E30 ! dist-train: the launcher of task 1 on node1 ");
	abandon(&g);
}

/* A process of another node fails because a launcher is gone, and may have been
 * told of sooner; one of the same node has failed before. */
static void loss_before_failure(void **state)
{
	struct arbiter_fixture g;

	(void)state;
	for (int i = 0; i < 2; i++) {
		begin(&g, 3, 0);
		if (i)
			arbiter_lost(g.arbiter, 2, "node2", 0, 15);
		hear(&g, 1, MSG_FAILED, "0 3 10 0");
		if (!i)
			arbiter_lost(g.arbiter, 2, "node2", 0, 15);
		virtual_pass(&g.loop, i ? 1500 : 100);
		has(&g, "*E30 ! dist-train: the launcher of task 2 on node2 ");
		abandon(&g);
	}
	begin(&g, 3, 0);
	hear(&g, 2, MSG_FAILED, "0 3 10 0");
	arbiter_lost(g.arbiter, 2, "node2", 0, 15);
	virtual_pass(&g.loop, 100);
	is(&g, "*E30 2R");
	abandon(&g);
}

/* When Slurm kills the whole step, it is our turn, too, before we speak. */
static void loss_is_told_late(void **state)
{
	struct arbiter_fixture g;

	(void)state;
	begin(&g, 3, 0);
	arbiter_lost(g.arbiter, 2, "node2", 0, 0);
	virtual_pass(&g.loop, 1400);
	is(&g, "");
	virtual_pass(&g.loop, 100);
	has(&g, "*E30 ! dist-train: the launcher of task 2 on node2 ");
	abandon(&g);
}

static void orphan(void **state)
{
	struct arbiter_fixture g;

	(void)state;
	begin(&g, 2, 3);
	hear(&g, 1, MSG_ORPHAN, "");
	assert_int_equal(arbiter_loss(g.arbiter), LOSS_TASK);
	hear(&g, 1, MSG_STOP, "137 0 slurmstepd on node2 was killed");
	is(&g, "*E0 ! dist-train: slurmstepd on node2 was killed");
	ends(&g, 0, 1, "0 2");
	is(&g, "! dist-train: 4 other processes were ended *L137");
	done(&g);
}

static void nonsense(void **state)
{
	static const struct {
		char type;
		const char *data;
	} cases[] = {
		{MSG_FAILED, ""},
		{MSG_FAILED, "0"},
		{MSG_FAILED, "0 0 0 0"},
		{MSG_FAILED, "0 256 0 0"},
		{MSG_FAILED, "0 -1 0 0"},
		{MSG_FAILED, "0 3 0"},
		{MSG_FAILED, "9 3 0 0"},
		{MSG_FAILED, "x 3 0 0"},
		{MSG_STOP, ""},
		{MSG_STOP, "0 0 zero"},
		{MSG_STOP, "3 -1 before"},
		{MSG_STOP, "300 0 much"},
		{MSG_STOP, "three 0 word"},
		{MSG_EARLY, ""},
		{MSG_EARLY, "1 rank"},
		{MSG_ENDED, ""},
		{MSG_ENDED, "0"},
		{MSG_ENDED, "7 1"},
		{MSG_HELLO, "1 1 node2"},
		{MSG_UP, "3"},
		{'\0', ""},
		{'?', "what"},
		{MSG_LEAVE, "0"},
		{MSG_END, "0"},
	};
	struct arbiter_fixture g;

	(void)state;
	begin(&g, 2, 0);
	for (size_t i = 0; i < COUNT(cases); i++)
		hear(&g, 1, cases[i].type, cases[i].data);
	virtual_pass(&g.loop, 100000);
	is(&g, "");
	done(&g);
}

/* A line as long as a message may be; a reason that isn't there; an age from
 * before this node's start. */
static void extremes(void **state)
{
	char *line = repeated('x', 100000);
	struct arbiter_fixture g;

	(void)state;
	begin(&g, 2, 0);
	memcpy(line, "3 0 ", 4);
	hear(&g, 1, MSG_STOP, line);
	has(&g, "! dist-train: xxx");
	abandon(&g);
	begin(&g, 2, 0);
	hear(&g, 1, MSG_STOP, "3 5");
	is(&g, "*E5");
	abandon(&g);
	begin(&g, 2, 0);
	memcpy(line, "0 ", 2);
	hear(&g, 1, MSG_EARLY, line);
	virtual_pass(&g.loop, 30000);
	has(&g, "xxx ended with exit code 0, and");
	abandon(&g);
	begin(&g, 2, 0);
	hear(&g, 1, MSG_FAILED, "0 3 18446744073709551615 0");
	virtual_pass(&g.loop, 100);
	is(&g, ""); /* no number of ours */
	hear(&g, 1, MSG_FAILED, "0 3 9223372036854775807 0");
	virtual_pass(&g.loop, 100);
	is(&g, "*E30 1R");
	abandon(&g);
	free(line);
}

/* Member 0's script: it hears that all others have ended, takes its time, and
 * how it ends counts. */
static void patience(void **state)
{
	struct arbiter_fixture g;

	(void)state;
	begin_patient(&g, 2);
	hear(&g, 1, MSG_EXEC, "not from him");
	is(&g, "");
	hear(&g, 0, MSG_EXEC, "run this");
	is(&g, "*Prun this");
	hear(&g, 1, MSG_ENDED, "0 0");
	hear(&g, 0, MSG_IDLE, "0");
	is(&g, "*D");
	virtual_pass(&g.loop, 3600000);
	is(&g, "");
	hear(&g, 0, MSG_FAILED, "0 9 0 0");
	virtual_pass(&g.loop, 100);
	hear(&g, 0, MSG_ENDED, "0 0");
	is(&g, "*E30 0R *D *L9");
	done(&g);
	begin_patient(&g, 2);
	hear(&g, 1, MSG_FAILED, "0 3 0 0");
	virtual_pass(&g.loop, 100);
	is(&g, "*E30 1R");
	hear(&g, 0, MSG_EXEC, "too late");
	is(&g, "");
	abandon(&g);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_well),
		cmocka_unit_test(alone),
		cmocka_unit_test(first_by_age),
		cmocka_unit_test(ties),
		cmocka_unit_test(too_late),
		cmocka_unit_test(all_end_in_the_window),
		cmocka_unit_test(quiet),
		cmocka_unit_test(a_part_is_cancelled),
		cmocka_unit_test(silent_member),
		cmocka_unit_test(lost_node),
		cmocka_unit_test(lost_launcher),
		cmocka_unit_test(lost_after_ctrl_c),
		cmocka_unit_test(loss_before_failure),
		cmocka_unit_test(loss_is_told_late),
		cmocka_unit_test(orphan),
		cmocka_unit_test(nonsense),
		cmocka_unit_test(extremes),
		cmocka_unit_test(patience),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
