/* SPDX-License-Identifier: Apache-2.0 */
/* Restarts, exits of 0, and who is ready. */
#include "core/base/restart_pause.h"
#include "tests/fixtures/arbiter_fixture.h"

static void restart(void **state)
{
	struct arbiter_fixture g;

	(void)state;
	begin(&g, 2, 2);
	hear(&g, 1, MSG_FAILED, "0 137 0 0");
	virtual_pass(&g.loop, 100);
	is(&g, "*E0 1R ! dist-train: restart 1 of 2 of the "
	       "step's processes");
	ends(&g, 0, 1, "0 1");
	is(&g, "");
	virtual_pass(&g.loop, PAUSE_FIRST_MS);
	is(&g, "*N1");
	/* echoes of round 0 */
	hear(&g, 0, MSG_FAILED, "0 134 0 0");
	hear(&g, 0, MSG_ENDED, "0 3");
	hear(&g, 0, MSG_EARLY, "0 rank 0 on node1");
	virtual_pass(&g.loop, 3600000);
	is(&g, "");
	hear(&g, 0, MSG_FAILED, "1 134 0 0");
	virtual_pass(&g.loop, 100);
	is(&g, "*E0 0R ! dist-train: restart 2 of 2 of the "
	       "step's processes");
	ends(&g, 0, 1, "1 0");
	virtual_pass(&g.loop, PAUSE_FIRST_MS);
	is(&g, "*N2");
	hear(&g, 0, MSG_FAILED, "2 134 0 0");
	virtual_pass(&g.loop, 100);
	is(&g, "*E30 0R ! dist-train: no restart: restarts=2 is used up");
	ends(&g, 0, 1, "2 1");
	is(&g, "! dist-train: 2 other processes were ended *L134");
	done(&g);
}

/* All had ended when the restart was decided: the next round begins after the
 * pause, and lasts as long as it likes. */
static void restart_at_once(void **state)
{
	struct arbiter_fixture g;

	(void)state;
	begin(&g, 1, 1);
	g.idle = "0 0";
	hear(&g, 0, MSG_FAILED, "0 137 0 0");
	is(&g, "*E0 0R ! dist-train: restart 1 of 1 of the "
	       "step's processes");
	virtual_pass(&g.loop, PAUSE_FIRST_MS);
	is(&g, "*N1");
	virtual_pass(&g.loop, 3600000);
	is(&g, "");
	g.idle = "1 0";
	hear(&g, 0, MSG_FAILED, "1 9 0 0");
	is(&g, "*E30 0R ! dist-train: no restart: restarts=1 is used up *L9");
	done(&g);
}

static void restart_then_well(void **state)
{
	struct arbiter_fixture g;

	(void)state;
	begin(&g, 2, 2);
	hear(&g, 1, MSG_FAILED, "0 137 0 0");
	virtual_pass(&g.loop, 100);
	ends(&g, 0, 1, "0 1");
	virtual_pass(&g.loop, PAUSE_FIRST_MS);
	has(&g, "*N1");
	ends(&g, 0, 1, "1 0");
	is(&g, "*L0");
	done(&g);
}

static void not_worth_it(void **state)
{
	struct arbiter_fixture g;

	(void)state;
	begin(&g, 2, 2);
	g.restart_code = 3;
	hear(&g, 1, MSG_FAILED, "0 4 0 0");
	virtual_pass(&g.loop, 100);
	is(&g, "*E30 1R ! dist-train: restarts=2 not used: exit code 4 isn't "
	       "in restart-on=KEY");
	abandon(&g);
	begin(&g, 2, 2);
	hear(&g, 1, MSG_FAILED, "0 2 0 2");
	virtual_pass(&g.loop, 100);
	is(&g, "*E30 1R ! dist-train: restarts=2 not used: its program can't "
	       "be started");
	abandon(&g);
	begin(&g, 2, 2);
	hear(&g, 1, MSG_FAILED, "0 3 0 0");
	virtual_pass(&g.loop, 100);
	ends(&g, 0, 1, "0 1");
	virtual_pass(&g.loop, PAUSE_FIRST_MS);
	g.restart_code = 3;
	g.log[0] = '\0';
	hear(&g, 1, MSG_FAILED, "1 4 0 0");
	virtual_pass(&g.loop, 100);
	is(&g, "*E30 1R ! dist-train: no restart after 1 of restarts=2: exit "
	       "code 4 isn't in restart-on=KEY");
	abandon(&g);
}

/* A node that doesn't end for the restart, and is then lost */
static void lost_while_restarting(void **state)
{
	struct arbiter_fixture g;

	(void)state;
	begin(&g, 3, 2);
	hear(&g, 1, MSG_FAILED, "0 137 0 0");
	virtual_pass(&g.loop, 100);
	ends(&g, 0, 1, "0 1");
	g.log[0] = '\0';
	arbiter_lost(g.arbiter, 2, "node3", ETIMEDOUT, 15);
	is(&g, "! dist-train: no sign of life from node3 for 15 s: node or "
	       "network lost (no restart) "
	       "! dist-train: 2 other processes were ended *L137");
	done(&g);
}

/* A launcher that is late ends and begins as the others do. */
static void late_for_the_restart(void **state)
{
	struct arbiter_fixture g;

	(void)state;
	begin(&g, 3, 2);
	g.absent = 2;
	hear(&g, 1, MSG_FAILED, "0 137 0 0");
	virtual_pass(&g.loop, 100);
	ends(&g, 0, 1, "0 1");
	has(&g, "*E0");
	virtual_pass(&g.loop, 3600000);
	is(&g, "");
	g.absent = 0;
	arbiter_wait_no_more(g.arbiter);
	is(&g, "");
	hear(&g, 2, MSG_ENDED, "0 1");
	virtual_pass(&g.loop, PAUSE_FIRST_MS);
	is(&g, "*N1");
	abandon(&g);
}

static void never_there_for_the_restart(void **state)
{
	struct arbiter_fixture g;

	(void)state;
	begin(&g, 3, 2);
	g.absent = 2;
	hear(&g, 1, MSG_FAILED, "0 137 0 0");
	virtual_pass(&g.loop, 100);
	ends(&g, 0, 1, "0 0");
	has(&g, "*E0");
	virtual_pass(&g.loop, 3600000);
	is(&g, "");
	arbiter_wait_no_more(g.arbiter);
	is(&g, "! dist-train: no restart: the launchers of 1 of 3 tasks have "
	       "not answered *L137");
	done(&g);
}

/* Who is there and doesn't end isn't waited for. */
static void stuck_in_the_restart(void **state)
{
	struct arbiter_fixture g;

	(void)state;
	begin(&g, 3, 2);
	hear(&g, 1, MSG_FAILED, "0 137 0 0");
	virtual_pass(&g.loop, 100);
	ends(&g, 0, 1, "0 0");
	has(&g, "*E0");
	virtual_pass(&g.loop, (KILL_AFTER_S + 3) * 1000);
	is(&g, "*L137");
	done(&g);
}

static void stopped_while_restarting(void **state)
{
	struct arbiter_fixture g;

	(void)state;
	begin(&g, 2, 2);
	hear(&g, 1, MSG_FAILED, "0 134 0 0");
	virtual_pass(&g.loop, 100);
	g.log[0] = '\0';
	arbiter_stop(g.arbiter, "dist-train: srun is gone\n", 137, 0);
	is(&g, "! dist-train: srun is gone");
	ends(&g, 0, 1, "0 0");
	is(&g, "*L137");
	done(&g);
}

static void early_exit(void **state)
{
	struct arbiter_fixture g;

	(void)state;
	begin(&g, 2, 0);
	hear(&g, 1, MSG_EARLY, "0 rank 1 (worker) on node2");
	virtual_pass(&g.loop, 10000);
	hear(&g, 0, MSG_EARLY, "0 rank 0 (worker) on node1"); /* not first */
	virtual_pass(&g.loop, 19999);
	is(&g, "");
	virtual_pass(&g.loop, 1);
	is(&g, "*E0 ! dist-train: rank 1 (worker) on node2 ended "
	       "with exit code 0, and others still ran 30 s "
	       "later (early-exit=fail)");
	ends(&g, 0, 1, "0 1");
	has(&g, "*L1");
	done(&g);
}

/* It counts as exit code 1, which may be worth a restart. */
static void early_exit_restarts(void **state)
{
	struct arbiter_fixture g;

	(void)state;
	begin(&g, 2, 1);
	hear(&g, 1, MSG_EARLY, "0 rank 1 (worker) on node2");
	ends(&g, 1, 1, "0 0");
	virtual_pass(&g.loop, 30000);
	is(&g, "*E0 ! dist-train: rank 1 (worker) on node2 ended "
	       "with exit code 0, and others still ran 30 s "
	       "later (early-exit=fail) "
	       "! dist-train: restart 1 of 1 of the step's processes");
	ends(&g, 0, 0, "0 1");
	virtual_pass(&g.loop, 100);
	is(&g, "*N1");
	abandon(&g);
}

static void early_exit_in_time(void **state)
{
	struct arbiter_fixture g;

	(void)state;
	begin(&g, 2, 0);
	hear(&g, 1, MSG_EARLY, "0 rank 1 (worker) on node2");
	virtual_pass(&g.loop, 29999);
	ends(&g, 0, 1, "0 0");
	is(&g, "*L0");
	done(&g);
}

/* A failure's own grace holds, not that of the exit of 0 before it. */
static void early_exit_then_failure(void **state)
{
	struct arbiter_fixture g;

	(void)state;
	begin(&g, 2, 0);
	hear(&g, 1, MSG_EARLY, "0 rank 1 (worker) on node2");
	virtual_pass(&g.loop, 29990);
	hear(&g, 0, MSG_FAILED, "0 9 0 0");
	virtual_pass(&g.loop, 100);
	is(&g, "*E30 0R");
	abandon(&g);
}

static void ready(void **state)
{
	struct arbiter_fixture g;

	(void)state;
	begin(&g, 3, 0);
	hear(&g, 1, MSG_READY, "");
	hear(&g, 1, MSG_READY, "");
	hear(&g, 0, MSG_READY, "");
	is(&g, "");
	hear(&g, 2, MSG_READY, "10.0.0.3"); /* none of its business */
	is(&g, "*G0");
	/* Once more, for what comes in two turns. */
	hear(&g, 2, MSG_READY, "");
	hear(&g, 2, MSG_READY, "");
	hear(&g, 0, MSG_READY, "10.0.0.1");
	is(&g, "");
	hear(&g, 1, MSG_READY, "");
	is(&g, "*G0 10.0.0.1");
	abandon(&g);
}

/* When only services are left nobody waits for the end of the grace. */
static void services_after_failure(void **state)
{
	struct arbiter_fixture g;

	(void)state;
	begin(&g, 2, 0);
	hear(&g, 1, MSG_STOP, "7 20 why");
	is(&g, "*E20 ! dist-train: why");
	hear(&g, 1, MSG_ENDED, "0 0");
	is(&g, "");
	hear(&g, 0, MSG_IDLE, "0");
	is(&g, "*D");
	hear(&g, 0, MSG_ENDED, "0 0");
	is(&g, "*L7");
	abandon(&g);
}

/* Nor does anybody wait for who never comes. */
static void services_without_all(void **state)
{
	struct arbiter_fixture g;

	(void)state;
	begin(&g, 3, 0);
	g.absent = 2;
	hear(&g, 1, MSG_ENDED, "0 0");
	hear(&g, 0, MSG_IDLE, "0");
	is(&g, "");
	arbiter_wait_no_more(g.arbiter);
	is(&g, "*D");
	hear(&g, 0, MSG_ENDED, "0 0");
	is(&g, "*L0");
	done(&g);
}

/* Who is ready after a failure starts nothing. */
static void not_ready_any_more(void **state)
{
	struct arbiter_fixture g;

	(void)state;
	begin(&g, 2, 0);
	hear(&g, 0, MSG_READY, "");
	hear(&g, 1, MSG_STOP, "1 0 no table");
	is(&g, "*E0 ! dist-train: no table");
	hear(&g, 1, MSG_READY, "");
	is(&g, "");
	abandon(&g);
}

/* It doesn't wait for failures that may have been earlier. */
static void stopped_in_the_window(void **state)
{
	struct arbiter_fixture g;

	(void)state;
	begin(&g, 2, 0);
	hear(&g, 1, MSG_FAILED, "0 3 0 0");
	hear(&g, 1, MSG_STOP, "7 0 why");
	is(&g, "*E0 ! dist-train: why");
	ends(&g, 0, 1, "0 0");
	is(&g, "*L7");
	done(&g);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(restart),
		cmocka_unit_test(restart_at_once),
		cmocka_unit_test(restart_then_well),
		cmocka_unit_test(not_worth_it),
		cmocka_unit_test(lost_while_restarting),
		cmocka_unit_test(late_for_the_restart),
		cmocka_unit_test(never_there_for_the_restart),
		cmocka_unit_test(stuck_in_the_restart),
		cmocka_unit_test(stopped_while_restarting),
		cmocka_unit_test(early_exit),
		cmocka_unit_test(early_exit_restarts),
		cmocka_unit_test(early_exit_in_time),
		cmocka_unit_test(early_exit_then_failure),
		cmocka_unit_test(ready),
		cmocka_unit_test(services_after_failure),
		cmocka_unit_test(services_without_all),
		cmocka_unit_test(not_ready_any_more),
		cmocka_unit_test(stopped_in_the_window),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
