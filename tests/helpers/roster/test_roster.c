/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/roster/roster.h"

#include "tests/fixtures/unit.h"

static char said[4096];

static void say(void *arg, const char *line)
{
	(void)arg;
	strncat(said, line, sizeof(said) - strlen(said) - 1);
}

static void open_with(struct roster *r, unsigned nnodes, unsigned nspares,
		      const char *text)
{
	struct roster_options o = {
		.nnodes = nnodes, .nspares = nspares, .names = "node[0-99]"};
	struct ladder ladder;
	struct err err;

	o.ladder = &ladder;
	assert_int_equal(ladder_parse(text, &ladder, &err), 0);
	assert_int_equal(roster_open(&o, r, &err), 0);
}

static void all_come(struct roster *r)
{
	for (unsigned i = 0; i < r->nnodes; i++)
		roster_come(r, i);
}

/* What one event letter and node does: "l2" lost, "c2" condemned, "h2" here
 * again, "." the round begins. */
static enum roster_answer play(struct roster *r, const char *events, char *ret,
			       size_t size)
{
	enum roster_answer answer = ROSTER_SAME;
	struct places places = {0};

	for (const char *at = events; *at; at++) {
		unsigned node = (unsigned)(at[1] - '0');

		if (*at == 'l')
			roster_lose(r, node);
		else if (*at == 'c')
			roster_condemn(r, node, "has 3 of 4 GPUs");
		else if (*at == 'h')
			roster_come(r, node);
		if (*at != '.') {
			at++;
			continue;
		}
		answer = roster_decide(r, &places);
		*said = '\0';
		roster_say(r, answer, places.n ? &places : NULL, 1, say, NULL);
		if (answer <= ROSTER_PLACES)
			roster_take(r, &places);
	}
	if (answer <= ROSTER_PLACES) {
		char *text = places_text(&r->places);

		snprintf(ret, size, "%s", text);
		free(text);
	} else {
		snprintf(ret, size, "%s",
			 answer == ROSTER_FAIL ? "fail" : "requeue");
	}
	return answer;
}

static void tables(void **state)
{
	static const struct {
		unsigned nnodes, nspares;
		const char *ladder, *events, *places;
	} cases[] = {
		{5, 1, "replace+fail", ".", "0-3"},
		{5, 1, "replace+fail", "l2.", "0-1,4,3"},
		{5, 1, "replace+fail", "c2.", "0-1,4,3"},
		{5, 1, "replace+fail", "l4.", "0-3"}, /* the spare itself */
		{5, 1, "replace+fail", "l4l2.", "fail"},
		{5, 1, "replace+fail", "l2.h2l0.", "2,1,4,3"},
		{5, 1, "replace+fail", "l2h2.", "0-3"}, /* back in time */
		{5, 1, "replace+fail", "c2h2.", "0-1,4,3"},
		{5, 1, "replace+fail", "c2.h2l0.", "fail"},
		{5, 1, "replace+fail", "l2l1.", "fail"},
		{6, 2, "replace+fail", "l2l1.", "0,4-5,3"},
		{6, 2, "replace+fail", "l4l1.", "0,5,2-3"},
		{6, 2, "replace+fail", "l1.l4.", "0,5,2-3"},
		{5, 1, "replace+requeue", "l2l1.", "requeue"},
		{5, 1, "requeue", "l2.", "requeue"},
		{5, 1, "fail", "l2.", "fail"},
		{5, 1, "shrink:3+fail", "l2.", "0-1,3"},
		{5, 1, "shrink:4+fail", "l2.", "fail"},
		{5, 1, "replace+shrink:3", "l2l1.", "0,4,3"},
		{5, 1, "replace+shrink:4", "l2l1.", "fail"},
		{5, 0, "replace+shrink:2", "l2.l0.h2l1.", "2-4"},
		{5, 0, "shrink:2", "l2.l0.h2.", "1,3-4"},
		{2, 0, "shrink:1", "l0l1.", "fail"},
		{1, 0, "shrink:1", "l0.", "fail"},
	};
	char got[64];

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct roster r;

		open_with(&r, cases[i].nnodes, cases[i].nspares,
			  cases[i].ladder);
		all_come(&r);
		play(&r, cases[i].events, got, sizeof(got));
		if (strcmp(got, cases[i].places) != 0)
			fail_msg("%zu: %s after %s, not %s", i, got,
				 cases[i].events, cases[i].places);
		roster_close(&r);
	}
}

static void lines(void **state)
{
	struct roster r;
	char got[64];

	(void)state;
	open_with(&r, 6, 2, "replace+shrink:2+fail");
	all_come(&r);
	play(&r, "l2.", got, sizeof(got));
	assert_string_equal(said, "dist-train: node2 is lost: node4, a spare, "
				  "takes its place as node rank 2; round 1, 1 "
				  "spare is left\n");
	play(&r, "c0l3h3.", got, sizeof(got));
	assert_string_equal(said, "dist-train: node0 has 3 of 4 GPUs: node5, a "
				  "spare, takes its place as node rank 0; "
				  "round 1, 0 spares are left\n"
				  "dist-train: node3 was lost, and is back: it "
				  "stays node rank 3; round 1\n");
	play(&r, "l3.", got, sizeof(got));
	assert_string_equal(said, "dist-train: node3 is lost: the world "
				  "shrinks from 4 nodes to 3; round 1\n");
	assert_string_equal(got, "5,1,4");
	play(&r, "l1l5.", got, sizeof(got));
	assert_non_null(strstr(
		said, "dist-train: node5 is lost, and nothing can take its "
		      "place: the step fails "
		      "(on-node-loss=replace+shrink:2+fail)\n"));
	roster_close(&r);
}

/* Who hasn't come counts neither as lost nor as a spare, until nobody waits. */
static void absent(void **state)
{
	struct places places;
	struct roster r;

	(void)state;
	open_with(&r, 4, 1, "replace+fail");
	roster_come(&r, 0);
	roster_come(&r, 1);
	assert_int_equal(roster_decide(&r, &places), ROSTER_SAME);
	places_clear(&places);
	roster_lose(&r, 0);
	assert_int_equal(roster_decide(&r, &places), ROSTER_FAIL);
	roster_come(&r, 0);
	roster_come(&r, 3);
	assert_int_equal(roster_count_spares(&r), 1);
	assert_int_equal(roster_wait_no_more(&r), 1);
	assert_int_equal(roster_decide(&r, &places), ROSTER_PLACES);
	assert_int_equal(places.node[2], 3);
	roster_take(&r, &places);
	assert_int_equal(roster_count_spares(&r), 0);
	assert_int_not_equal(places_of(&r.places, 3), PLACE_NONE);
	assert_int_equal(places_of(&r.places, 2), PLACE_NONE);
	roster_close(&r);
}

/* --- against a plain model --- */

#define NODES 12
static unsigned seed = 16;

static unsigned random_below(unsigned n)
{
	seed = seed * 1103515245 + 12345;
	return (seed >> 16) % n;
}

/* What must hold whatever has happened. */
static void check_places(const struct places *before, const struct places *now,
			 const bool *here, unsigned min)
{
	bool seen[NODES] = {false};

	assert_true(now->n >= min);
	for (unsigned i = 0; i < now->n; i++) {
		assert_true(here[now->node[i]]);
		assert_false(seen[now->node[i]]);
		seen[now->node[i]] = true;
	}
	for (unsigned i = 0; i < before->n && now->n == before->n; i++)
		if (here[before->node[i]])
			assert_int_equal(now->node[i], before->node[i]);
	for (unsigned i = 0; i < before->n; i++)
		if (here[before->node[i]])
			assert_true(seen[before->node[i]]);
}

static void play_randomly(unsigned nspares, const char *ladder, unsigned min)
{
	bool here[NODES], out[NODES] = {false};
	struct roster r;
	struct places next, before;

	open_with(&r, NODES, nspares, ladder);
	all_come(&r);
	memset(here, true, sizeof(here));
	for (unsigned round = 0; round < 50; round++) {
		unsigned nhere = 0, taken = 0;
		enum roster_answer answer;

		for (unsigned k = random_below(5); k > 0; k--) {
			unsigned i = random_below(NODES);

			if (random_below(3)) {
				roster_lose(&r, i);
				here[i] = false;
			} else if (random_below(8) == 0) {
				roster_condemn(&r, i, "x");
				out[i] = true;
				here[i] = false;
			} else {
				roster_come(&r, i);
				here[i] = !out[i];
			}
		}
		for (unsigned i = 0; i < NODES; i++)
			nhere += here[i];
		for (unsigned i = 0; i < r.places.n; i++)
			taken += here[r.places.node[i]];
		answer = roster_decide(&r, &next);
		if (answer > ROSTER_PLACES) {
			assert_true(nhere < r.places.n);
			assert_true(!min || nhere < min || !nhere);
			break;
		}
		assert_int_equal(answer == ROSTER_SAME, taken == r.places.n);
		if (min == 0)
			assert_int_equal(next.n, NODES - nspares);
		before = r.places;
		r.places = (struct places){0};
		check_places(&before, &next, here, min);
		places_clear(&before);
		roster_take(&r, &next);
	}
	roster_close(&r);
}

/* With an order by blocks a spare of the lost node's block comes first. */
static void blocks(void **state)
{
	static const struct {
		const char *order, *lost, *expected;
	} cases[] = {
		{"0,2,4;1,3,5", "l1.", "0,2,4,3"},
		{"0,2;1,3,4,5", "l2.", "0,4,1,3"},
		{"0,2;1,3,4,5", "l1.", "0,2,4,3"},
		{"0,3;1,4;2,5", "l1.", "0,3,2,4"},
		{"0,3;1,4;2,5", "l0l4.", "2-3,1,5"},
		{"0,3;1-2,5;4", "l2.", "0,3,1,5"},
		{"0,3;1-2,5;4", "l0.", "4,3,1-2"},
		{"0,3;1-2,5;4", "l0l1.", "4,3,5,2"},
		{"0,3;1-2,4;5", "l0l1.", "5,3-4,2"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct ladder ladder;
		struct roster_options o = {.nnodes = 6,
					   .nspares = 2,
					   .order = cases[i].order,
					   .ladder = &ladder};
		struct roster r;
		struct err err;
		char text[64];

		assert_int_equal(ladder_parse("replace+fail", &ladder, &err),
				 0);
		assert_int_equal(roster_open(&o, &r, &err), 0);
		all_come(&r);
		assert_int_equal(play(&r, cases[i].lost, text, sizeof(text)),
				 ROSTER_PLACES);
		assert_string_equal(text, cases[i].expected);
		roster_close(&r);
	}
}

static void randomly(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 2000; i++) {
		play_randomly(1 + i % 5, "replace+fail", 0);
		play_randomly(i % 5, "replace+shrink:3+fail", 3);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tables),   cmocka_unit_test(lines),
		cmocka_unit_test(absent),   cmocka_unit_test(blocks),
		cmocka_unit_test(randomly),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
