/* SPDX-License-Identifier: Apache-2.0 */
/* A group as a line for a person. */
#include "core/base/text.h"
#include "helpers/sample/group_state.h"
#include "helpers/sample/stack_types.h"

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
	char ranks[RANKS_SIZE];

	ranges_text(ranks, sizeof(ranks), g->n, rank_at, g);
	snprintf(buf, STACK_LINE_SIZE, "%u rank%s (%s%s%.64s)", g->n,
		 g->n == 1 ? "" : "s", ranks,
		 g->n == 1 && *g->proc[0]->node ? ", " : "",
		 g->n == 1 ? g->proc[0]->node : "");
	if (g->does <= STACK_DISK)
		text_add(buf, STACK_LINE_SIZE, ": ", "%s", said[g->does]);
	add_place(buf, STACK_LINE_SIZE, g);
}
