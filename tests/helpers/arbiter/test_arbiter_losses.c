/* SPDX-License-Identifier: Apache-2.0 */
/* A step whose ladder has an answer to a lost node. */
#include "core/base/restart_pause.h"
#include "helpers/roster/roster.h"
#include "tests/fixtures/arbiter_fixture.h"

#define NODES 4

static const unsigned node[NODES] = {0, 1, 2, 3};

static struct roster roster;
static bool is_here[NODES];
static bool all_heard;

static bool node_here(const void *arg, unsigned member)
{
	(void)arg;
	return is_here[member];
}

static void asks(void *arg)
{
	(void)arg;
}

static bool hears(const void *arg, unsigned member, uint64_t since_ms)
{
	(void)arg;
	(void)member;
	(void)since_ms;
	return all_heard;
}

static void comes(struct arbiter_fixture *g, unsigned member, const char *says)
{
	is_here[member] = true;
	arbiter_came(g->arbiter, member);
	hear(g, member, MSG_STATE, says);
}

static void is_lost(struct arbiter_fixture *g, unsigned member)
{
	is_here[member] = false;
	arbiter_lost(g->arbiter, member, "node", ETIMEDOUT, 15);
}

/* Three nodes of four have places. None has come yet. */
static void begin_empty(struct arbiter_fixture *g, const char *ladder)
{
	static const struct arbiter_recovery with = {
		.roster = &roster, .node = node, .lease_s = 15};
	struct roster_options o = {.nnodes = NODES, .nspares = 1};
	struct ladder rungs;
	struct err err;

	assert_int_equal(ladder_parse(ladder, &rungs, &err), 0);
	o.ladder = &rungs;
	assert_int_equal(roster_open(&o, &roster, &err), 0);
	all_heard = true;
	memset(is_here, 0, sizeof(is_here));
	begin_with(g, &(struct arbiter_options){
			      .n = NODES,
			      .rounds = 2,
			      .start_together = true,
			      .here = node_here,
			      .ask = asks,
			      .heard = hears,
			      .recovery = &with,
		      });
}

/* The first `n` have come, and processes run. */
static void begin_some(struct arbiter_fixture *g, const char *ladder,
		       unsigned n)
{
	begin_empty(g, ladder);
	for (unsigned i = 0; i < n; i++)
		comes(g, i, "0 0 0");
	for (unsigned i = 0; i < NODES - 1; i++)
		hear(g, i, MSG_READY, "");
	is(g, "*G0");
}

static void begin_nodes(struct arbiter_fixture *g, const char *ladder)
{
	begin_some(g, ladder, NODES);
}

static void end_nodes(struct arbiter_fixture *g)
{
	abandon(g);
	roster_close(&roster);
}

/* The spare ends, too. The first pause is the first one. A loss is none of the
 * key's restarts. */
static void replaced(void **state)
{
	struct arbiter_fixture g;

	(void)state;
	begin_nodes(&g, "replace+fail");
	is_lost(&g, 1);
	virtual_pass(&g.loop, 100);
	is(&g, "*E0 ! dist-train: no sign of life from node for 15 s: node or "
	       "network lost");
	ends(&g, 0, 0, "0 1");
	ends(&g, 2, 2, "0 1");
	virtual_pass(&g.loop, PAUSE_FIRST_MS);
	is(&g, "");
	hear(&g, 3, MSG_ENDED, "0 0");
	virtual_pass(&g.loop, PAUSE_FIRST_MS);
	is(&g, "! dist-train: node number 1 is lost: node number 3, a spare, "
	       "takes its place as node rank 1; round 1, 0 spares are left "
	       "*N1 0,3,2");
	assert_int_equal(arbiter_restarts(g.arbiter), 0);
	end_nodes(&g);
}

/* One restart is one, however it came to it. */
static void counted_once(void **state)
{
	struct arbiter_fixture g;

	(void)state;
	begin_nodes(&g, "replace+fail");
	hear(&g, 1, MSG_EARLY, "0 rank 1");
	virtual_pass(&g.loop, GRACE_S * 1000);
	has(&g, "restart 1 of 2 of the step's processes");
	assert_int_equal(arbiter_restarts(g.arbiter), 1);
	is_lost(&g, 2);
	assert_int_equal(arbiter_restarts(g.arbiter), 0);
	end_nodes(&g);
}

/* A failure isn't judged before it is known who lives. */
static void in_doubt(void **state)
{
	struct arbiter_fixture g;

	(void)state;
	begin_nodes(&g, "replace+fail");
	all_heard = false;
	hear(&g, 1, MSG_FAILED, "0 3 0 0");
	virtual_pass(&g.loop, 60000);
	is(&g, "");
	all_heard = true;
	virtual_pass(&g.loop, 100);
	is(&g, "*E0 1R ! dist-train: restart 1 of 2 of the step's processes");
	end_nodes(&g);
}

/* With a loss, and where the step is told to end, that makes no difference. */
static void in_no_doubt(void **state)
{
	struct arbiter_fixture g;

	(void)state;
	begin_nodes(&g, "replace+fail");
	all_heard = false;
	hear(&g, 1, MSG_FAILED, "0 3 0 0");
	is_lost(&g, 2);
	virtual_pass(&g.loop, 100);
	has(&g, "*E0 ! dist-train: no sign of life from node ");
	end_nodes(&g);
	begin_nodes(&g, "replace+fail");
	all_heard = false;
	hear(&g, 1, MSG_TOLD, "");
	hear(&g, 1, MSG_FAILED, "0 3 0 0");
	virtual_pass(&g.loop, 100);
	has(&g, "*E30 1R");
	end_nodes(&g);
}

/* Rank 1's launcher tells that it has exited; after_ms later rank 2's tells so
 * of its own, and all have been heard. Who is named? */
static void told_after(unsigned after_ms, const char *failure,
		       const char *named)
{
	const struct arbiter_options three = {
		.n = 3, .ask = asks, .heard = hears};
	struct arbiter_fixture g;

	begin_with(&g, &three);
	all_heard = false;
	hear(&g, 1, MSG_FAILED, "0 1 0 0");
	virtual_pass(&g.loop, after_ms);
	is(&g, "");
	if (*failure) {
		hear(&g, 2, MSG_FAILED, failure);
		hear(&g, 0, MSG_FAILED, "0 1 200 0");
	}
	all_heard = *failure;
	virtual_pass(&g.loop, *failure ? 100 : 200);
	is(&g, named);
	abandon(&g);
}

/* Without a ladder, too: the cause may be on a node that is busy, whose
 * launcher notices it late, too; not that late. One that is stopped isn't
 * waited for. */
static void told_late(void **state)
{
	(void)state;
	told_after(300, "0 137 400 0", "*E30 2R");
	told_after(300, "0 137 0 0", "*E30 2R");
	told_after(300, "0 2 0 0", "*E30 1R");
	told_after(1200, "0 137 0 0", "*E30 1R");
	told_after(1900, "", "*E30 1R");
}

/* Nothing can take the place: the step ends, and its job is requeued. */
static void no_answer(void **state)
{
	struct arbiter_fixture g;

	(void)state;
	begin_nodes(&g, "requeue");
	is_lost(&g, 1);
	virtual_pass(&g.loop, 100);
	has(&g, "*E30 ! dist-train: no sign of life");
	ends(&g, 0, 0, "0 0");
	ends(&g, 2, 3, "0 0");
	is(&g, "*L137");
	assert_true(arbiter_requeues(g.arbiter));
	end_nodes(&g);
}

/* Who was told to end leaves: that is no loss. */
static void told_to_end(void **state)
{
	struct arbiter_fixture g;

	(void)state;
	begin_nodes(&g, "replace+fail");
	hear(&g, 2, MSG_TOLD, "");
	is_lost(&g, 1);
	virtual_pass(&g.loop, 60000);
	is(&g, "");
	ends(&g, 0, 0, "0 0");
	ends(&g, 2, 2, "0 0");
	is(&g, "*L0");
	end_nodes(&g);
}

/* Where all are killed after that, nobody has ended well. */
static void told_and_killed(void **state)
{
	struct arbiter_fixture g;

	(void)state;
	begin_nodes(&g, "replace+fail");
	hear(&g, 2, MSG_TOLD, "");
	for (unsigned i = 0; i < NODES; i++)
		is_lost(&g, i);
	virtual_pass(&g.loop, 60000);
	is(&g, "*L137");
	end_nodes(&g);
}

/* A node that comes back ends what it had, and is a spare again; the last one
 * that a round waits for is condemned, and the round goes on without it. */
static void back_and_condemned(void **state)
{
	struct arbiter_fixture g;

	(void)state;
	begin_nodes(&g, "replace+fail");
	is_lost(&g, 3);
	virtual_pass(&g.loop, 1000);
	is(&g, "! dist-train: node number 3, a spare, is lost: 0 spares are "
	       "left");
	comes(&g, 3, "0 0 1");
	assert_int_equal(arbiter_spares(g.arbiter), 0);
	hear(&g, 3, MSG_ENDED, "0 0");
	assert_int_equal(arbiter_spares(g.arbiter), 1);
	hear(&g, 1, MSG_CONDEMNED, "is broken");
	virtual_pass(&g.loop, 100);
	has(&g, "*E0");
	ends(&g, 0, 0, "0 0");
	ends(&g, 2, 3, "0 0");
	is(&g, "");
	hear(&g, 1, MSG_ENDED, "0 0");
	virtual_pass(&g.loop, PAUSE_FIRST_MS);
	has(&g, "node number 1 is broken: node number 3, a spare, takes ");
	end_nodes(&g);
}

/* A failure near a loss is the loss's, before it is judged and afterwards,
 * while the others have their grace. */
static void failure_near_a_loss(void **state)
{
	struct arbiter_fixture g;

	(void)state;
	for (unsigned late = 0; late < 2; late++) {
		begin_nodes(&g, "replace+fail");
		g.restart_code = 9;
		hear(&g, 1, MSG_FAILED, "0 3 0 0");
		virtual_pass(&g.loop, late * 100);
		if (late)
			has(&g, "*E30 1R ");
		is_lost(&g, 1);
		virtual_pass(&g.loop, 100);
		is(&g, "*E0 ! dist-train: no sign of life from node for 15 s: "
		       "node or network lost");
		ends(&g, 0, 0, "0 0");
		ends(&g, 2, 3, "0 0");
		virtual_pass(&g.loop, PAUSE_FIRST_MS);
		has(&g, "*N1 0,3,2");
		end_nodes(&g);
	}
}

/* Another loss in the pause is no restart either. */
static void lost_in_the_pause(void **state)
{
	struct arbiter_fixture g;

	(void)state;
	begin_nodes(&g, "replace+fail");
	hear(&g, 1, MSG_FAILED, "0 3 0 0");
	virtual_pass(&g.loop, 100);
	ends(&g, 0, 3, "0 0");
	assert_int_equal(arbiter_restarts(g.arbiter), 1);
	is_lost(&g, 1);
	assert_int_equal(arbiter_restarts(g.arbiter), 0);
	virtual_pass(&g.loop, PAUSE_FIRST_MS);
	has(&g, "*N1 0,3,2");
	end_nodes(&g);
}

/* A spare that comes when another round runs learns its places, and can take
 * one. Before that nothing does, whatever nonsense it says. */
static void late_spare(void **state)
{
	static const char *const nonsense[] = {
		"", "1", "1 0", "1 2 0", "1 0 2", "-1 0 0", "x 0 0"};
	struct arbiter_fixture g;

	(void)state;
	begin_some(&g, "replace+shrink:2", NODES - 1);
	is_lost(&g, 1);
	virtual_pass(&g.loop, 100);
	ends(&g, 0, 0, "0 0");
	ends(&g, 2, 2, "0 0");
	virtual_pass(&g.loop, PAUSE_FIRST_MS);
	has(&g, "the world shrinks from 3 nodes to 2; round 1 *N1 0,2");
	is_here[3] = true;
	arbiter_came(g.arbiter, 3);
	for (size_t i = 0; i < COUNT(nonsense); i++)
		hear(&g, 3, MSG_STATE, nonsense[i]);
	is(&g, "");
	assert_int_equal(arbiter_spares(g.arbiter), 0);
	hear(&g, 3, MSG_STATE, "0 0 0");
	is(&g, "3N1 0,2");
	assert_int_equal(arbiter_spares(g.arbiter), 1);
	end_nodes(&g);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(replaced),
		cmocka_unit_test(counted_once),
		cmocka_unit_test(in_doubt),
		cmocka_unit_test(in_no_doubt),
		cmocka_unit_test(told_late),
		cmocka_unit_test(no_answer),
		cmocka_unit_test(told_to_end),
		cmocka_unit_test(told_and_killed),
		cmocka_unit_test(failure_near_a_loss),
		cmocka_unit_test(lost_in_the_pause),
		cmocka_unit_test(back_and_condemned),
		cmocka_unit_test(late_spare),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
