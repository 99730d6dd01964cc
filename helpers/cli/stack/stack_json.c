/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/cli/json_print.h"
#include "helpers/cli/stack/stack_show.h"

static const char *const does[] = {
	[STACK_GONE] = "ended",
	[STACK_STOPPED] = "stopped",
	[STACK_DISK] = "kernel",
	[STACK_ELSEWHERE] = "elsewhere",
	[STACK_COLLECTIVE] = "collective",
	[STACK_UNKNOWN] = "unknown",
};

static bool fill_frame(cJSON *to, const struct stack_frame *f)
{
	return to && json_add_text(to, "function", f->function) &&
	       (!*f->file || json_add_text(to, "file", f->file)) &&
	       (!f->line || json_add_number(to, "line", (double)f->line));
}

static bool add_frame(cJSON *to, const char *name, const struct stack_frame *f)
{
	return !f || fill_frame(cJSON_AddObjectToObject(to, name), f);
}

static bool add_letter(cJSON *to, const char *name, char letter)
{
	return json_add_text(to, name, (char[]){letter, '\0'});
}

static bool add_ranks(cJSON *to, const struct stack_group *g)
{
	cJSON *ranks = cJSON_AddArrayToObject(to, "ranks");
	bool ok = ranks != NULL;

	for (unsigned i = 0; ok && i < g->n; i++)
		ok = cJSON_AddItemToArray(
			ranks, cJSON_CreateNumber((double)g->proc[i]->rank));
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

static bool fill_thread(cJSON *to, const struct stack_thread *t)
{
	cJSON *frames;
	bool ok = to && json_add_number(to, "tid", (double)t->tid) &&
		  json_add_text(to, "name", t->name) &&
		  add_letter(to, "state", t->state) &&
		  (!*t->wchan || json_add_text(to, "wchan", t->wchan));

	frames = ok ? cJSON_AddArrayToObject(to, "frames") : NULL;
	ok = frames != NULL;
	for (unsigned i = 0; ok && i < t->nframes; i++)
		ok = fill_frame(json_append(frames), &t->frame[i]);
	return ok;
}

static bool fill_proc(cJSON *to, const struct stack_proc *p)
{
	cJSON *threads;
	bool ok = to && json_add_number(to, "rank", (double)p->rank) &&
		  json_add_text(to, "node", p->node) &&
		  json_add_number(to, "pid", (double)p->pid) &&
		  cJSON_AddBoolToObject(to, "child", p->child) &&
		  json_add_text(to, "name", p->comm) &&
		  add_letter(to, "state", p->state) &&
		  json_add_text(to, "tool", p->tool);

	threads = ok ? cJSON_AddArrayToObject(to, "threads") : NULL;
	ok = threads != NULL;
	for (unsigned i = 0; ok && i < p->nthreads; i++)
		ok = fill_thread(json_append(threads), &p->thread[i]);
	return ok;
}

static bool fill(cJSON *to, const struct stack_view *v)
{
	const struct stack_proc *const *proc;
	const char *const *note;
	unsigned nprocs = stacks_procs(v->stacks, &proc);
	unsigned nnotes = stacks_notes(v->stacks, &note);
	cJSON *groups = cJSON_AddArrayToObject(to, "groups");
	cJSON *procs = cJSON_AddArrayToObject(to, "processes");
	cJSON *notes = cJSON_AddArrayToObject(to, "notes");
	bool ok = groups && procs && notes;

	for (unsigned i = 0; ok && i < v->ngroups; i++)
		ok = fill_group(json_append(groups), &v->group[i]);
	for (unsigned i = 0; ok && i < nprocs; i++)
		ok = fill_proc(json_append(procs), proc[i]);
	for (unsigned i = 0; ok && i < nnotes; i++)
		ok = cJSON_AddItemToArray(notes, cJSON_CreateString(note[i]));
	return ok;
}

int stack_json(FILE *f, const struct stack_view *v, struct err *err)
{
	cleanup_json cJSON *json = json_new();

	if (!json || !json_add_number(json, "job", (double)v->job) ||
	    !json_add_number(json, "step", (double)v->step) ||
	    !json_add_number(json, "nodes", v->nnodes) ||
	    !json_add_number(json, "nodes_answered", v->nanswered) ||
	    !fill(json, v))
		return err_memory(err);
	return json_print(f, json, err);
}
