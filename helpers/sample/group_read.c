/* SPDX-License-Identifier: Apache-2.0 */
/* Rows into processes, threads and frames. */
#include "helpers/sample/group_state.h"

#include "core/facts/rows.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static long number(const char *text)
{
	char *end;
	long n = strtol(text, &end, 10);

	return *text && !*end && n >= 0 && n < LONG_MAX ? n : 0;
}

/* How many rows begin with the word. */
static unsigned count(const char *rows, const char *word)
{
	size_t n = strlen(word);
	unsigned found = 0;

	for (const char *at = rows; at; at = strchr(at, '\n')) {
		at += *at == '\n';
		found += !strncmp(at, word, n) &&
			 (at[n] == '\t' || at[n] == '\n' || !at[n]);
	}
	return found;
}

static void free_rows(struct stack_rows *r)
{
	free(r->rows);
	free(r->node);
	free(r->proc);
	free(r->thread);
	free(r->frame);
	free(r);
}

static struct stack_rows *new_rows(const char *node, const char *rows)
{
	struct stack_rows *r = calloc(1, sizeof(*r));
	unsigned n = count(rows, "proc") + count(rows, "child") +
		     count(rows, "gone");

	if (!r)
		return NULL;
	r->rows = strdup(rows);
	r->node = strdup(node);
	r->proc = calloc(n + 1, sizeof(*r->proc));
	r->thread = calloc(count(rows, "thread") + 1, sizeof(*r->thread));
	r->frame = calloc(count(rows, "frame") + 1, sizeof(*r->frame));
	if (r->rows && r->node && r->proc && r->thread && r->frame)
		return r;
	free_rows(r);
	return NULL;
}

static void read_proc(struct stack_rows *r, char *const field[])
{
	bool gone = !strcmp(field[0], "gone");

	r->proc[r->nprocs++] = (struct stack_proc){
		.rank = number(field[1]),
		.pid = number(field[2]),
		.node = r->node,
		.world = r->world,
		.comm = field[3],
		.tool = field[4],
		.state = gone	     ? 'X'
			 : *field[5] ? *field[5]
				     : '?',
		.child = !strcmp(field[0], "child"),
	};
}

static void read_thread(struct stack_rows *r, char *const field[])
{
	struct stack_thread *t = &r->thread[r->nthreads];
	struct stack_proc *p = &r->proc[r->nprocs - 1];

	if (!p->nthreads)
		p->thread = t;
	p->nthreads++;
	r->nthreads++;
	*t = (struct stack_thread){
		.tid = number(field[1]),
		.name = field[2],
		.state = *field[3] ? *field[3] : '?',
		.wchan = field[4],
	};
}

static void read_frame(struct stack_rows *r, char *const field[])
{
	struct stack_frame *f = &r->frame[r->nframes];
	struct stack_thread *t = &r->thread[r->nthreads - 1];

	if (!t->nframes)
		t->frame = f;
	t->nframes++;
	r->nframes++;
	*f = (struct stack_frame){field[1], field[2], number(field[3])};
}

static void keep_note(struct stacks *s, const struct stack_rows *r,
		      const char *text)
{
	if (s->nnotes < STACK_NOTES &&
	    asprintf(&s->note[s->nnotes], "%s: %s%s%s", r->node, r->world,
		     *r->world ? ": " : "", text) >= 0)
		s->nnotes++;
}

/* A thread is of the process before it, a frame of the thread before it. */
static void read_rows(struct stacks *s, struct stack_rows *r)
{
	char *rest = r->rows, *field[ROW_FIELDS];
	bool threaded = false;

	r->world = "";
	while (row_next(&rest, field)) {
		if (!strcmp(field[0], "proc") || !strcmp(field[0], "child") ||
		    !strcmp(field[0], "gone")) {
			read_proc(r, field);
			threaded = false;
		} else if (!strcmp(field[0], "thread") && r->nprocs) {
			read_thread(r, field);
			threaded = true;
		} else if (!strcmp(field[0], "frame") && threaded) {
			read_frame(r, field);
		} else if (!strcmp(field[0], "note")) {
			keep_note(s, r, field[1]);
		} else if (!strcmp(field[0], "world")) {
			r->world = field[1];
		}
	}
}

static int keep_procs(struct stacks *s, const struct stack_rows *r)
{
	const struct stack_proc **all =
		realloc(s->proc, (s->nprocs + r->nprocs + 1) * sizeof(*all));

	if (!all)
		return -1;
	s->proc = all;
	for (unsigned i = 0; i < r->nprocs; i++)
		all[s->nprocs++] = &r->proc[i];
	return 0;
}

int stacks_add(struct stacks *s, const char *node, const char *rows,
	       struct err *err)
{
	struct stack_rows *r = new_rows(node, rows);

	if (!r)
		return err_memory(err);
	groups_clear(s);
	read_rows(s, r);
	r->next = s->told;
	s->told = r;
	return keep_procs(s, r) < 0 ? err_memory(err) : 0;
}

struct stacks *stacks_new(void)
{
	struct stacks *s = calloc(1, sizeof(*s));

	if (s)
		s->note = calloc(STACK_NOTES, sizeof(*s->note));
	if (s && s->note)
		return s;
	free(s);
	return NULL;
}

void stacks_free(struct stacks *s)
{
	if (!s)
		return;
	groups_clear(s);
	for (struct stack_rows *r = s->told, *next; r; r = next) {
		next = r->next;
		free_rows(r);
	}
	for (unsigned i = 0; i < s->nnotes; i++)
		free(s->note[i]);
	free(s->note);
	free(s->proc);
	free(s);
}

unsigned stacks_procs(const struct stacks *s,
		      const struct stack_proc *const **ret)
{
	*ret = s->proc;
	return s->nprocs;
}

unsigned stacks_notes(const struct stacks *s, const char *const **ret)
{
	*ret = (const char *const *)s->note;
	return s->nnotes;
}
