/* SPDX-License-Identifier: Apache-2.0 */
/* Groups and stacks as text for a person. */
#include "core/base/text.h"
#include "helpers/sample/group_state.h"

#include <stdio.h>
#include <string.h>

#define RANKS_SIZE 256

static long rank_at(const void *group, size_t i)
{
	return ((const struct stack_group *)group)->proc[i]->rank;
}

/* "train train.py:31"; a native one has no line: "MPI_Barrier libmpi.so". */
static void add_frame(char *buf, size_t size, const char *separator,
		      const struct stack_frame *f)
{
	const char *file = strrchr(f->file, '/');

	file = file ? file + 1 : f->file;
	text_add(buf, size, separator, "%.120s", f->function);
	if (*file)
		text_add(buf, size, " ", "%.80s", file);
	if (*file && f->line)
		text_add(buf, size, ":", "%ld", f->line);
}

static void add_place(char *buf, size_t size, const struct stack_group *g)
{
	const struct stack_thread *t = stack_main(g->proc[0]);

	if (g->innermost)
		add_frame(buf, size, ": ", g->innermost);
	else if (t && t->nframes)
		add_frame(buf, size, ": ", &t->frame[0]);
	else if (g->does != STACK_GONE)
		text_add(buf, size, ": ", "%s%.60s, no frames",
			 t && *t->wchan ? "in the kernel's " : "it runs",
			 t ? t->wchan : "");
	if (g->own && g->own != g->innermost)
		add_frame(buf, size, " < ", g->own);
}

void stack_group_line(const struct stack_group *g, char buf[STACK_LINE_SIZE])
{
	static const char *const said[] = {
		[STACK_GONE] = "has ended",
		[STACK_STOPPED] = "stopped",
		[STACK_DISK] = "stuck in the kernel (state D)",
	};
	const char *world = g->proc[0]->world;
	char ranks[RANKS_SIZE];

	ranges_text(ranks, sizeof(ranks), g->n, rank_at, g);
	snprintf(buf, STACK_LINE_SIZE, "%u rank%s (%.64s%s%s%s%.64s)", g->n,
		 g->n == 1 ? "" : "s", world, *world ? ":" : "", ranks,
		 g->n == 1 && *g->proc[0]->node ? ", " : "",
		 g->n == 1 ? g->proc[0]->node : "");
	if (g->does <= STACK_DISK)
		text_add(buf, STACK_LINE_SIZE, ": ", "%s", said[g->does]);
	add_place(buf, STACK_LINE_SIZE, g);
}

/* --- several lines --- */

static void show_thread(FILE *f, const struct stack_thread *t)
{
	fprintf(f, "      thread %ld %s, %c%s%s\n", t->tid, t->name, t->state,
		*t->wchan ? ", in the kernel's " : "", t->wchan);
	for (unsigned i = 0; i < t->nframes; i++) {
		const struct stack_frame *frame = &t->frame[i];

		fprintf(f, "        %s", frame->function);
		if (*frame->file)
			fprintf(f, " %s", frame->file);
		if (frame->line)
			fprintf(f, ":%ld", frame->line);
		fputc('\n', f);
	}
}

static void show_proc(FILE *f, const struct stack_proc *p)
{
	if (p->state == 'X')
		return;
	fprintf(f, "    %s%s%s%ld, %s, pid %ld, %s, by %s:\n",
		p->child ? "child of " : "", p->world,
		*p->world ? ":" : "rank ", p->rank, p->node, p->pid, p->comm,
		p->tool);
	for (unsigned i = 0; i < p->nthreads; i++)
		show_thread(f, &p->thread[i]);
}

static void show_children(FILE *f, const struct stacks *s,
			  const struct stack_proc *of)
{
	const struct stack_proc *const *proc;
	unsigned n = stacks_procs(s, &proc);

	for (unsigned i = 0; i < n; i++)
		if (proc[i]->child && proc[i]->rank == of->rank &&
		    !strcmp(proc[i]->world, of->world))
			show_proc(f, proc[i]);
}

void stacks_print_group(FILE *f, const struct stacks *s,
			const struct stack_group *g, bool all)
{
	char line[STACK_LINE_SIZE];

	stack_group_line(g, line);
	fputs(line, f);
	if (g->suspect)
		fprintf(f, "  <- suspect: %s", g->why);
	fputc('\n', f);
	if (!all)
		return;
	show_proc(f, g->proc[0]);
	show_children(f, s, g->proc[0]);
}

/* What a note says, without whom it is about: "node2: rank 5, python3 (pid 7):
 * TEXT". */
static const char *said(const char *note)
{
	const char *at = strstr(note, "): ");

	return at ? at + 3 : note;
}

/* Ranks often have the same to say: the first one says it. */
void stacks_print_notes(FILE *f, const struct stacks *s)
{
	const char *const *note;
	unsigned n = stacks_notes(s, &note), alike;

	for (unsigned i = 0, k; i < n; i++) {
		for (k = 0; k < i && strcmp(said(note[k]), said(note[i]));)
			k++;
		if (k < i)
			continue;
		alike = 0;
		for (k = i + 1; k < n; k++)
			alike += !strcmp(said(note[k]), said(note[i]));
		fprintf(f, "note: %s", note[i]);
		if (alike)
			fprintf(f, " (and %u more)", alike);
		fputc('\n', f);
	}
}
