/* SPDX-License-Identifier: Apache-2.0 */
/* Members in groups: how a group, and the step, comes to its end. */
#include "tests/fixtures/arbiter_fixture.h"

/* Launchers that never come have no part in a restart: the group stays down,
 * whether that is known before it fails or while it ends. */
static void never_there(void **state)
{
	struct arbiter_fixture g;

	(void)state;
	for (int late = 0; late < 2; late++) {
		begin_groups(&g, in_pairs, 9, 1);
		g.absent = 2;
		if (!late)
			arbiter_wait_no_more(g.arbiter);
		hear(&g, 3, MSG_FAILED, "0 137 0 0");
		virtual_pass(&g.loop, 100);
		if (late) {
			has(&g, "restart 1 of 9 of replica group 1's");
			arbiter_wait_no_more(g.arbiter);
		}
		has(&g, "! dist-train: no restart: the launchers of 1 of 2 "
			"tasks have not answered ! dist-train: replica group 1 "
			"stays down: one of its launchers is gone; 2 of 3 ");
		ends(&g, 3, 3, "0 0");
		ends(&g, 0, 1, "0 0");
		is(&g, "");
		ends(&g, 4, 5, "0 0");
		is(&g, "*D *L0");
		done(&g);
	}
}

/* Those that still run have had the grace since the exit of 0. */
static void early_exit(void **state)
{
	struct arbiter_fixture g;

	(void)state;
	begin_groups(&g, in_pairs, 0, 1);
	hear(&g, 3, MSG_EARLY, "0 rank 3 (worker) on node4");
	virtual_pass(&g.loop, GRACE_S * 1000);
	has(&g, "3E0 1 2E0 1 ! dist-train: rank 3 (worker) on node4 ended ");
	abandon(&g);
}

/* Services needn't wait for the end of the grace. */
static void services_after_failure(void **state)
{
	struct arbiter_fixture g;

	(void)state;
	begin_groups(&g, in_pairs, 0, 3);
	hear(&g, 3, MSG_FAILED, "0 9 0 0");
	virtual_pass(&g.loop, 100);
	has(&g, "*E30 3R ");
	ends(&g, 1, 5, "0 0");
	is(&g, "");
	hear(&g, 0, MSG_IDLE, "0");
	is(&g, "*D");
	hear(&g, 0, MSG_ENDED, "0 0");
	is(&g, "*L9");
	done(&g);
}

static void is_stopped(struct arbiter_fixture *g)
{
	g->log[0] = '\0';
	arbiter_stop(g->arbiter, "dist-train: srun is gone\n", 137, 0);
	is(g, "*E0 ! dist-train: srun is gone");
	ends(g, 0, 5, "0 0");
	is(g, "*L137");
	done(g);
}

/* Whatever the first group does: it ends, is down, has ended. */
static void stopped_in_any_state(void **state)
{
	struct arbiter_fixture g;

	(void)state;
	for (unsigned rounds = 0; rounds < 2; rounds++)
		for (int ended = -1; ended < 2; ended++) {
			begin_groups(&g, in_pairs, rounds, 1);
			hear(&g, 0, MSG_FAILED, "0 1 0 0");
			virtual_pass(&g.loop, 100);
			if (ended >= 0)
				ends(&g, 0, (unsigned)ended, "0 0");
			is_stopped(&g);
		}
	begin_groups(&g, in_pairs, 0, 1);
	ends(&g, 0, 1, "0 0");
	is_stopped(&g);
	begin_groups(&g, in_pairs, 0, 1);
	for (unsigned i = 0; i < 6; i++)
		hear(&g, i, MSG_IDLE, "0");
	has(&g, "*D");
	is_stopped(&g);
}

/* One that stays down isn't waited for for ever. */
static void down_and_never_ends(void **state)
{
	struct arbiter_fixture g;

	(void)state;
	begin_groups(&g, in_pairs, 0, 1);
	hear(&g, 0, MSG_FAILED, "0 1 0 0");
	virtual_pass(&g.loop, 100);
	ends(&g, 2, 5, "0 0");
	g.log[0] = '\0';
	virtual_pass(&g.loop, LATEST_MS);
	is(&g, "! dist-train: replica group 0 stays down: not all of its "
	       "processes have ended in time; 2 of 3 groups go on *D");
	virtual_pass(&g.loop, (KILL_AFTER_S + 3) * 1000);
	is(&g, "*L0");
	done(&g);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(stopped_in_any_state),
		cmocka_unit_test(down_and_never_ends),
		cmocka_unit_test(never_there),
		cmocka_unit_test(early_exit),
		cmocka_unit_test(services_after_failure),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
