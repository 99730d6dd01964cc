/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/cli/groups_json.h"

static const char *const does[] = {
	[STACK_GONE] = "ended",
	[STACK_STOPPED] = "stopped",
	[STACK_DISK] = "kernel",
	[STACK_ELSEWHERE] = "elsewhere",
	[STACK_COLLECTIVE] = "collective",
	[STACK_UNKNOWN] = "unknown",
};

void json_frame(struct json *j, const char *name, const struct stack_frame *f)
{
	if (!f)
		return;
	json_open(j, name, '{');
	json_add(j, "function:%s file?:%s line?:%u}", f->function, f->file,
		 (unsigned)f->line);
}

static void put_group(struct json *j, const struct stack_group *g)
{
	char line[STACK_LINE_SIZE];

	stack_group_line(g, line);
	json_add(j, "world?:%s ranks:[", g->proc[0]->world);
	for (unsigned i = 0; i < g->n; i++)
		json_add(j, "%d", (int)g->proc[i]->rank);
	json_add(j, "] does:%s collective?:%s", does[g->does], g->collective);
	json_frame(j, "innermost", g->innermost);
	json_frame(j, "own", g->own);
	json_add(j, "suspect:%i why?:%s text:%s", g->suspect,
		 g->suspect ? g->why : NULL, line);
}

void json_groups(struct json *j, const struct stack_group *group, unsigned n)
{
	json_add(j, "groups:[");
	for (unsigned i = 0; i < n; i++) {
		json_add(j, "{");
		put_group(j, &group[i]);
		json_add(j, "}");
	}
	json_add(j, "]");
}
