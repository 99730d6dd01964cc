/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The network falls into parts at random: the controller with one of them, with
 * all or with none, paths cut in one direction, while nodes are stopped and
 * killed. What must hold: no processes of two rounds at a time (the fixture
 * looks), each round with one list of places; when the network is whole all run
 * again, and the step has the exit code that it would have had.
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
	char **known = &places_of_round[n->round % ROUNDS_MAX];

	if (!n->places)
		return;
	if (!*known)
		*known = strdup(n->places);
	if (strcmp(*known, n->places))
		fail_msg("round %u has the places %s and %s (SEED=%u)",
			 n->round, *known, n->places, seed);
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
	const char *text = n ? n->places : NULL;
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

/* The controller was cut off from all. */
static bool has_failed(void)
{
	return strstr(host.said, "and nothing can take its place");
}

static void recover(void)
{
	uint64_t begun = virtual_now;

	while (!world_runs() && !has_failed()) {
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

/* Two parts, and the controller (the last number) with one, both or none of
 * them; cut in both directions or in one. */
static void split(void)
{
	unsigned part[PATHS_MAX + 1], how = below(4), with = below(4);

	show("the network falls apart, the controller is with", with);
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
	if (has_failed()) { /* who isn't here looks for it in vain */
		leave_with(137, 310000);
		return;
	}
	if (seed % 3 == 0) {
		fail_somewhere(3);
		return;
	}
	finish();
	leave_with(0, 4 * LEASE_MS);
	if (!strchr("NW", host.last[0]) || host.last[1])
		fail_msg("srun hears '%s' (SEED=%u)", host.last, seed);
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
	static const unsigned found[] = {12, 361, 1136, 2040};
	unsigned first = wish("SEED", 1), many = wish("SEEDS", 4);

	(void)state;
	if (getenv("SEED") && !getenv("SEEDS"))
		many = 1;
	for (unsigned i = 0; i < 4 && !getenv("SEED"); i++)
		play_seed(found[i]);
	for (unsigned i = 0; i < many; i++)
		play_seed(first + i);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(partitions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
