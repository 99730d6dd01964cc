/* SPDX-License-Identifier: Apache-2.0 */
#include "core/groups/groups_report.h"
#include "helpers/cli/dryrun/dryrun_step.h"
#include "helpers/cli/explain/explain_show.h"

#include "core/base/cleanup.h"
#include "core/base/env_secret.h"
#include "core/base/hostlist.h"
#include "core/env/process_env.h"
#include "core/plan/framework.h"
#include "core/plan/plan.h"
#include "helpers/cli/explain/process_view.h"
#include "helpers/cli/json_print.h"

#include <stdlib.h>
#include <string.h>

static bool add_devices(cJSON *to, const struct idlist *devices)
{
	cJSON *array = cJSON_AddArrayToObject(to, "devices");

	for (unsigned i = 0; array && i < devices->n; i++)
		if (!json_append_number(array, devices->id[i]))
			return false;
	return array != NULL;
}

/* The values by name: those that all of `c`'s processes have, or those that
 * not all have. */
static bool add_env(cJSON *to, const struct envset *set,
		    const struct process_common *c, bool common)
{
	cJSON *env = cJSON_AddObjectToObject(to, "env");

	for (size_t i = 0; env && i < set->n; i++) {
		const struct env_entry *e = &set->entry[i];
		char secret[SHOW_SIZE];
		const char *value = env_is_secret(e, e->value)
					    ? env_secret(e->value, secret)
					    : e->value;

		if (process_common_has(c, e->name) == common &&
		    !json_add_text(env, e->name, value))
			return false;
	}
	return env != NULL;
}

/* Where the values come from, by name. */
static bool add_sources(cJSON *to, const struct process_common *c)
{
	cJSON *sources = cJSON_AddObjectToObject(to, "sources");

	for (size_t i = 0; sources && i < c->set.n; i++)
		if (!json_add_text(sources, c->set.entry[i].name,
				   c->set.entry[i].source))
			return false;
	return sources != NULL;
}

static bool add_arguments(cJSON *to, const struct plan *plan,
			  const struct process *p, struct err *err)
{
	struct argset args = {0};
	cJSON *array = NULL;
	bool ok = process_args(plan, p, &args, err) == 0;

	if (ok && args.n)
		array = cJSON_AddArrayToObject(to, "arguments");
	for (size_t i = 0; array && i < args.n; i++)
		ok = ok && json_append_text(array, args.arg[i]);
	argset_clear(&args);
	return ok;
}

static cJSON *make_process(const struct plan *plan, const struct process *p,
			   const struct envset *set,
			   const struct process_common *c, struct err *err)
{
	cJSON *o = cJSON_CreateObject();
	struct idlist devices;

	plan_devices_on_node(plan, p->rank - plan->first_rank, &devices);
	if (o && json_add_number(o, "rank", p->rank) &&
	    json_add_text(o, "node", plan->job->node_name) &&
	    json_add_number(o, "local_rank", p->local_rank) &&
	    json_add_text(o, "role", role_name(p->role)) &&
	    add_devices(o, &devices) && add_arguments(o, plan, p, err) &&
	    add_env(o, set, c, false))
		return o;
	cJSON_Delete(o);
	return NULL;
}

static int print_rank(FILE *f, struct dryrun_view *view, unsigned rank,
		      const struct process_common *c, struct err *err)
{
	cleanup_process struct process_view p = {0};
	cleanup_json cJSON *o = NULL;
	cleanup_free char *text = NULL;

	if (process_view_make(view, rank, &p, err) < 0)
		return -1;
	o = make_process(&view->plan, &p.process, &p.set, c, err);
	text = o ? cJSON_PrintUnformatted(o) : NULL;
	if (!text)
		return err_memory(err);
	fprintf(f, "\n%s", text);
	return 0;
}

static bool add_coordinator(cJSON *to, const struct coordinator *c)
{
	cJSON *o = cJSON_AddObjectToObject(to, "coordinator");

	return o && json_add_text(o, "address", c->addr) &&
	       json_add_text(o, "address_source", c->addr_source) &&
	       json_add_number(o, "port", c->port) &&
	       json_add_text(o, "port_source", coordinator_port_source(c));
}

/* What the step has beside its world; nothing without recovery. */
static bool add_recovery(cJSON *o, const struct dryrun_view *view)
{
	const struct resolved *w = &view->plan.resolved;
	char ladder[LADDER_SIZE];
	char **names;
	cJSON *array;
	bool ok = true;

	if (!w->recovery)
		return true;
	names = dryrun_view_spares(view);
	array = cJSON_AddArrayToObject(o, "spares");
	for (unsigned i = 0; array && names && names[i]; i++)
		ok = ok && json_append_text(array, names[i]);
	ok = ok && array && (names || !w->spares);
	hostnames_free(names);
	return ok && json_add_text(o, "on_node_loss",
				   ladder_text(&w->ladder, ladder));
}

static int add_place(void *arg, const char *where, const char *nodes)
{
	cJSON *o = json_append(arg);

	return o && json_add_text(o, "where", where) &&
			       json_add_text(o, "nodes", nodes)
		       ? 0
		       : -1;
}

/* Blocks and switches, where they are given. */
static bool add_topology(cJSON *o, const struct dryrun *e)
{
	cJSON *array;

	if (!e->topology.nnodes)
		return true;
	array = cJSON_AddArrayToObject(o, "topology");
	return array && dryrun_order_each(e, add_place, array) == 0;
}

static bool add_group(cJSON *array, const struct groups_report *r, unsigned k)
{
	static const char *const member[] = {
		[GROUPS_BLOCK] = "cross_blocks",
		[GROUPS_SWITCH] = "cross_switches",
	};
	const struct group_kind *kind = &r->groups.kind[k];
	cJSON *o = json_append(array);
	bool ok = o && json_add_text(o, "name", kind->name) &&
		  json_add_number(o, "ranks", kind->size) &&
		  json_add_number(o, "count", r->ranks.n / kind->size);

	for (int i = 0; ok && i < GROUPS_LEVELS; i++)
		if (r->known[i])
			ok = json_add_number(o, member[i],
					     r->now[i].kind[k].ncross);
	return ok;
}

/* Where the key groups is there. */
static int add_groups(cJSON *o, const struct dryrun_view *view, struct err *err)
{
	__attribute__((cleanup(groups_report_clear))) struct groups_report r;
	cJSON *array;

	if (dryrun_groups_count(view, &r, err) < 0)
		return -1;
	if (!r.groups.n)
		return 0;
	array = cJSON_AddArrayToObject(o, "groups");
	for (unsigned k = 0; k < r.groups.n; k++)
		if (!array || !add_group(array, &r, k))
			return err_memory(err);
	return 0;
}

static bool add_head(cJSON *o, const struct dryrun_view *view,
		     const struct explain_json *step)
{
	const struct plan *plan = &view->plan;

	return json_add_text(o, "framework", plan->request->framework->name) &&
	       json_add_text(o, "mode",
			     plan->resolved.device_mode ? "device" : "task") &&
	       json_add_number(o, "nnodes", plan->nnodes) &&
	       json_add_number(o, "world_size", plan->world_size) &&
	       add_recovery(o, view) && add_topology(o, view->example) &&
	       (!plan->coordinator.addr ||
		add_coordinator(o, &plan->coordinator)) &&
	       json_add_list(o, "examples", step->examples, NOTE_END) &&
	       (!*step->remark || json_add_text(o, "remark", step->remark)) &&
	       json_add_list(o, "notes", step->notes, NOTE_END);
}

/* What comes before the processes, as an object that is still open. */
static int print_head(FILE *f, const struct dryrun_view *view,
		      const struct explain_json *step,
		      const struct process_common *c, struct err *err)
{
	cleanup_json cJSON *o = json_new();
	cleanup_free char *text = NULL;
	cJSON *common;

	if (!o || !add_head(o, view, step))
		return err_memory(err);
	if (add_groups(o, view, err) < 0)
		return -1;
	common = cJSON_AddObjectToObject(o, "common");
	if (!common || !add_env(common, &c->set, c, true) || !add_sources(o, c))
		return err_memory(err);
	text = cJSON_PrintUnformatted(o);
	if (!text)
		return err_memory(err);
	text[strlen(text) - 1] = '\0';
	fprintf(f, "%s,\"processes\":[", text);
	return 0;
}

int explain_json(FILE *f, struct dryrun_view *view,
		 const struct explain_json *step, struct err *err)
{
	cleanup_common struct process_common c = {0};

	unsigned n = step->end - step->first;

	if (process_common_make(view, n == 1 ? &step->first : NULL, n, &c,
				err) < 0)
		return -1;
	if (n == 1) /* all of it is that process's */
		memset(c.differs, true, c.set.n * sizeof(*c.differs));
	if (dryrun_view_rank(view, step->first, err) < 0 ||
	    print_head(f, view, step, &c, err) < 0)
		return -1;
	for (unsigned rank = step->first; rank < step->end; rank++) {
		if (rank > step->first)
			fputc(',', f);
		if (print_rank(f, view, rank, &c, err) < 0)
			return -1;
	}
	fputs("\n]}\n", f);
	return 0;
}
