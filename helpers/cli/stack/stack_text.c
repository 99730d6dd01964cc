/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/cli/stack/stack_show.h"

#include "helpers/sample/stacks_print.h"

void stack_text(FILE *f, const struct stack_view *view, bool all)
{
	for (unsigned i = 0; i < view->ngroups; i++)
		stacks_print_group(f, view->stacks, &view->group[i], all);
	if (!view->ngroups)
		fprintf(f, "no rank of step %lu.%lu runs yet\n", view->job,
			view->step);
	stacks_print_notes(f, view->stacks);
	if (view->nanswered < view->nnodes)
		fprintf(f, "note: %u of %u nodes have answered\n",
			view->nanswered, view->nnodes);
}
