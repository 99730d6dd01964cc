/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The network falls into parts at random: srun with one of them, with all or
 * with none, paths cut in one direction, A that hears B and B that hears C,
 * while nodes are stopped and killed. What must hold: never two centres, no
 * processes of two rounds at a time (both are looked at in the fixture), each
 * round with one list of places, whoever has begun it; when the network is
 * whole all run again, and the step has the exit code that it would have had.
 *
 *	SEED=N SEEDS=N FAULTS=N NODES=N SHOW=1 test_random_partitions
 */
#include "tests/fixtures/recovery_paths.h"

#define LEASE_S	   15
#define LEASE_MS   (LEASE_S * 1000UL)
#define NSPARES	   2
#define KILLED	   2 /* at most: they don't come back */
#define ROUNDS_MAX 256

static char *places_of_round[ROUNDS_MAX];
static unsigned nkilled, seed;

static unsigned wish(const char *name, unsigned otherwise)
{
	const char *text = getenv(name);

	return text ? (unsigned)atoi(text) : otherwise;
}

static void show(const char *what, unsigned i)
{
	if (getenv("SHOW"))
		fprintf(stderr, "%8.1f %s %u\n", (double)virtual_now / 1e3,
			what, i);
}

/* --- what must hold --- */

static void check_places(const struct node *n)
{
	const struct recovery *v = n->session->recovery;
	char **known = &places_of_round[n->round % ROUNDS_MAX];

	if (!n->round || v->round != n->round)
		return;
	if (!*known)
		*known = strdup(v->places);
	if (strcmp(*known, v->places))
		fail_msg("round %u has the places %s and %s (SEED=%u)",
			 n->round, *known, v->places, seed);
}

static void check_all(void)
{
	for (unsigned i = 0; i < nnodes; i++)
		if (node_lives(&nodes[i]) && nodes[i].runs)
			check_places(&nodes[i]);
}

static void pass_checked(uint64_t ms)
{
	uint64_t until = virtual_now + ms;

	while (virtual_now < until) {
		pass(100);
		check_all();
	}
}

/* The first node that runs; NULL: none. */
static struct node *runner(void)
{
	for (unsigned i = 0; i < nnodes; i++)
		if (node_lives(&nodes[i]) && nodes[i].runs)
			return &nodes[i];
	return NULL;
}

/* All who have a place run, and no others. */
static bool world_runs(void)
{
	const struct node *n = runner();
	const char *text = n ? n->session->recovery->places : NULL;
	struct places places;
	unsigned world = nnodes - NSPARES;
	struct err err;

	if (!n)
		return false;
	if (text) {
		assert_int_equal(places_parse(text, nnodes, &places, &err), 0);
		world = places.n;
		places_clear(&places);
	}
	return all_run(world);
}

/* The first centre couldn't reach srun for long: then who is cut off ends by
 * himself, and who never came ends the step. */
static bool has_no_srun(void)
{
	for (unsigned i = 0; i < nnodes; i++)
		if (strstr(nodes[i].said, "can't reach srun"))
			return true;
	return false;
}

static void recover(void)
{
	uint64_t begun = virtual_now;

	while (!world_runs() && !has_no_srun()) {
		if (virtual_now - begun > 12 * LEASE_MS)
			fail_msg("nothing runs again (SEED=%u)", seed);
		pass_checked(100);
	}
}

/* --- faults --- */

static void cut(unsigned from, unsigned to)
{
	if (from != to)
		paths_cut[from][to] = true;
}

/* Two parts, and srun (the last number) with one, both or none of them; cut in
 * both directions or in one. */
static void split(void)
{
	unsigned part[PATHS_MAX + 1], how = below(4), with = below(4);

	show("the network falls apart, srun is with", with);
	for (unsigned i = 0; i < nnodes; i++)
		part[i] = below(2);
	part[nnodes] = with;
	for (unsigned i = 0; i <= nnodes; i++)
		for (unsigned j = 0; j <= nnodes; j++) {
			bool whole = part[i] == part[j] || part[i] == 2 ||
				     part[j] == 2;

			if (!whole && (how > 1 || part[i] == how))
				cut(i, j);
		}
}

/* A few paths, so that neighbours of neighbours hear each other. */
static void cut_paths(void)
{
	show("paths are cut:", 6);
	for (unsigned k = 0; k < 6; k++) {
		unsigned i = below(nnodes + 1), j = below(nnodes + 1);

		cut(i, j);
		if (below(2))
			cut(j, i);
	}
}

static unsigned count_lives(void)
{
	unsigned n = 0;

	for (unsigned i = 0; i < nnodes; i++)
		n += node_lives(&nodes[i]);
	return n;
}

static void stop_or_kill(void)
{
	unsigned i = below(nnodes);
	bool kill = nkilled < KILLED && below(3) == 0;

	if (!node_lives(&nodes[i]) || count_lives() < 4)
		return;
	show(kill ? "killed: node" : "stopped: node", i);
	nkilled += kill;
	nodes[i].dead = kill;
	nodes[i].stopped = !kill;
	if (kill)
		node_ends(i);
}

static void strike(void)
{
	switch (below(4)) {
	case 0:
	case 1:
		split();
		break;
	case 2:
		cut_paths();
		break;
	default:
		stop_or_kill();
	}
}

static void heal(void)
{
	show("whole again, rounds at", running_round());
	paths_heal();
	for (unsigned i = 0; i < nnodes; i++)
		nodes[i].stopped = false;
}

/* --- the end --- */

static void fail_somewhere(int code)
{
	struct node *n = runner();

	show("fails: node", (unsigned)(n - nodes));
	fails((unsigned)(n - nodes), code);
	leave_with(code, 4 * LEASE_MS);
}

/* Well; or with a program's code, which must come through. */
static void end(void)
{
	if (has_no_srun())
		return;
	if (seed % 3 == 0) {
		fail_somewhere(3);
		return;
	}
	finish();
	leave_with(0, 4 * LEASE_MS);
	if (!strchr("NW", srun.last[0]) || srun.last[1])
		fail_msg("srun hears '%s' (SEED=%u)", srun.last, seed);
}

static void play(unsigned n, unsigned nfaults)
{
	nodes_random = seed;
	nkilled = 0;
	kill_ms = seed % 2 ? 3000 : 0;
	gathers = seed % 4 > 1;
	paths_begin();
	nodes_make(n, NSPARES, "replace+shrink:1", "timeout=60,grace=1",
		   LEASE_S);
	for (unsigned i = 0; i < n; i++)
		node_begin(i);
	if (seed % 8)
		pass_until_run(n - NSPARES, 0, 5000);
	for (unsigned k = 0; k < nfaults; k++) {
		strike();
		pass_checked(below((unsigned)LEASE_MS * 3));
		if (below(3))
			continue;
		heal();
		if (below(2))
			recover();
	}
	heal();
	pass_checked(3 * LEASE_MS); /* what hasn't been noticed yet */
	recover();
	end();
	nodes_free();
	for (unsigned i = 0; i < ROUNDS_MAX; i++) {
		free(places_of_round[i]);
		places_of_round[i] = NULL;
	}
}

static void play_seed(unsigned number)
{
	seed = number;
	if (getenv("SHOW"))
		fprintf(stderr, "seed %u\n", seed);
	play(wish("NODES", 7), wish("FAULTS", 8));
}

/* Those that have found something, and some more. */
static void partitions(void **state)
{
	static const unsigned found[] = {12, 1136, 2040, 2120};
	unsigned first = wish("SEED", 1), many = wish("SEEDS", 4);

	(void)state;
	if (getenv("SEED") && !getenv("SEEDS"))
		many = 1;
	for (unsigned i = 0; i < 4 && !getenv("SEED"); i++)
		play_seed(found[i]);
	for (unsigned i = 0; i < many; i++)
		play_seed(first + i);
}

/* --- stories --- */

#define SRUN nnodes

static void cut_off(unsigned a, unsigned b)
{
	cut(a, b);
	cut(b, a);
}

static void begin_without_srun(void)
{
	nodes_random = seed = 1;
	kill_ms = 0;
	gathers = false;
	paths_begin();
	nodes_make(5, 1, "replace+shrink:1", "timeout=20,grace=30", LEASE_S);
	cut_off(0, SRUN);
}

/* The first centre doesn't reach srun, and one that it hasn't met does: only
 * one of them has processes. */
static void stranger_reaches_srun(void **state)
{
	(void)state;
	begin_without_srun();
	for (unsigned i = 0; i < 5; i++)
		cut_off(i, 3);
	for (unsigned i = 0; i < 5; i++)
		node_begin(i);
	pass(120000);
	has_said(0, "node0 can't reach srun at 127.0.0.1, and a node that is "
		    "lost, or hasn't come, may lead the step there");
	assert_true(nodes[0].left);
	nodes_free();
}

/* Who was told that there is no witness doesn't ask srun when it is cut off. */
static void told_of_no_witness(void **state)
{
	(void)state;
	begin_without_srun();
	for (unsigned i = 0; i < 5; i++)
		node_begin(i);
	pass(80000);
	has_said(0, "the step goes on, but the loss of node0 ends it");
	for (unsigned i = 0; i < 5; i++)
		cut_off(i, 2);
	pass(recovery_fence_ms(LEASE_S) + 2000);
	assert_false(nodes[2].runs);
	pass_until_run(4, 1, 8000);
	pass(60000);
	assert_int_equal(srun.claims.term, 0);
	assert_true(nodes[2].left);
	nodes_free();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(stranger_reaches_srun),
		cmocka_unit_test(told_of_no_witness),
		cmocka_unit_test(partitions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
