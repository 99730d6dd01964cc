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

bool json_fill_frame(cJSON *to, const struct stack_frame *f)
{
	return to && json_add_text(to, "function", f->function) &&
	       (!*f->file || json_add_text(to, "file", f->file)) &&
	       (!f->line || json_add_number(to, "line", (double)f->line));
}

static bool add_frame(cJSON *to, const char *name, const struct stack_frame *f)
{
	return !f || json_fill_frame(cJSON_AddObjectToObject(to, name), f);
}

static bool add_ranks(cJSON *to, const struct stack_group *g)
{
	cJSON *ranks = cJSON_AddArrayToObject(to, "ranks");
	bool ok = ranks != NULL;

	for (unsigned i = 0; ok && i < g->n; i++)
		ok = json_append_number(ranks, (double)g->proc[i]->rank);
	return ok;
}

static bool fill_group(cJSON *to, const struct stack_group *g)
{
	char line[STACK_LINE_SIZE];

	stack_group_line(g, line);
	return to && add_ranks(to, g) &&
	       json_add_text(to, "does", does[g->does]) &&
	       (!g->collective ||
		json_add_text(to, "collective", g->collective)) &&
	       add_frame(to, "innermost", g->innermost) &&
	       add_frame(to, "own", g->own) &&
	       cJSON_AddBoolToObject(to, "suspect", g->suspect) &&
	       (!g->suspect || json_add_text(to, "why", g->why)) &&
	       json_add_text(to, "text", line);
}

bool json_add_groups(cJSON *to, const struct stack_group *group, unsigned n)
{
	cJSON *groups = cJSON_AddArrayToObject(to, "groups");

	for (unsigned i = 0; groups && i < n; i++)
		if (!fill_group(json_append(groups), &group[i]))
			return false;
	return groups;
}
