/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Nodes of a step are stopped, cut off in one direction or both, killed and
 * condemned at random moments, also while a round begins. What must hold: no
 * processes of two rounds at a time (the fixture looks), a new round each time,
 * and the right end.
 *
 *	SEED=N LOSSES=N NODES=N LEASE=N SHOW=1 test_random_losses
 *	LARGE=1000 test_random_losses: also the figures of so many launchers
 */
#include "tests/fixtures/recovery_clock.h"

#include <sys/resource.h>

#define NSPARES 4
#define KILLED	2 /* at most: they don't come back */

/* What a node goes through, and until when. */
struct fate {
	uint64_t until_ms; /* 0: nothing */
	uint64_t fit_ms;   /* when it is a spare again for sure */
};

#define FIT_MS 10000 /* to end its processes, and to find the controller */

static struct fate fates[NODES_MAX];
static unsigned nkilled, ncondemned;
static uint64_t lease_ms;

static unsigned wish(const char *name, unsigned otherwise)
{
	const char *text = getenv(name);

	return text ? (unsigned)atoi(text) : otherwise;
}

static unsigned count_out(void)
{
	unsigned n = 0;

	for (unsigned i = 0; i < nnodes; i++)
		n += nodes[i].dead || fates[i].until_ms ||
		     fates[i].fit_ms > virtual_now;
	return n + ncondemned;
}

static unsigned pick(void)
{
	unsigned i;

	do
		i = below(4) ? below(nnodes) : below(3);
	while (nodes[i].dead || fates[i].until_ms ||
	       fates[i].fit_ms > virtual_now);
	return i;
}

static void show(unsigned i, const char *what)
{
	if (getenv("SHOW"))
		fprintf(stderr, "%8.1f node%u %s\n", (double)virtual_now / 1e3,
			i, what);
}

/* Returns how long it may take until that is noticed. */
static uint64_t strike(void)
{
	unsigned i = pick();
	uint64_t ms = 500 + below((unsigned)lease_ms * 4);

	switch (below(8)) {
	case 0:
	case 1:
		show(i, "is stopped");
		nodes[i].stopped = true;
		break;
	case 2:
		show(i, "hears nothing");
		nodes[i].s.cut = CUT_IN;
		break;
	case 3:
		show(i, "isn't heard");
		nodes[i].s.cut = CUT_OUT;
		break;
	case 4:
		if (nkilled < KILLED) {
			show(i, "is killed");
			nkilled++;
			nodes[i].dead = true;
			node_ends(i);
			return 0;
		}
		/* fall through */
	case 5:
		if (!ncondemned && nodes[i].session && below(4) == 0) {
			show(i, "is condemned");
			ncondemned++;
			node_tells(&nodes[i], MSG_CONDEMNED, "is broken");
			return 0;
		}
		/* fall through */
	default:
		show(i, "is cut off");
		nodes[i].s.cut = CUT_IN | CUT_OUT;
		break;
	}
	fates[i].until_ms = virtual_now + ms;
	return ms;
}

static void come_back(bool all)
{
	for (unsigned i = 0; i < nnodes; i++) {
		if (!fates[i].until_ms ||
		    (!all && fates[i].until_ms > virtual_now))
			continue;
		show(i, "is back");
		fates[i].until_ms = 0;
		fates[i].fit_ms = virtual_now + lease_ms + FIT_MS;
		nodes[i].stopped = false;
		stepped_heal(&nodes[i].s);
	}
}

static void pass_with_returns(uint64_t ms)
{
	uint64_t until = virtual_now + ms;

	while (virtual_now < until) {
		pass(100);
		come_back(false);
	}
}

/* Until all of the world run again; those who are out meanwhile come back in
 * their time. Returns how long that took. */
static uint64_t recover(unsigned nworld)
{
	uint64_t begun = virtual_now;

	while (!all_run(nworld)) {
		if (virtual_now - begun > 12 * lease_ms)
			fail_msg("nothing runs again (SEED=%u)",
				 wish("SEED", 1));
		pass_with_returns(100);
	}
	return virtual_now - begun;
}

static uint64_t play(unsigned n, unsigned losses, unsigned seed, long lease_s)
{
	unsigned nworld = n - NSPARES;
	uint64_t longest = 0;

	nodes_random = seed;
	nkilled = ncondemned = 0;
	memset(fates, 0, sizeof(fates));
	lease_ms = (uint64_t)lease_s * 1000;
	kill_ms = 3000;
	gathers = seed % 2;
	nodes_make(n, NSPARES, "replace+fail", "timeout=60", lease_s);
	for (unsigned i = 0; i < n; i++)
		node_begin(i);
	while (!host.lead) /* task 0's launcher has given its facts */
		pass(10);
	if (seed % 4 > 1)
		pass_until_run(nworld, 0, 5000);
	for (unsigned k = 0; k < losses; k++) {
		uint64_t ms;

		while (count_out() < NSPARES) {
			strike();
			if (below(3))
				break;
		}
		pass_with_returns(below((unsigned)lease_ms * 3));
		ms = below(4) ? recover(nworld) : 0;
		if (ms > longest)
			longest = ms;
	}
	come_back(true);
	/* a loss that hasn't been noticed yet */
	pass(3 * lease_ms);
	recover(nworld);
	finish();
	leave_with(0, 2 * lease_ms);
	if (!strchr("NW", host.last[0]) || host.last[1])
		fail_msg("srun hears '%s'", host.last);
	nodes_free();
	return longest;
}

static void small(void **state)
{
	unsigned seed = wish("SEED", 0), losses = wish("LOSSES", 10);

	(void)state;
	if (seed) {
		play(wish("NODES", 9), losses, seed, wish("LEASE", 15));
		return;
	}
	for (unsigned i = 1; i <= 12; i++) {
		if (getenv("SHOW"))
			fprintf(stderr, "seed %u\n", i);
		play(wish("NODES", 9), losses, i, i % 3 ? 15 : 5);
	}
}

/* The training ends well while nodes are lost and come back. Whatever becomes
 * of it, nobody stays. */
static void play_end(unsigned n, unsigned seed)
{
	uint64_t until;

	nodes_random = seed;
	nkilled = ncondemned = 0;
	memset(fates, 0, sizeof(fates));
	lease_ms = 5000;
	kill_ms = 3000;
	gathers = seed % 2;
	nodes_make(n, NSPARES, "replace+fail", "timeout=60", 5);
	for (unsigned i = 0; i < n; i++)
		node_begin(i);
	pass_until_run(n - NSPARES, 0, 5000);
	if (seed % 3 == 0)
		for (unsigned i = 0; i < n - NSPARES; i++)
			node_tells(&nodes[i], MSG_IDLE, "0");
	for (unsigned k = below(3) + 1; k; k--) {
		strike();
		pass(below(2) ? below(2000) : 0);
	}
	until = virtual_now + 400000;
	while (!all_left() && virtual_now < until) {
		pass(below(1000));
		come_back(false);
		if (below(3) == 0)
			finish();
	}
	if (!all_left())
		fail_msg("somebody stays (SEED=%u)", seed);
	nodes_free();
}

static void ends(void **state)
{
	unsigned seed = wish("SEED", 0);

	(void)state;
	for (unsigned i = seed ? seed : 1;
	     i <= (seed ? seed : wish("ENDS", 24)); i++) {
		if (getenv("SHOW"))
			fprintf(stderr, "seed %u\n", i);
		play_end(6, i);
	}
}

static double cpu_s(void)
{
	struct rusage u;

	getrusage(RUSAGE_SELF, &u);
	return (double)u.ru_utime.tv_sec + (double)u.ru_stime.tv_sec +
	       (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) / 1e6;
}

/* How long after a loss the next round runs, on the test's clock, and what all
 * launchers together compute for that, the test's loops included. */
static void large(void **state)
{
	unsigned n = wish("LARGE", 64), nworld = n - NSPARES, round = 0;
	double begun = cpu_s();

	(void)state;
	kill_ms = 0;
	gathers = false;
	nodes_make(n, NSPARES, "replace+fail", "timeout=60", 15);
	for (unsigned i = 0; i < n; i++)
		node_begin(i);
	pass_until_run(nworld, 0, 30000);
	print_message("%u launchers: start %.1f s CPU\n", n, cpu_s() - begun);
	for (unsigned i = 0; i < 4; i++) {
		/* any node, then the first one: stopped, then killed */
		unsigned who = i % 2 ? 0 + i / 2 : n / 2 + i;
		uint64_t ms;

		begun = cpu_s();
		pass(3000);
		if (getenv("LARGE"))
			print_message("%.2f s CPU in 3 s without a loss\n",
				      cpu_s() - begun);
		begun = cpu_s();
		nodes[who].dead = true;
		if (i > 1)
			node_ends(who);
		ms = pass_until_run(nworld, ++round, 18000);
		print_message("%s %s: %.1f s, %.1f s CPU\n",
			      i % 2 ? "the first" : "any",
			      i > 1 ? "killed" : "stopped", (double)ms / 1e3,
			      cpu_s() - begun);
	}
	finish();
	leave_with(0, 10000);
	for (unsigned i = 0; i < n; i++)
		nodes[i].dead = false;
	nodes_free();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ends),
		cmocka_unit_test(small),
		cmocka_unit_test(large),
	};
	struct rlimit files;

	getrlimit(RLIMIT_NOFILE, &files);
	files.rlim_cur = files.rlim_max;
	setrlimit(RLIMIT_NOFILE, &files);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
