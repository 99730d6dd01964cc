/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The numbers of collectives count the same in all ranks of a group. A rank
 * whose last number is N - 1 hasn't entered number N; when others have entered
 * it and wait there, it holds them up, unless it waits for somebody itself.
 */
#include "helpers/recorders/fr_verdict.h"

#include "core/base/array.h"
#include "core/base/text.h"

#include <stdlib.h>
#include <string.h>

#define TEXT_SIZE 201 /* of ranks */

/* Ranks in rising order, of a step of any size. */
struct ranks {
	unsigned *rank;
	size_t n;
};

/* Keeps the order; a rank that is there isn't added again. false: out of
 * memory. */
static bool ranks_add(struct ranks *r, unsigned rank)
{
	size_t at = r->n;

	if (!array_append(&r->rank, r->n, sizeof(*r->rank)))
		return false;
	while (at && r->rank[at - 1] > rank)
		at--;
	if (at && r->rank[at - 1] == rank)
		return true;
	memmove(r->rank + at + 1, r->rank + at, (r->n - at) * sizeof(*r->rank));
	r->rank[at] = rank;
	r->n++;
	return true;
}

static long rank_at(const void *ranks, size_t i)
{
	return ((const struct ranks *)ranks)->rank[i];
}

/* "0-2,7", freed by the caller; what is longer ends with "...". NULL: out of
 * memory. */
static char *ranks_text(const struct ranks *r)
{
	char *text = malloc(TEXT_SIZE);

	if (text)
		ranges_text(text, TEXT_SIZE, r->n, rank_at, r);
	return text;
}

struct search {
	struct fr_table *v;
	const struct fr_group *group; /* rows of one group */
	size_t n;
	long long number; /* of the collective in question */
	struct ranks late, waiting, other;
	const struct fr_op *in, *elsewhere; /* of a waiting rank; of another */
	struct fr_finding *finding;
	unsigned nfindings;
};

static void clear(struct search *s)
{
	s->late.n = s->waiting.n = s->other.n = 0;
	s->in = s->elsewhere = NULL;
}

/* --- who is where --- */

/* Ranks whose dump doesn't name the group have entered nothing of it, if they
 * are of the group and their buffer has lost nothing. */
static bool add_silent(struct search *s, long long *lowest)
{
	const struct fr_table *v = s->v;
	const struct fr_group *g = s->group;
	size_t k = 0;

	for (size_t i = 0; i < v->ndumps; i++) {
		unsigned rank = v->dump[i].rank;

		while (k < s->n && g[k].rank < rank)
			k++;
		if ((k < s->n && g[k].rank == rank) || v->dump[i].lost ||
		    !fr_group_has(g, rank))
			continue;
		if (!ranks_add(&s->late, rank))
			return false;
		*lowest = 0;
	}
	return true;
}

static bool add_late(struct search *s, long long lowest)
{
	for (size_t i = 0; i < s->n; i++)
		if (s->group[i].entered == lowest &&
		    !ranks_add(&s->late, s->group[i].rank))
			return false;
	return true;
}

static bool add_waiting(struct search *s)
{
	for (size_t i = 0; i < s->n; i++) {
		const struct fr_op *op = fr_find_op(
			s->v, s->group[i].name, s->group[i].rank, s->number);

		if (!op || op->done)
			continue;
		if (!s->in)
			s->in = op;
		if (!ranks_add(&s->waiting, op->rank))
			return false;
	}
	return true;
}

/* --- findings --- */

static bool add_finding(struct search *s, enum fr_finding_kind kind,
			const struct ranks *ranks)
{
	const struct fr_op *in = s->in, *out = s->elsewhere;
	struct fr_finding *f = &s->finding[s->nfindings];
	char *who = ranks_text(ranks);
	char *waiting = ranks_text(&s->waiting);

	if (s->nfindings == FR_FINDINGS_MAX || !who || !waiting) {
		free(who);
		free(waiting);
		return s->nfindings == FR_FINDINGS_MAX;
	}
	*f = (struct fr_finding){
		.kind = kind,
		.group = in->group,
		.desc = s->n ? s->group->desc : "",
		.number = in->number,
		.op = in->op,
		.sizes = in->sizes,
		.file = in->file,
		.line = in->line,
		.other_op = out ? out->op : "",
		.other_sizes = out ? out->sizes : "",
		.other_file = out ? out->file : "",
		.other_line = out ? out->line : 0,
		.ranks = who,
		.waiting = waiting,
		.nranks = (unsigned)ranks->n,
		.nwaiting = (unsigned)s->waiting.n,
	};
	s->nfindings++;
	return true;
}

static bool waits_elsewhere(const struct search *s)
{
	for (size_t i = 0; i < s->late.n; i++)
		if (!fr_waits_outside(s->v, s->late.rank[i], s->in->group))
			return false;
	return s->late.n > 0;
}

static bool find_late(struct search *s, long long lowest)
{
	for (size_t i = 0; i < s->late.n && !s->elsewhere; i++)
		s->elsewhere =
			fr_find_op(s->v, s->in->group, s->late.rank[i], lowest);
	if (!add_finding(s, FR_LATE, &s->late))
		return false;
	s->finding[s->nfindings - 1].derived = waits_elsewhere(s);
	return true;
}

/* The sizes of these are the same in all ranks. */
static bool has_one_size(const char *op)
{
	return !strcmp(op, "all_reduce") || !strcmp(op, "allreduce") ||
	       !strcmp(op, "broadcast");
}

static bool is_same(const struct fr_op *a, const struct fr_op *b)
{
	return !strcmp(a->op, b->op) &&
	       (!has_one_size(a->op) || !strcmp(a->sizes, b->sizes));
}

static size_t count_same(const struct search *s, const struct fr_op *like)
{
	size_t n = 0;

	for (size_t i = 0; i < s->waiting.n; i++)
		n += is_same(like, fr_find_op(s->v, like->group,
					      s->waiting.rank[i], s->number));
	return n;
}

/* All have entered it: split `waiting` into those of the op that most are in,
 * and the others. */
static bool split(struct search *s)
{
	struct ranks all = s->waiting;
	const struct fr_op *most = s->in;
	bool fits = true;

	for (size_t i = 0; i < all.n && i < FR_FINDINGS_MAX; i++) {
		const struct fr_op *op =
			fr_find_op(s->v, s->in->group, all.rank[i], s->number);

		if (count_same(s, op) > count_same(s, most))
			most = op;
	}
	s->waiting = (struct ranks){0};
	for (size_t i = 0; i < all.n; i++) {
		const struct fr_op *op =
			fr_find_op(s->v, s->in->group, all.rank[i], s->number);

		if (!is_same(op, most) && !s->elsewhere)
			s->elsewhere = op;
		fits = fits &&
		       ranks_add(is_same(op, most) ? &s->waiting : &s->other,
				 op->rank);
	}
	s->in = most;
	free(all.rank);
	return fits;
}

static bool find_together(struct search *s)
{
	if (!split(s))
		return false;
	return s->other.n ? add_finding(s, FR_MISMATCH, &s->other)
			  : add_finding(s, FR_TOGETHER, &s->waiting);
}

static bool find_in_group(struct search *s)
{
	long long lowest = s->group[0].entered, highest = lowest;

	clear(s);
	for (size_t i = 1; i < s->n; i++) {
		if (s->group[i].entered < lowest)
			lowest = s->group[i].entered;
		if (s->group[i].entered > highest)
			highest = s->group[i].entered;
	}
	if (!add_silent(s, &lowest) || !add_late(s, lowest))
		return false;
	s->number = lowest < highest ? lowest + 1 : lowest;
	if (!add_waiting(s))
		return false;
	if (!s->in)
		return true;
	return lowest < highest ? find_late(s, lowest) : find_together(s);
}

static bool is_found(const struct search *s, const struct fr_op *op)
{
	for (unsigned i = 0; i < s->nfindings; i++) {
		const struct fr_finding *f = &s->finding[i];

		if (f->kind == FR_P2P &&
		    strtoul(f->ranks, NULL, 10) == op->rank &&
		    !strcmp(f->group, op->group) && !strcmp(f->op, op->op) &&
		    !strcmp(f->file, op->file) && f->line == op->line)
			return true;
	}
	return false;
}

/* Each send and recv that waits; those of one text are one finding. */
static bool find_p2p(struct search *s)
{
	const struct fr_table *v = s->v;

	s->n = 0;
	for (size_t i = 0; i < v->nops; i++) {
		const struct fr_op *op = &v->op[i];

		if (!op->p2p || op->done || is_found(s, op))
			continue;
		clear(s);
		s->in = op;
		if (!ranks_add(&s->late, op->rank) ||
		    !add_finding(s, FR_P2P, &s->late))
			return false;
	}
	return true;
}

/* What others wait for stands before what only follows from it. */
static int place_of(const struct fr_finding *f)
{
	switch (f->kind) {
	case FR_LATE:
		return f->derived ? 3 : 0;
	case FR_MISMATCH:
		return 1;
	case FR_P2P:
		return 2;
	default:
		return 4;
	}
}

static int by_place(const void *a, const void *b)
{
	const struct fr_finding *x = a, *y = b;
	int d = place_of(x) - place_of(y);

	return d ? d : (int)y->nwaiting - (int)x->nwaiting;
}

static bool find_all(struct search *s)
{
	struct fr_table *v = s->v;
	bool fits = true;

	for (size_t i = 0; fits && i < v->ngroups; i += s->n) {
		s->group = &v->group[i];
		for (s->n = 1; i + s->n < v->ngroups; s->n++)
			if (strcmp(s->group[s->n].name, s->group->name))
				break;
		fits = find_in_group(s);
	}
	return fits && find_p2p(s);
}

int fr_verdict_find(struct fr_table *v,
		    void (*found)(void *arg, const struct fr_finding *finding),
		    void *arg, struct err *err)
{
	struct fr_finding finding[FR_FINDINGS_MAX];
	struct search s = {.v = v, .finding = finding};
	bool fits;

	fr_table_sort(v);
	fits = find_all(&s);
	sort_items(finding, s.nfindings, sizeof(*finding), by_place);
	for (unsigned i = 0; i < s.nfindings; i++) {
		if (fits)
			found(arg, &finding[i]);
		free((char *)finding[i].ranks);
		free((char *)finding[i].waiting);
	}
	free(s.late.rank);
	free(s.waiting.rank);
	free(s.other.rank);
	return fits ? (int)s.nfindings : err_memory(err);
}
