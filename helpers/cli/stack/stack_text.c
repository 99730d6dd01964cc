/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/cli/stack/stack_show.h"
#include "helpers/cli/stack_groups.h"

#include <string.h>

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
	fprintf(f, "    %srank %ld, %s, pid %ld, %s, by %s:\n",
		p->child ? "child of " : "", p->rank, p->node, p->pid, p->comm,
		p->tool);
	for (unsigned i = 0; i < p->nthreads; i++)
		show_thread(f, &p->thread[i]);
}

static void show_children(FILE *f, const struct stacks *s, long rank)
{
	const struct stack_proc *const *proc;
	unsigned n = stacks_procs(s, &proc);

	for (unsigned i = 0; i < n; i++)
		if (proc[i]->child && proc[i]->rank == rank)
			show_proc(f, proc[i]);
}

static void show_group(FILE *f, const struct stack_view *view,
		       const struct stack_group *g, bool all)
{
	group_print(f, "", g);
	if (!all)
		return;
	show_proc(f, g->proc[0]);
	show_children(f, view->stacks, g->proc[0]->rank);
}

static void show_names(FILE *f, const char *what,
		       const struct node_names *nodes)
{
	char text[NODE_NAMES_SIZE];

	if (nodes->n)
		fprintf(f, "%s %s", what, node_names_text(nodes, 0, text));
}

static void show_answers(FILE *f, const struct stack_view *view)
{
	fprintf(f, "note: %u of %u nodes have answered", view->answered->n,
		view->nnodes);
	show_names(f, "; no answer from", view->silent);
	show_names(f, "; not here:", view->away);
	fputc('\n', f);
}

void stack_text(FILE *f, const struct stack_view *view, bool all)
{
	for (unsigned i = 0; i < view->ngroups; i++)
		show_group(f, view, &view->group[i], all);
	if (!view->ngroups)
		fprintf(f, "no rank of step %lu.%lu runs yet\n", view->job,
			view->step);
	group_notes(f, "", view->stacks);
	if (view->answered->n < view->nnodes)
		show_answers(f, view);
}
