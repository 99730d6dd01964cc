/* SPDX-License-Identifier: Apache-2.0 */

#include "core/base/array.h"
#include "helpers/sample/group_state.h"

#include <stdlib.h>
#include <string.h>

#define ALIKE_FRAMES 64

/* What the main thread does; *ret_collective as in struct stack_group. */
static enum stack_does stack_does(const struct stack_proc *proc,
				  const char **ret_collective)
{
	const struct stack_thread *t = stack_main(proc);
	const struct stack_frame *collective = t ? frames_collective(t) : NULL;
	char state = t && t->state != '?' ? t->state : proc->state;

	*ret_collective = collective ? frame_name(collective) : NULL;
	if (strchr("XxZ", proc->state))
		return STACK_GONE;
	if (strchr("Tt", state))
		return STACK_STOPPED;
	if (state == 'D')
		return STACK_DISK;
	if (!t || !t->nframes)
		return STACK_UNKNOWN;
	return *ret_collective ? STACK_COLLECTIVE : STACK_ELSEWHERE;
}

/* --- which are alike --- */

static int compare_numbers(long a, long b)
{
	return (a > b) - (a < b);
}

static int compare_frames(const struct stack_frame *a,
			  const struct stack_frame *b)
{
	int rc = compare_numbers(a->line, b->line);

	if (!rc)
		rc = strcmp(a->function, b->function);
	return rc ? rc : strcmp(a->file, b->file);
}

static unsigned nframes(const struct stack_thread *t)
{
	return t->nframes < ALIKE_FRAMES ? t->nframes : ALIKE_FRAMES;
}

static int compare_threads(const struct stack_thread *a,
			   const struct stack_thread *b)
{
	int rc;

	if (!a || !b)
		return compare_numbers(a != NULL, b != NULL);
	rc = compare_numbers(nframes(a), nframes(b));
	for (unsigned i = 0; !rc && i < nframes(a); i++)
		rc = compare_frames(&a->frame[i], &b->frame[i]);
	return rc || a->nframes ? rc : strcmp(a->wchan, b->wchan);
}

/* <0, 0, >0: by what makes two main threads alike. */
static int compare_stacks(const struct stack_proc *a,
			  const struct stack_proc *b)
{
	const char *unused;
	int rc =
		compare_numbers(stack_does(a, &unused), stack_does(b, &unused));

	return rc ? rc : compare_threads(stack_main(a), stack_main(b));
}

static bool of_one_world(const struct stack_proc *a, const struct stack_proc *b)
{
	return !strcmp(a->world, b->world);
}

static int by_stack(const void *a, const void *b)
{
	const struct stack_proc *x = *(const struct stack_proc *const *)a;
	const struct stack_proc *y = *(const struct stack_proc *const *)b;
	int rc = strverscmp(x->world, y->world);

	rc = rc ? rc : compare_stacks(x, y);
	return rc ? rc : compare_numbers(x->rank, y->rank);
}

static int by_size(const void *a, const void *b)
{
	const struct stack_group *x = a, *y = b;
	int rc = compare_numbers(y->n, x->n);

	return rc ? rc : compare_numbers(x->proc[0]->rank, y->proc[0]->rank);
}

void groups_clear(struct stacks *s)
{
	free(s->group);
	free(s->rank);
	s->group = NULL;
	s->rank = NULL;
	s->ngroups = 0;
}

/* The programs alone, in `rank`. */
static unsigned find_ranks(const struct stacks *s,
			   const struct stack_proc **rank)
{
	unsigned n = 0;

	for (unsigned i = 0; i < s->nprocs; i++)
		if (!s->proc[i]->child)
			rank[n++] = s->proc[i];
	return n;
}

static void describe(struct stack_group *g)
{
	const struct stack_thread *t = stack_main(g->proc[0]);

	g->does = stack_does(g->proc[0], &g->collective);
	g->innermost = t ? frames_telling(t) : NULL;
	for (unsigned i = 0; t && i < t->nframes && !g->own; i++)
		if (frame_is_own(&t->frame[i]))
			g->own = &t->frame[i];
}

static unsigned cut_groups(struct stacks *s, unsigned nranks)
{
	unsigned n = 0;

	for (unsigned i = 0; i < nranks; i++) {
		struct stack_group *g = &s->group[n ? n - 1 : 0];

		if (!n || !of_one_world(s->rank[i - 1], s->rank[i]) ||
		    compare_stacks(s->rank[i - 1], s->rank[i]) != 0) {
			g = &s->group[n++];
			g->proc = &s->rank[i];
		}
		g->n++;
	}
	return n;
}

/* --- which is to blame --- */

/* Ranks that do so. */
static unsigned count_ranks(const struct stack_group *group, unsigned n,
			    enum stack_does does)
{
	unsigned sum = 0;

	for (unsigned i = 0; i < n; i++)
		sum += group[i].does == does ? group[i].n : 0;
	return sum;
}

static void blame(struct stack_group *group, unsigned n, enum stack_does does,
		  const char *why)
{
	for (unsigned i = 0; i < n; i++)
		if (group[i].does == does) {
			group[i].suspect = true;
			group[i].why = why;
		}
}

/* All but the largest, which has more ranks than the second one. */
static void blame_smaller(struct stack_group *group, unsigned n,
			  enum stack_does does, const char *why)
{
	unsigned most = 0, second = 0;

	for (unsigned i = 0; i < n; i++) {
		unsigned now = group[i].does == does ? group[i].n : 0;

		second = now > most ? most : now > second ? now : second;
		most = now > most ? now : most;
	}
	for (unsigned i = 0; i < n && most > second; i++)
		if (group[i].does == does && group[i].n < most) {
			group[i].suspect = true;
			group[i].why = why;
		}
}

static void judge_groups(struct stack_group *group, unsigned n)
{
	unsigned waiting = count_ranks(group, n, STACK_COLLECTIVE);

	blame(group, n, STACK_GONE, "has ended while others run");
	blame(group, n, STACK_STOPPED, "is stopped");
	blame(group, n, STACK_DISK, "is stuck in the kernel (state D)");
	for (unsigned i = 0; i < n; i++)
		if (group[i].suspect)
			return;
	if (waiting && count_ranks(group, n, STACK_ELSEWHERE))
		blame(group, n, STACK_ELSEWHERE,
		      "isn't in a collective, as others are");
	else if (waiting)
		blame_smaller(group, n, STACK_COLLECTIVE,
			      "is in another collective than most");
	else
		blame_smaller(group, n, STACK_ELSEWHERE,
			      "isn't where most ranks are");
}

/* --- all of it --- */

/* World by world: how many groups the one has that begins with `first`. */
static unsigned finish_world(struct stacks *s, unsigned first)
{
	struct stack_group *group = &s->group[first];
	unsigned n = 1;

	while (first + n < s->ngroups &&
	       of_one_world(group->proc[0], group[n].proc[0]))
		n++;
	sort_items(group, n, sizeof(*group), by_size);
	judge_groups(group, n);
	return n;
}

unsigned stacks_group(struct stacks *s, const struct stack_group **ret)
{
	unsigned n;

	groups_clear(s);
	*ret = NULL;
	s->rank = calloc(s->nprocs + 1, sizeof(*s->rank));
	s->group = calloc(s->nprocs + 1, sizeof(*s->group));
	if (!s->rank || !s->group)
		return 0;
	n = find_ranks(s, s->rank);
	sort_items(s->rank, n, sizeof(*s->rank), by_stack);
	s->ngroups = cut_groups(s, n);
	for (unsigned i = 0; i < s->ngroups; i++)
		describe(&s->group[i]);
	for (unsigned i = 0; i < s->ngroups;)
		i += finish_world(s, i);
	*ret = s->group;
	return s->ngroups;
}
