/* SPDX-License-Identifier: Apache-2.0 */
/* Who measures with whom, and who is named, on made-up networks. */
#include "helpers/check/pairs.h"

#include "tests/fixtures/unit.h"

#include <stdlib.h>

#define NODES_MAX 9

static const char *const name[NODES_MAX] = {"n0", "n1", "n2", "n3", "n4",
					    "n5", "n6", "n7", "n8"};

enum fault { WELL, SLOW, HALF, LOSSY, HANGS };

/* One node of a network with a fault. */
struct network {
	unsigned n, bad;
	enum fault fault;
	unsigned seed; /* of what differs from pair to pair */
};

static double noise(struct network *net)
{
	return 0.9 + 0.2 * rand_r(&net->seed) / RAND_MAX;
}

/* What `node` gets from `other`. */
static struct pair_figure measure(struct network *net, unsigned node,
				  unsigned other)
{
	struct pair_figure f = {.rate = 1e9 * noise(net)};

	if (node != net->bad && other != net->bad)
		return f;
	if (net->fault == SLOW)
		f.rate *= 0.05;
	if (net->fault == HALF)
		f.rate *= 0.36;
	if (net->fault == LOSSY)
		f = (struct pair_figure){f.rate * 0.5, 200};
	if (net->fault == HANGS)
		f.rate = 0;
	return f;
}

/* All stages. Nobody is in two pairs of a stage, nobody meets a node twice. */
static void run(struct network *net, struct pairs *p)
{
	bool met[NODES_MAX][NODES_MAX] = {{false}};
	struct pair pair[NODES_MAX];
	unsigned n, stages = 0;

	assert_int_equal(pairs_open(p, net->n), 0);
	while ((n = pairs_next(p, pair))) {
		bool busy[NODES_MAX] = {false};

		assert_true(++stages <= PAIR_STAGES);
		for (unsigned i = 0; i < n; i++) {
			unsigned a = pair[i].a, b = pair[i].b;
			struct pair_figure f;

			assert_true(a < net->n && b < net->n && a != b);
			assert_false(busy[a] || busy[b] || met[a][b]);
			busy[a] = busy[b] = met[a][b] = met[b][a] = true;
			assert_true(pairs_has(p, a) && pairs_has(p, b));
			f = measure(net, a, b);
			pairs_note(p, a, &f);
			/* One that hangs says nothing */
			if (net->fault == HANGS && b == net->bad)
				continue;
			f = measure(net, b, a);
			pairs_note(p, b, &f);
		}
	}
	if (net->n > 2)
		for (unsigned i = 0; i < net->n; i++)
			assert_true(p->node[i].nmet >= 2);
}

static enum pair_verdict named(struct network *net, char *text, size_t size)
{
	enum pair_verdict found = PAIR_WELL;
	struct pairs p;

	run(net, &p);
	for (unsigned i = 0; i < net->n; i++) {
		enum pair_verdict v = pairs_judge(&p, i, name, text, size);

		assert_true(v == PAIR_WELL || i == net->bad);
		if (i == net->bad)
			found = v;
	}
	if (found != PAIR_WELL)
		pairs_judge(&p, net->bad, name, text, size);
	pairs_close(&p);
	return found;
}

/* Each node of 3 to 9, each fault, 20 times: it and no other is named. */
static void the_bad_one_is_named(void **state)
{
	static const enum pair_verdict expected[] = {
		[WELL] = PAIR_WELL,    [SLOW] = PAIR_SLOW,
		[HALF] = PAIR_REMARK,  [LOSSY] = PAIR_LOSSY,
		[HANGS] = PAIR_BROKEN,
	};
	char text[512];

	(void)state;
	for (unsigned n = 3; n <= NODES_MAX; n++)
		for (unsigned bad = 0; bad < n; bad++)
			for (int fault = WELL; fault <= HANGS; fault++)
				for (unsigned seed = 0; seed < 20; seed++) {
					struct network net = {n, bad,
							      (enum fault)fault,
							      seed};

					assert_int_equal(
						named(&net, text, sizeof(text)),
						expected[fault]);
				}
}

/* Two bad ones of eight, who may have met each other first. */
static void two_bad_ones(void **state)
{
	struct network net = {.n = 8, .bad = 8};
	struct pair pair[NODES_MAX];
	char text[512];
	struct pairs p;
	unsigned n;

	(void)state;
	assert_int_equal(pairs_open(&p, net.n), 0);
	while ((n = pairs_next(&p, pair)))
		for (unsigned i = 0; i < n; i++) {
			bool bad = pair[i].a / 2 == 1 || pair[i].b / 2 == 1;
			struct pair_figure f = {.rate = bad ? 1e6 : 1e9};

			pairs_note(&p, pair[i].a, &f);
			pairs_note(&p, pair[i].b, &f);
		}
	for (unsigned i = 0; i < net.n; i++)
		assert_int_equal(pairs_judge(&p, i, name, text, sizeof(text)),
				 i == 2 || i == 3 ? PAIR_SLOW : PAIR_WELL);
	pairs_close(&p);
}

/* Of two nodes none can be told from the other. */
static void two_nodes(void **state)
{
	struct network net = {.n = 2, .bad = 1, .fault = SLOW};
	char text[512] = "";
	struct pairs p;

	(void)state;
	assert_int_equal(named(&net, text, sizeof(text)), PAIR_WELL);
	net.fault = HANGS;
	run(&net, &p);
	for (unsigned i = 0; i < 2; i++)
		assert_int_equal(pairs_judge(&p, i, name, text, sizeof(text)),
				 PAIR_BROKEN);
	assert_non_null(strstr(text, "n0 and n1 can't exchange data"));
	pairs_close(&p);
}

/* A network in which data passes only where `passes` says so; in one of both
 * directions where `half` does. */
static void run_cut(unsigned n, bool (*passes)(unsigned a, unsigned b),
		    bool half, struct pairs *p)
{
	const struct pair_figure none = {0}, good = {.rate = 1e9};
	struct pair pair[NODES_MAX];
	unsigned npairs;

	assert_int_equal(pairs_open(p, n), 0);
	while ((npairs = pairs_next(p, pair)))
		for (unsigned i = 0; i < npairs; i++) {
			bool ok = passes(pair[i].a, pair[i].b);

			pairs_note(p, pair[i].a, ok || half ? &good : &none);
			pairs_note(p, pair[i].b, ok ? &good : &none);
		}
}

static bool none_passes(unsigned a, unsigned b)
{
	(void)a, (void)b;
	return false;
}

static bool first_pair_passes(unsigned a, unsigned b)
{
	return a < 2 && b < 2;
}

/* Its text; "": well. */
static const char *judged(const struct pairs *p, unsigned node)
{
	static char text[512];

	*text = '\0';
	if (pairs_judge(p, node, name, text, sizeof(text)) == PAIR_WELL)
		assert_string_equal(text, "");
	else
		assert_string_not_equal(text, "");
	return text;
}

/* Nothing is usual where nobody has a figure: that isn't well. */
static void nobody_exchanges_anything(void **state)
{
	struct pairs p;

	(void)state;
	for (unsigned n = 3; n <= NODES_MAX; n++)
		for (int half = 0; half < 2; half++) {
			run_cut(n, none_passes, half, &p);
			assert_true(pairs_usual(&p) == 0);
			for (unsigned i = 0; i < n; i++)
				assert_string_equal(judged(&p, i), PAIRS_NONE);
			pairs_close(&p);
		}
}

/* The node in the middle of all has none, either. */
static void most_exchange_nothing(void **state)
{
	struct pairs p;

	(void)state;
	for (unsigned n = 3; n <= NODES_MAX; n++) {
		run_cut(n, first_pair_passes, false, &p);
		for (unsigned i = 0; i < n; i++)
			if (i < 2)
				assert_string_equal(judged(&p, i), "");
			else
				assert_non_null(strstr(
					judged(&p, i),
					"its network lets no data through: 0.0 "
					"MB/s with n"));
		pairs_close(&p);
	}
}

static void never_measured(void **state)
{
	struct pairs p;

	(void)state;
	assert_int_equal(pairs_open(&p, 4), 0);
	for (unsigned i = 0; i < 4; i++)
		assert_string_equal(judged(&p, i), PAIRS_NONE);
	pairs_close(&p);
}

/* A measurement in which nothing came through says nothing of packets. */
static void lost_packets_count_where_some_came(void **state)
{
	const struct pair_figure lossy = {1e9, 200}, good = {1e9, 0},
				 none = {0};
	struct pair pair[NODES_MAX];
	struct pairs p;
	unsigned n;

	(void)state;
	assert_int_equal(pairs_open(&p, 8), 0);
	while ((n = pairs_next(&p, pair)))
		for (unsigned i = 0; i < n; i++) {
			bool bad = pair[i].a == 3 || pair[i].b == 3;
			const struct pair_figure *f = !bad	     ? &good
						      : p.stage == 1 ? &none
								     : &lossy;

			pairs_note(&p, pair[i].a, f);
			pairs_note(&p, pair[i].b, f);
		}
	assert_non_null(strstr(judged(&p, 3), "loses packets: "));
	assert_string_equal(judged(&p, 2), "");
	pairs_close(&p);
}

static void what_is_said(void **state)
{
	struct network net = {.n = 4, .bad = 1, .fault = SLOW};
	char text[512];

	(void)state;
	named(&net, text, sizeof(text));
	assert_non_null(strstr(text, "its network is slow: "));
	assert_non_null(strstr(text, " MB/s with n0 and "));
	assert_non_null(strstr(text, "the limit is a quarter of that"));
	net.fault = LOSSY;
	named(&net, text, sizeof(text));
	assert_non_null(strstr(text, "loses packets: "));
	assert_non_null(strstr(text, "20 % of the packets had to be sent"));
	assert_non_null(strstr(text, "the limit is 5 %"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_bad_one_is_named),
		cmocka_unit_test(two_bad_ones),
		cmocka_unit_test(two_nodes),
		cmocka_unit_test(nobody_exchanges_anything),
		cmocka_unit_test(most_exchange_nothing),
		cmocka_unit_test(never_measured),
		cmocka_unit_test(lost_packets_count_where_some_came),
		cmocka_unit_test(what_is_said),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
