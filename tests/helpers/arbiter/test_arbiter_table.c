/* SPDX-License-Identifier: Apache-2.0 */
/* The arbiter's table as text, for people: doc/design/helpers-arbiter.md shows
 * it. And whether what an action may say is in it. */
#include "tests/fixtures/unit.h"

#include <stdio.h>
#include <stdlib.h>

static const struct row {
	const char *state, *event, *act, *next;
} rows[] = {
#define ROW(state, event, act, next) {#state, #event, #act, #next},
#include "helpers/arbiter/arbiter_table.def"
};

/* In the order in which the rows have them. */
struct names {
	const char *name[COUNT(rows)];
	size_t n;
};

static void add(struct names *names, const char *name)
{
	for (size_t i = 0; i < names->n; i++)
		if (!strcmp(names->name[i], name))
			return;
	names->name[names->n++] = name;
}

static const struct row *find(const char *state, const char *event)
{
	const struct row *found = NULL;

	for (size_t i = 0; i < COUNT(rows); i++) {
		if (strcmp(rows[i].state, state) ||
		    strcmp(rows[i].event, event))
			continue;
		assert_null(found); /* once */
		found = &rows[i];
	}
	return found;
}

/* A line for each event: the next state, "." for the same one, "-" where
 * nothing is done. */
static void print_matrix(FILE *f, const struct names *states,
			 const struct names *events)
{
	fprintf(f, "%-8s", "");
	for (size_t k = 0; k < states->n; k++)
		fprintf(f, " %8s", states->name[k]);
	for (size_t i = 0; i < events->n; i++) {
		fprintf(f, "\n%-8s", events->name[i]);
		for (size_t k = 0; k < states->n; k++) {
			const struct row *r =
				find(states->name[k], events->name[i]);
			bool stays = r && !strcmp(r->next, r->state);

			fprintf(f, " %8s", !r ? "-" : stays ? "." : r->next);
		}
	}
	fputc('\n', f);
}

static char *content(const char *path)
{
	const char *srcdir = getenv("srcdir");
	char name[512], *text = calloc(1, 100000);
	FILE *f;

	snprintf(name, sizeof(name), "%s/%s", srcdir ? srcdir : ".", path);
	f = fopen(name, "r");
	assert_non_null(f);
	assert_true(fread(text, 1, 99999, f) > 0);
	fclose(f);
	return text;
}

static void printed(void **state)
{
	struct names states = {.n = 0}, events = {.n = 0};
	char *text = NULL, *page = content("doc/design/helpers-arbiter.md");
	char *expected = content("tests/helpers/arbiter/table.expected");
	size_t n;
	FILE *f = open_memstream(&text, &n);

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		add(&states, rows[i].state);
		add(&events, rows[i].event);
	}
	print_matrix(f, &states, &events);
	fflush(f);
	if (!strstr(page, text))
		fail_msg("the page has another table than\n%s", text);
	for (size_t i = 0; i < COUNT(rows); i++)
		fprintf(f, "%s %s: %s, %s\n", rows[i].state, rows[i].event,
			rows[i].act, rows[i].next);
	fclose(f);
	if (strcmp(text, expected))
		fail_msg("table.expected isn't\n%s", text);
	free(expected);
	free(page);
	free(text);
}

/* What follows from an action that decides has a row in the state after it. */
static void complete(void **state)
{
	static const struct {
		const char *act, *event;
	} says[] = {
		{"begin_window", "TIME"},   {"judge", "RESTART"},
		{"judge", "DOWN"},	    {"judge", "FAIL"},
		{"judge_early", "RESTART"}, {"judge_early", "DOWN"},
		{"judge_early", "FAIL"},    {"judge_again", "RESTART"},
		{"call_off", "DOWN"},	    {"call_off", "FAIL"},
		{"look_who_came", "DOWN"},  {"look_who_came", "FAIL"},
		{"too_late", "ABANDON"},    {"too_late", "FAIL"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++)
		for (size_t k = 0; k < COUNT(says); k++)
			if (!strcmp(rows[i].act, says[k].act))
				assert_non_null(
					find(rows[i].next, says[k].event));
}

/* Who waits has an end to that. */
static void timed(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++)
		if (strcmp(rows[i].state, "OVER"))
			assert_non_null(find(rows[i].state, "TIME"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(printed),
		cmocka_unit_test(complete),
		cmocka_unit_test(timed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
