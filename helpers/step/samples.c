/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/step/samples.h"

#include "core/base/array.h"
#include "core/facts/rows.h"
#include "helpers/sample/group.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define THREADS_MAX 4096
#define ENOUGH_IDLE 2
#define ENOUGH_BUSY 4

struct thread {
	long pid, tid, rank;
	uint64_t tool; /* of the first sample; hashes, as these: */
	uint64_t lines, functions;
	bool main, child, framed, busy;
	unsigned seen;	   /* in so many samples */
	unsigned compared; /* with the first one */
	bool left_line, left_function;
};

struct member {
	struct thread *thread;
	unsigned n, answers;
	long *busy; /* ranks */
	unsigned nbusy;
};

struct samples {
	unsigned n, count;
	bool held, starts;
	long blind;
	struct member member[];
};

struct samples *samples_new(unsigned n)
{
	struct samples *s = calloc(1, sizeof(*s) + n * sizeof(*s->member));

	if (s)
		s->n = n;
	return s;
}

void samples_free(struct samples *s)
{
	for (unsigned i = 0; s && i < s->n; i++) {
		free(s->member[i].thread);
		free(s->member[i].busy);
	}
	free(s);
}

/* --- who uses CPU --- */

static void add_busy(struct member *m, long rank)
{
	long *busy = array_append(&m->busy, m->nbusy, sizeof(*busy));

	if (busy)
		m->busy[m->nbusy++] = rank;
}

void samples_signs(struct samples *s, unsigned member, char *rows)
{
	struct member *m = &s->member[member];
	char *f[ROW_FIELDS];

	while (row_next(&rows, f))
		if (!strcmp(f[0], "sign") && !strcmp(f[3], "1") &&
		    m->nbusy < THREADS_MAX)
			add_busy(m, strtol(f[1], NULL, 10));
}

static bool is_busy(const struct member *m, long rank)
{
	for (unsigned i = 0; i < m->nbusy; i++)
		if (m->busy[i] == rank)
			return true;
	return false;
}

bool samples_is_busy(const struct samples *s, long rank)
{
	for (unsigned i = 0; i < s->n; i++)
		if (is_busy(&s->member[i], rank))
			return true;
	return false;
}

unsigned samples_nbusy(const struct samples *s)
{
	unsigned n = 0;

	for (unsigned i = 0; i < s->n; i++)
		n += s->member[i].nbusy;
	return n;
}

/* --- one sample --- */

#define HASH_EMPTY 14695981039346656037ULL /* FNV-1a */

static uint64_t hash(uint64_t h, const char *text)
{
	do
		h = (h ^ (unsigned char)*text) * 1099511628211ULL;
	while (*text++);
	return h;
}

static bool has_one(const char *text, const char *const words[])
{
	for (; *words; words++)
		if (strstr(text, *words))
			return true;
	return false;
}

/* A person has the program in hand. */
static bool is_debugger(const char *file)
{
	static const char *const files[] = {"/pdb.py",	 "/bdb.py", "/IPython/",
					    "/debugpy/", "/pydevd", "/pudb/",
					    NULL};

	return has_one(file, files) || !strcmp(file, "pdb.py") ||
	       !strcmp(file, "bdb.py");
}

/* What programs do before they work: import, compile, meet. */
static bool is_start(const char *function, const char *file)
{
	static const char *const files[] = {"<frozen importlib",
					    "/importlib/",
					    "/torch/_dynamo/",
					    "/torch/_inductor/",
					    "/triton/",
					    "/jax/_src/compiler",
					    "/torch/distributed/rendezvous",
					    NULL};

	return has_one(file, files) || !strcmp(function, "init_process_group");
}

static struct thread *find(struct member *m, const struct thread *t)
{
	for (unsigned i = 0; i < m->n; i++)
		if (m->thread[i].pid == t->pid && m->thread[i].tid == t->tid)
			return &m->thread[i];
	return NULL;
}

static struct thread *add(struct member *m, const struct thread *t)
{
	struct thread *new =
		m->n == THREADS_MAX
			? NULL
			: array_append(&m->thread, m->n, sizeof(*new));

	if (!new)
		return NULL;
	m->n++;
	*new = *t;
	return new;
}

/* Other threads than the main one are a library's, unless a tool for Python
 * shows them. */
static bool counts(const struct stack_proc *p, const struct thread *t)
{
	return t->main || (t->framed && !strncmp(p->tool, "py", 2));
}

static void note_thread(struct member *m, const struct thread *t)
{
	struct thread *first = find(m, t);

	if (!first) {
		first = add(m, t);
		if (!first)
			return;
		first->left_line = first->left_function = t->main && m->answers;
	} else if (first->tool == t->tool && first->framed == t->framed) {
		first->compared++;
		first->left_line |= first->lines != t->lines;
		first->left_function |= first->functions != t->functions;
	} else if (t->framed && !first->framed) {
		/* A tool hadn't come to its end: compare with this one */
		first->tool = t->tool;
		first->framed = true;
		first->lines = t->lines;
		first->functions = t->functions;
	}
	first->busy |= t->busy;
	first->seen++;
}

static void add_frame(struct samples *s, struct thread *t,
		      const struct stack_frame *f)
{
	char line[24];

	snprintf(line, sizeof(line), "%ld", f->line);
	t->functions = hash(hash(t->functions, f->function), f->file);
	t->lines = hash(hash(hash(t->lines, f->function), f->file), line);
	s->held |= is_debugger(f->file);
	if (!t->child && t->main)
		s->starts |= is_start(f->function, f->file);
}

/* Of what a tool can't show, its place in the kernel counts. */
static void read_thread(struct samples *s, struct member *m,
			const struct stack_proc *p,
			const struct stack_thread *thread)
{
	struct thread t = {
		.pid = p->pid,
		.tid = thread->tid,
		.rank = p->rank,
		.tool = hash(HASH_EMPTY, p->tool),
		.lines = HASH_EMPTY,
		.functions = HASH_EMPTY,
		.main = thread == p->thread,
		.child = p->child,
		.framed = thread->nframes,
		.busy = thread->state == 'R' || is_busy(m, p->rank),
	};

	for (unsigned i = 0; i < thread->nframes; i++)
		add_frame(s, &t, &thread->frame[i]);
	if (!t.framed)
		t.lines = t.functions = hash(HASH_EMPTY, thread->wchan);
	if (counts(p, &t))
		note_thread(m, &t);
}

void samples_begin(struct samples *s)
{
	s->count++;
}

static void read_procs(struct samples *s, struct member *m,
		       const struct stacks *stacks)
{
	const struct stack_proc *const *proc;
	unsigned n = stacks_procs(stacks, &proc);

	for (unsigned i = 0; i < n; i++) {
		s->held |= proc[i]->state == 't';
		for (unsigned k = 0; k < proc[i]->nthreads; k++)
			read_thread(s, m, proc[i], &proc[i]->thread[k]);
	}
}

/* A launcher that can't look has a row that says so alone. */
void samples_add(struct samples *s, unsigned member, const char *rows)
{
	struct member *m = &s->member[member];
	struct stacks *stacks = stacks_new();
	struct err unused;

	if (stacks && *rows && strncmp(rows, "unknown\n", 8) != 0 &&
	    strncmp(rows, "busy\n", 5) != 0 &&
	    stacks_add(stacks, "", rows, &unused) == 0) {
		read_procs(s, m, stacks);
		m->answers++;
	}
	stacks_free(stacks);
}

/* --- what they say --- */

static enum samples_verdict judge_thread(const struct member *m,
					 const struct thread *t)
{
	if (t->busy && !t->framed)
		return t->child ? SAMPLES_MOVES : SAMPLES_BLIND;
	if (t->busy ? t->left_function : t->left_line)
		return SAMPLES_MOVES;
	if (t->main && t->seen < m->answers)
		return SAMPLES_MOVES; /* it has ended */
	return t->compared || !t->main ? SAMPLES_HANG : SAMPLES_MORE;
}

/* Somebody who works decides; then who can't be known. */
static enum samples_verdict judge_member(struct samples *s,
					 const struct member *m)
{
	enum samples_verdict worst = SAMPLES_HANG;

	for (unsigned i = 0; i < m->n; i++) {
		enum samples_verdict v = judge_thread(m, &m->thread[i]);

		if (v == SAMPLES_MOVES)
			return v;
		if (v == SAMPLES_BLIND)
			s->blind = m->thread[i].rank;
		if (v == SAMPLES_BLIND ||
		    (v == SAMPLES_MORE && worst == SAMPLES_HANG))
			worst = v;
	}
	return m->answers < ENOUGH_IDLE && worst == SAMPLES_HANG ? SAMPLES_MORE
								 : worst;
}

static bool any_busy(const struct samples *s)
{
	for (unsigned i = 0; i < s->n; i++)
		for (unsigned k = 0; k < s->member[i].n; k++)
			if (s->member[i].thread[k].busy)
				return true;
	return false;
}

static enum samples_verdict judge_all(struct samples *s, const bool *wanted)
{
	enum samples_verdict worst = SAMPLES_HANG;

	s->blind = -1;
	for (unsigned i = 0; i < s->n; i++) {
		enum samples_verdict v =
			wanted[i] ? judge_member(s, &s->member[i])
				  : SAMPLES_HANG;

		if (v == SAMPLES_MOVES)
			return v;
		if (v == SAMPLES_BLIND ||
		    (v == SAMPLES_MORE && worst == SAMPLES_HANG))
			worst = v;
	}
	return worst;
}

enum samples_verdict samples_judge(struct samples *s, const bool *wanted)
{
	enum samples_verdict v;

	if (s->held)
		return SAMPLES_HELD;
	v = s->count < ENOUGH_IDLE ? SAMPLES_MORE : judge_all(s, wanted);
	if (v == SAMPLES_MORE)
		return s->count < SAMPLES_MAX ? v : SAMPLES_BLIND;
	if (v == SAMPLES_HANG && any_busy(s) && s->count < ENOUGH_BUSY)
		return SAMPLES_MORE;
	return v == SAMPLES_HANG && s->starts ? SAMPLES_STARTS : v;
}

unsigned samples_count(const struct samples *s)
{
	return s->count;
}

long samples_blind(const struct samples *s)
{
	return s->blind;
}
