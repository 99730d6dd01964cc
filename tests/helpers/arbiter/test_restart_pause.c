/* SPDX-License-Identifier: Apache-2.0 */
/* What the arbiter does between two rounds. */
#include "core/base/restart_pause.h"
#include "tests/fixtures/arbiter_fixture.h"

/* The only launcher's processes fail in the round; the log begins with that. */
static void fails_at_once(struct arbiter_fixture *g, const char *round)
{
	char failed[32], ended[32];

	snprintf(failed, sizeof(failed), "%s 1 0 0", round);
	snprintf(ended, sizeof(ended), "%s 0", round);
	g->log[0] = '\0';
	hear(g, 0, MSG_FAILED, failed);
	hear(g, 0, MSG_ENDED, ended);
}

/* A program that fails at once is started ever more rarely, */
static void pauses_double(void **state)
{
	static const struct {
		unsigned ms;
		const char *said;
	} pause[] = {
		{100, "processes"},
		{200, "processes"},
		{400, "processes"},
		{800, "processes"},
		{1600, "processes, in 1.6 s"},
		{3200, "processes, in 3.2 s"},
		{6400, "processes, in 6.4 s"},
		{10000, "processes, in 10.0 s"},
		{10000, "processes, in 10.0 s"},
	};
	struct arbiter_fixture g;
	char round[12], go[12];

	(void)state;
	begin(&g, 1, 20);
	for (unsigned i = 0; i < COUNT(pause); i++) {
		snprintf(round, sizeof(round), "%u", i);
		snprintf(go, sizeof(go), "*N%u", i + 1);
		fails_at_once(&g, round);
		has(&g, pause[i].said);
		g.log[0] = '\0';
		virtual_pass(&g.loop, pause[i].ms - 1);
		is(&g, "");
		virtual_pass(&g.loop, 1);
		is(&g, go);
	}
	/* and soon again after it has lived for a while */
	virtual_pass(&g.loop, LIVED_MS);
	fails_at_once(&g, "9");
	has(&g, "restart 10 of 20 of the step's processes");
	g.log[0] = '\0';
	virtual_pass(&g.loop, PAUSE_FIRST_MS);
	is(&g, "*N10");
	abandon(&g);
}

/* Whatever ends the step doesn't wait for the end of the pause. */
static void ended_in_the_pause(void **state)
{
	struct arbiter_fixture g;

	(void)state;
	begin(&g, 1, 2);
	fails_at_once(&g, "0");
	g.log[0] = '\0';
	arbiter_stop(g.arbiter, "dist-train: srun is gone\n", 137, 0);
	is(&g, "! dist-train: srun is gone *L137");
	done(&g);

	begin(&g, 1, 2);
	fails_at_once(&g, "0");
	g.log[0] = '\0';
	hear(&g, 0, MSG_TOLD, "");
	is(&g, "*L143");
	done(&g);

	begin(&g, 2, 2);
	hear(&g, 1, MSG_FAILED, "0 137 0 0");
	virtual_pass(&g.loop, 100);
	ends(&g, 0, 1, "0 0");
	g.log[0] = '\0';
	arbiter_lost(g.arbiter, 1, "node2", ETIMEDOUT, 15);
	is(&g, "! dist-train: no sign of life from node2 for 15 s: node or "
	       "network lost (no restart) *L137");
	done(&g);
}

/* A signal to the whole step is no failure by itself; while processes end for a
 * restart it calls that off. */
static void told_to_end(void **state)
{
	struct arbiter_fixture g;

	(void)state;
	begin(&g, 2, 2);
	hear(&g, 1, MSG_TOLD, "");
	is(&g, "");
	hear(&g, 1, MSG_FAILED, "0 137 0 0");
	virtual_pass(&g.loop, 100);
	g.log[0] = '\0';
	hear(&g, 0, MSG_TOLD, "");
	is(&g, "");
	ends(&g, 0, 1, "0 0");
	is(&g, "*L143");
	done(&g);
}

/* After Ctrl-C nobody is blamed for that, and nothing starts without it. */
static void gone_while_restarting(void **state)
{
	struct arbiter_fixture g;

	(void)state;
	begin(&g, 3, 2);
	hear(&g, 1, MSG_FAILED, "0 137 0 0");
	virtual_pass(&g.loop, 100);
	g.log[0] = '\0';
	arbiter_interrupted(g.arbiter);
	arbiter_lost(g.arbiter, 2, "node3", 0, 15);
	ends(&g, 0, 1, "0 0");
	is(&g, "*L137");
	done(&g);
}

/* Whose launchers are awaited for longer than the others may take to end */
static void stopped_while_waiting(void **state)
{
	struct arbiter_fixture g;

	(void)state;
	begin(&g, 3, 2);
	g.absent = 2;
	hear(&g, 1, MSG_FAILED, "0 137 0 0");
	virtual_pass(&g.loop, 3600000);
	g.log[0] = '\0';
	arbiter_stop(g.arbiter, "dist-train: srun is gone\n", 137, 0);
	is(&g, "! dist-train: srun is gone *L137");
	done(&g);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pauses_double),
		cmocka_unit_test(ended_in_the_pause),
		cmocka_unit_test(told_to_end),
		cmocka_unit_test(gone_while_restarting),
		cmocka_unit_test(stopped_while_waiting),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
