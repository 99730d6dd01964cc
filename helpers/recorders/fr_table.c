/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/recorders/fr_verdict.h"

#include "core/base/array.h"
#include "core/base/parse.h"
#include "core/facts/rows.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#define RANK_MAX 10000000

struct fr_table *fr_table_new(void)
{
	return calloc(1, sizeof(struct fr_table));
}

void fr_table_free(struct fr_table *v)
{
	if (!v)
		return;
	for (size_t i = 0; i < v->ntexts; i++)
		free(v->text[i]);
	free(v->text);
	free(v->dump);
	free(v->group);
	free(v->op);
	free(v);
}

unsigned fr_table_ndumps(const struct fr_table *v)
{
	return (unsigned)v->ndumps;
}

/* --- reading --- */

static bool is_rank(const char *text, unsigned *ret)
{
	long n;

	if (parse_number(text, 0, RANK_MAX, &n) < 0)
		return false;
	*ret = (unsigned)n;
	return true;
}

static long number(const char *text)
{
	long n;

	return parse_number(text, 0, LONG_MAX, &n) < 0 ? 0 : n;
}

static bool add_dump(struct fr_table *v, char *field[], unsigned rank)
{
	struct fr_dump *d = array_append(&v->dump, v->ndumps, sizeof(*d));

	if (!d)
		return false;
	*d = (struct fr_dump){rank, number(field[3]) > 0};
	v->ndumps++;
	return true;
}

static bool add_group(struct fr_table *v, char *field[], unsigned rank)
{
	struct fr_group *g = array_append(&v->group, v->ngroups, sizeof(*g));

	if (!g)
		return false;
	v->ngroups++;
	*g = (struct fr_group){
		.rank = rank,
		.name = field[2],
		.desc = field[3],
		.ranks = field[4],
		.done = number(field[5]),
		.entered = number(field[6]),
	};
	return true;
}

static bool add_op(struct fr_table *v, char *field[], unsigned rank)
{
	struct fr_op *op = array_append(&v->op, v->nops, sizeof(*op));

	if (!op)
		return false;
	v->nops++;
	*op = (struct fr_op){
		.rank = rank,
		.group = field[2],
		.p2p = !strcmp(field[3], "p2p"),
		.number = number(field[4]),
		.op = field[5],
		.sizes = field[6],
		.done = !strcmp(field[7], "done"),
		.file = field[9],
		.line = number(field[10]),
	};
	return true;
}

static const struct {
	const char *name;
	bool (*add)(struct fr_table *v, char *field[], unsigned rank);
} kinds[] = {
	{"dump", add_dump},
	{"group", add_group},
	{"op", add_op},
};

int fr_table_add(struct fr_table *v, const char *rows, struct err *err)
{
	char **text = array_append(&v->text, v->ntexts, sizeof(*text));
	char *field[ROW_FIELDS], *at = text ? strdup(rows) : NULL;
	unsigned rank;

	if (!at)
		return err_memory(err);
	*text = at;
	v->ntexts++;
	while (row_next(&at, field))
		for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
			if (!strcmp(field[0], kinds[i].name) &&
			    is_rank(field[1], &rank) &&
			    !kinds[i].add(v, field, rank))
				return err_memory(err);
	return 0;
}

/* --- looking up --- */

static int by_rank(const void *a, const void *b)
{
	const struct fr_dump *x = a, *y = b;

	return (x->rank > y->rank) - (x->rank < y->rank);
}

static int by_group(const void *a, const void *b)
{
	const struct fr_group *x = a, *y = b;
	int d = strcmp(x->name, y->name);

	return d ? d : (x->rank > y->rank) - (x->rank < y->rank);
}

/* By rank first: one rank's are together. */
static int by_op(const void *a, const void *b)
{
	const struct fr_op *x = a, *y = b;
	int d = (x->rank > y->rank) - (x->rank < y->rank);

	if (!d)
		d = strcmp(x->group, y->group);
	if (!d)
		d = x->p2p - y->p2p;
	return d ? d : (x->number > y->number) - (x->number < y->number);
}

void fr_table_sort(struct fr_table *v)
{
	sort_items(v->dump, v->ndumps, sizeof(*v->dump), by_rank);
	sort_items(v->group, v->ngroups, sizeof(*v->group), by_group);
	sort_items(v->op, v->nops, sizeof(*v->op), by_op);
}

const struct fr_op *fr_find_op(const struct fr_table *v, const char *group,
			       unsigned rank, long long number)
{
	struct fr_op like = {.rank = rank, .group = group, .number = number};

	return v->nops ? bsearch(&like, v->op, v->nops, sizeof(like), by_op)
		       : NULL;
}

bool fr_waits_outside(const struct fr_table *v, unsigned rank,
		      const char *group)
{
	size_t low = 0, high = v->nops;

	while (low < high) {
		size_t mid = (low + high) / 2;

		if (v->op[mid].rank < rank)
			low = mid + 1;
		else
			high = mid;
	}
	for (; low < v->nops && v->op[low].rank == rank; low++)
		if (!v->op[low].done && strcmp(v->op[low].group, group))
			return true;
	return false;
}

/* "[0, 1, 12]" */
bool fr_group_has(const struct fr_group *g, unsigned rank)
{
	const char *at = g->ranks;

	if (!*at)
		return !strcmp(g->desc, "default_pg");
	for (at++; *at; at++) {
		char *end;
		unsigned long n = strtoul(at, &end, 10);

		if (end == at)
			return false;
		if (n == rank)
			return true;
		at = end + strspn(end, ",");
		if (!*at)
			return false;
	}
	return false;
}
