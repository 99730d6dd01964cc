/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/cli/stack/stack_show.h"

#include "helpers/sample/group.h"

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
		stacks_print_group(f, view->stacks, &view->group[i], all);
	if (!view->ngroups)
		fprintf(f, "no rank of step %lu.%lu runs yet\n", view->job,
			view->step);
	stacks_print_notes(f, view->stacks);
	if (view->answered->n < view->nnodes)
		show_answers(f, view);
}
