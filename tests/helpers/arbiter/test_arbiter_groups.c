/* SPDX-License-Identifier: Apache-2.0 */
/* Members in groups: each fails and starts again alone. */
#include "core/base/restart_pause.h"
#include "tests/fixtures/arbiter_fixture.h"

static const unsigned in_turn[] = {0, 1, 2, 0, 1, 2};

/* Only the group that has failed hears of it. Services that were added run on,
 * so that its members are at rest when they are idle. */
static void restarts_alone(void **state)
{
	struct arbiter_fixture g;

	(void)state;
	begin_groups(&g, in_pairs, 2, 1);
	hear(&g, 3, MSG_FAILED, "0 137 0 0");
	virtual_pass(&g.loop, 100);
	is(&g, "3E0 1 2E0 1 3R ! dist-train: restart 1 of 2 of replica group "
	       "1's processes");
	hear(&g, 3, MSG_ENDED, "0 0");
	is(&g, "");
	hear(&g, 2, MSG_IDLE, "0");
	virtual_pass(&g.loop, PAUSE_FIRST_MS);
	is(&g, "3N1 2N1");
	virtual_pass(&g.loop, 3600000);
	is(&g, "");
	abandon(&g);
}

/* Each group has rounds of its own: an echo of an older one doesn't count, and
 * what is old in one group is news in another. */
static void rounds_of_their_own(void **state)
{
	struct arbiter_fixture g;

	(void)state;
	begin_groups(&g, in_turn, 1, 1);
	hear(&g, 4, MSG_FAILED, "0 137 0 0");
	virtual_pass(&g.loop, 100);
	has(&g, "4E0 1 1E0 1 4R ");
	ends(&g, 1, 1, "0 0");
	ends(&g, 4, 4, "0 0");
	virtual_pass(&g.loop, PAUSE_FIRST_MS);
	is(&g, "4N1 1N1");
	hear(&g, 4, MSG_FAILED, "0 137 0 0");
	hear(&g, 1, MSG_IDLE, "0");
	virtual_pass(&g.loop, 3600000);
	is(&g, "");
	hear(&g, 0, MSG_FAILED, "0 139 0 0");
	virtual_pass(&g.loop, 100);
	is(&g, "3E0 1 0E0 1 0R ! dist-train: restart 1 of 1 of replica group "
	       "0's processes");
	abandon(&g);
}

/* Two groups fail in one moment: neither is the other's first failure. */
static void two_at_once(void **state)
{
	struct arbiter_fixture g;

	(void)state;
	begin_groups(&g, in_pairs, 5, 1);
	hear(&g, 5, MSG_FAILED, "0 137 0 0");
	virtual_pass(&g.loop, 10);
	hear(&g, 0, MSG_FAILED, "0 134 50 0");
	virtual_pass(&g.loop, 100);
	has(&g, "5R ! dist-train: restart 1 of 5 of replica group 2's "
		"processes 1E0 1 0E0 1 0R ! dist-train: restart 1 of 5 of "
		"replica group 0's");
	ends(&g, 4, 5, "0 0");
	virtual_pass(&g.loop, 10);
	ends(&g, 0, 1, "0 0");
	virtual_pass(&g.loop, PAUSE_FIRST_MS);
	is(&g, "5N1 4N1 1N1 0N1");
	abandon(&g);
}

/* A group that fails at once again and again doesn't spin; the pauses are its
 * own. */
static void pauses(void **state)
{
	struct arbiter_fixture g;
	char ended[16], failed[32];

	(void)state;
	begin_groups(&g, in_pairs, 100, 1);
	for (unsigned i = 0, pause = PAUSE_FIRST_MS; i < 4; i++, pause *= 2) {
		snprintf(failed, sizeof(failed), "%u 1 0 0", i);
		snprintf(ended, sizeof(ended), "%u 0", i);
		hear(&g, 2, MSG_FAILED, failed);
		virtual_pass(&g.loop, 100);
		ends(&g, 2, 3, ended);
		g.log[0] = '\0';
		virtual_pass(&g.loop, pause - 1);
		is(&g, "");
		virtual_pass(&g.loop, 1);
		has(&g, "3N");
	}
	hear(&g, 5, MSG_FAILED, "0 1 0 0");
	virtual_pass(&g.loop, 100);
	ends(&g, 4, 5, "0 0");
	g.log[0] = '\0';
	virtual_pass(&g.loop, PAUSE_FIRST_MS);
	is(&g, "5N1 4N1");
	abandon(&g);
}

/* Used up: it stays down, the others go on, and their end is the step's. */
static void stays_down(void **state)
{
	struct arbiter_fixture g;

	(void)state;
	begin_groups(&g, in_pairs, 0, 1);
	hear(&g, 4, MSG_FAILED, "0 3 0 0");
	virtual_pass(&g.loop, 100);
	is(&g, "5E30 1 4E30 1 4R ! dist-train: replica group 2 stays down: its "
	       "restarts are used up; 2 of 3 groups go on");
	ends(&g, 4, 5, "0 1");
	virtual_pass(&g.loop, 3600000);
	is(&g, "");
	ends(&g, 1, 3, "0 0");
	is(&g, "");
	hear(&g, 0, MSG_IDLE, "0");
	is(&g, "*D");
	hear(&g, 0, MSG_ENDED, "0 0");
	is(&g, "*L0");
	done(&g);
}

/* A group that has ended well doesn't end the others, and can't fail. */
static void ends_before_others(void **state)
{
	struct arbiter_fixture g;

	(void)state;
	begin_groups(&g, in_pairs, 3, 1);
	ends(&g, 4, 5, "0 0");
	arbiter_lost(g.arbiter, 5, "node6", ETIMEDOUT, 15);
	virtual_pass(&g.loop, 3600000);
	is(&g, "");
	ends(&g, 0, 3, "0 0");
	is(&g, "*D *L0");
	done(&g);
}

/* Fewer than the step needs: it fails, and everything ends. */
static void too_few(void **state)
{
	struct arbiter_fixture g;

	(void)state;
	begin_groups(&g, in_pairs, 0, 2);
	hear(&g, 4, MSG_FAILED, "0 3 0 0");
	virtual_pass(&g.loop, 100);
	has(&g, "2 of 3 groups go on");
	ends(&g, 4, 5, "0 0");
	hear(&g, 0, MSG_FAILED, "0 139 0 0");
	virtual_pass(&g.loop, 100);
	is(&g, "*E30 0R ! dist-train: replica group 0 stays down: its restarts "
	       "are used up; the step ends, because 1 of 3 groups are fewer "
	       "than min-replicas=2");
	ends(&g, 0, 3, "0 1");
	is(&g, "! dist-train: 4 other processes were ended *L139");
	done(&g);
}

static void last_one(void **state)
{
	struct arbiter_fixture g;

	(void)state;
	begin_groups(&g, in_pairs, 0, 1);
	for (unsigned i = 0; i < 6; i += 2) {
		hear(&g, i, MSG_FAILED, "0 7 0 0");
		virtual_pass(&g.loop, 100);
		if (i < 4)
			ends(&g, i, i + 1, "0 0");
	}
	has(&g, "*E30 4R ! dist-train: replica group 2 stays down: its "
		"restarts are used up; it was the last one");
	ends(&g, 4, 5, "0 0");
	is(&g, "*L7");
	done(&g);
}

/* A lost node: its group stays down, restarts or not. */
static void lost_node(void **state)
{
	struct arbiter_fixture g;

	(void)state;
	begin_groups(&g, in_pairs, 9, 1);
	arbiter_lost(g.arbiter, 3, "node4", ETIMEDOUT, 15);
	hear(&g, 2, MSG_FAILED, "0 1 0 0");
	virtual_pass(&g.loop, 500);
	is(&g, "2E30 1 ! dist-train: no sign of life from node4 for 15 s: node "
	       "or network lost (first failure) ! dist-train: replica group 1 "
	       "stays down: one of its launchers is gone; 2 of 3 groups go on");
	hear(&g, 2, MSG_ENDED, "0 0");
	ends(&g, 0, 1, "0 0");
	is(&g, "");
	ends(&g, 4, 5, "0 0");
	is(&g, "*D *L0");
	assert_int_equal(arbiter_loss(g.arbiter), LOSS_NODE);
	done(&g);
}

/* The same while the group ends for a restart, and in the pause. */
static void lost_while_restarting(void **state)
{
	struct arbiter_fixture g;

	(void)state;
	for (unsigned in_pause = 0; in_pause < 2; in_pause++) {
		begin_groups(&g, in_pairs, 9, 1);
		hear(&g, 3, MSG_FAILED, "0 137 0 0");
		virtual_pass(&g.loop, 100);
		ends(&g, 3 - in_pause, 3, "0 0");
		g.log[0] = '\0';
		arbiter_lost(g.arbiter, 2, "node3", 0, 15);
		has(&g, "(no restart) ! dist-train: replica group 1 stays "
			"down: one of its launchers is gone; 2 of 3 groups");
		ends(&g, 0, 1, "0 0");
		virtual_pass(&g.loop, 3600000);
		is(&g, "");
		ends(&g, 4, 5, "0 0");
		is(&g, "*D *L0");
		done(&g);
	}
}

/* Who doesn't end for the restart in time, though its node is there */
static void never_ends(void **state)
{
	struct arbiter_fixture g;

	(void)state;
	begin_groups(&g, in_pairs, 9, 1);
	hear(&g, 3, MSG_FAILED, "0 137 0 0");
	virtual_pass(&g.loop, 100);
	hear(&g, 3, MSG_ENDED, "0 0");
	g.log[0] = '\0';
	virtual_pass(&g.loop, (KILL_AFTER_S + 3) * 1000);
	is(&g, "! dist-train: replica group 1 stays down: not all of its "
	       "processes have ended in time; 2 of 3 groups go on");
	abandon(&g);
}

/* A stop is the whole step's, also for a group in its pause. */
static void stop(void **state)
{
	struct arbiter_fixture g;

	(void)state;
	begin_groups(&g, in_pairs, 9, 1);
	hear(&g, 3, MSG_FAILED, "0 137 0 0");
	virtual_pass(&g.loop, 100);
	ends(&g, 2, 3, "0 0");
	g.log[0] = '\0';
	arbiter_stop(g.arbiter, "dist-train: srun is gone\n", 137, 0);
	is(&g, "*E0 ! dist-train: srun is gone");
	ends(&g, 0, 1, "0 0");
	ends(&g, 4, 5, "0 0");
	is(&g, "*L137");
	done(&g);
	begin_groups(&g, in_pairs, 9, 1);
	arbiter_stop(g.arbiter, "dist-train: srun is gone\n", 137, 0);
	g.log[0] = '\0';
	virtual_pass(&g.loop, (KILL_AFTER_S + 3) * 1000);
	is(&g, "*L137");
	done(&g);
}

/* A signal that all processes have got ends the step, also while a group ends
 * for a restart, and in its pause; nobody is blamed. */
static void signalled(void **state)
{
	struct arbiter_fixture g;

	(void)state;
	begin_groups(&g, in_pairs, 9, 1);
	hear(&g, 3, MSG_FAILED, "0 143 0 1");
	virtual_pass(&g.loop, 100);
	is(&g, "*E30");
	ends(&g, 0, 5, "0 0");
	is(&g, "*L143");
	done(&g);
	for (unsigned in_pause = 0; in_pause < 2; in_pause++) {
		begin_groups(&g, in_pairs, 9, 1);
		hear(&g, 3, MSG_FAILED, "0 137 0 0");
		virtual_pass(&g.loop, 100);
		ends(&g, 3 - in_pause, 3, "0 0");
		g.log[0] = '\0';
		hear(&g, 0, MSG_TOLD, "");
		is(&g, "*E30");
		ends(&g, 0, 5, "0 0");
		is(&g, "*L143");
		done(&g);
	}
}

/* Before all have started no group can go on without the others. */
static void before_the_start(void **state)
{
	struct arbiter_fixture g;

	(void)state;
	begin_with(&g, &(struct arbiter_options){
			       .n = 2,
			       .rounds = 9,
			       .group = in_turn,
			       .ngroups = 2,
			       .start_together = true,
		       });
	hear(&g, 1, MSG_READY, "");
	hear(&g, 0, MSG_FAILED, "0 1 0 0");
	virtual_pass(&g.loop, 100);
	is(&g, "*E0 0R");
	ends(&g, 0, 1, "0 0");
	is(&g, "*L1");
	done(&g);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(restarts_alone),
		cmocka_unit_test(rounds_of_their_own),
		cmocka_unit_test(two_at_once),
		cmocka_unit_test(pauses),
		cmocka_unit_test(stays_down),
		cmocka_unit_test(ends_before_others),
		cmocka_unit_test(too_few),
		cmocka_unit_test(last_one),
		cmocka_unit_test(lost_node),
		cmocka_unit_test(lost_while_restarting),
		cmocka_unit_test(never_ends),
		cmocka_unit_test(stop),
		cmocka_unit_test(signalled),
		cmocka_unit_test(before_the_start),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
