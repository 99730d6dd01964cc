/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/cli/groups_json.h"
#include "helpers/cli/stack/stack_show.h"

static bool add_letter(cJSON *to, const char *name, char letter)
{
	return json_add_text(to, name, (char[]){letter, '\0'});
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
		ok = json_fill_frame(json_append(frames), &t->frame[i]);
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
	bool ok = json_add_groups(to, v->group, v->ngroups);
	cJSON *procs = cJSON_AddArrayToObject(to, "processes");
	cJSON *notes = cJSON_AddArrayToObject(to, "notes");

	ok = ok && procs && notes;
	for (unsigned i = 0; ok && i < nprocs; i++)
		ok = fill_proc(json_append(procs), proc[i]);
	for (unsigned i = 0; ok && i < nnotes; i++)
		ok = json_append_text(notes, note[i]);
	return ok;
}

static bool add_names(cJSON *to, const char *name,
		      const struct node_names *nodes)
{
	cJSON *names = cJSON_AddArrayToObject(to, name);

	for (unsigned i = 0; names && i < nodes->n; i++)
		if (!json_append_text(names, nodes->name[i]))
			return false;
	return names;
}

int stack_json(FILE *f, const struct stack_view *v, struct err *err)
{
	cleanup_json cJSON *json = json_new();

	if (!json || !json_add_number(json, "job", (double)v->job) ||
	    !json_add_number(json, "step", (double)v->step) ||
	    !json_add_number(json, "nodes", v->nnodes) ||
	    !json_add_number(json, "nodes_answered", v->answered->n) ||
	    !add_names(json, "away", v->away) ||
	    !add_names(json, "silent", v->silent) || !fill(json, v))
		return err_memory(err);
	return json_print(f, json, err);
}
