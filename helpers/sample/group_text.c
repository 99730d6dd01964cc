/* SPDX-License-Identifier: Apache-2.0 */
/* A group as a line for a person. */
#include "core/base/text.h"
#include "helpers/sample/frame_kind.h"
#include "helpers/sample/group_state.h"

#include <stdio.h>
#include <string.h>

#define RANKS_SIZE 256

/* "0-4,6-7". Returns 0, or -1 when it is cut. */
static int put_ranks(const struct stack_group *group, char *buf, size_t size)
{
	int rc = 0;

	*buf = '\0';
	for (unsigned i = 0, last; i < group->n && rc == 0; i = last + 1) {
		long from = group->proc[i]->rank, to = from;
		size_t used = strlen(buf);

		for (last = i; last + 1 < group->n &&
			       group->proc[last + 1]->rank <= to + 1;
		     last++)
			to = group->proc[last + 1]->rank;
		rc = from == to ? text_add(buf, size, ",", "%ld", from)
				: text_add(buf, size, ",", "%ld-%ld", from, to);
		if (rc < 0)
			buf[used] = '\0';
	}
	return rc;
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
	int rc = put_ranks(g, ranks, sizeof(ranks));

	snprintf(buf, STACK_LINE_SIZE, "%u rank%s (%s%s%s%.64s)", g->n,
		 g->n == 1 ? "" : "s", ranks, rc < 0 ? ",..." : "",
		 g->n == 1 && *g->proc[0]->node ? ", " : "",
		 g->n == 1 ? g->proc[0]->node : "");
	if (g->does <= STACK_DISK)
		text_add(buf, STACK_LINE_SIZE, ": ", "%s", said[g->does]);
	add_place(buf, STACK_LINE_SIZE, g);
}
