/* SPDX-License-Identifier: Apache-2.0 */
#include "core/groups/groups_report.h"
#include "helpers/cli/explain/explain_show.h"

#include "core/base/env_secret.h"
#include "core/base/hostlist.h"
#include "core/env/process_env.h"
#include "core/plan/framework.h"
#include "core/plan/plan.h"
#include "helpers/cli/json_print.h"

#include <string.h>

static void put_devices(struct json *j, const struct plan *plan,
			const struct process *p)
{
	struct idlist devices;

	plan_devices_on_node(plan, p->rank - plan->first_rank, &devices);
	json_add(j, "devices:[");
	for (unsigned i = 0; i < devices.n; i++)
		json_add(j, "%u", devices.id[i]);
	json_add(j, "]");
}

/* The values by name: those that all of `c`'s processes have, or those that
 * not all have. */
static void put_env(struct json *j, const struct envset *set,
		    const struct process_common *c, bool common)
{
	char secret[SHOW_SIZE];

	json_add(j, "env:{");
	for (size_t i = 0; i < set->n; i++) {
		const struct env_entry *e = &set->entry[i];

		if (process_common_has(c, e->name) == common)
			json_text(j, e->name,
				  env_is_secret(e, e->value)
					  ? env_secret(e->value, secret)
					  : e->value);
	}
	json_add(j, "}");
}

static int put_arguments(struct json *j, const struct plan *plan,
			 const struct process *p, struct err *err)
{
	struct argset args = {0};
	int rc = process_args(plan, p, &args, err);

	if (rc == 0 && args.n) {
		json_add(j, "arguments:[");
		for (size_t i = 0; i < args.n; i++)
			json_add(j, "%s", args.arg[i]);
		json_add(j, "]");
	}
	argset_clear(&args);
	return rc;
}

static int put_rank(struct json *j, struct dryrun_view *view, unsigned rank,
		    const struct process_common *c, struct err *err)
{
	cleanup_process struct process_view p = {0};
	const struct plan *plan = &view->plan;

	if (process_view_make(view, rank, &p, err) < 0)
		return -1;
	json_line(j);
	json_add(j, "{rank:%u node:%s local_rank:%u role:%s", p.process.rank,
		 plan->job->node_name, p.process.local_rank,
		 role_name(p.process.role));
	put_devices(j, plan, &p.process);
	if (put_arguments(j, plan, &p.process, err) < 0)
		return -1;
	put_env(j, &p.set, c, false);
	json_add(j, "}");
	return 0;
}

/* What the step has beside its world; nothing without recovery. */
static int put_recovery(struct json *j, const struct dryrun_view *view,
			struct err *err)
{
	const struct resolved *w = &view->plan.resolved;
	char ladder[LADDER_SIZE];
	char **names;

	if (!w->recovery)
		return 0;
	names = dryrun_view_spares(view);
	if (!names && w->spares)
		return err_memory(err);
	json_add(j, "spares:[");
	for (unsigned i = 0; names && names[i]; i++)
		json_add(j, "%s", names[i]);
	json_add(j, "]");
	hostnames_free(names);
	json_add(j, "on_node_loss:%s", ladder_text(&w->ladder, ladder));
	return 0;
}

static int put_place(void *arg, const char *where, const char *nodes)
{
	json_add(arg, "{where:%s nodes:%s}", where, nodes);
	return 0;
}

/* Blocks and switches, where they are given. */
static int put_topology(struct json *j, const struct dryrun *e, struct err *err)
{
	if (!e->topology.nnodes)
		return 0;
	json_add(j, "topology:[");
	if (dryrun_order_each(e, put_place, j) < 0)
		return err_memory(err);
	json_add(j, "]");
	return 0;
}

static void put_group(struct json *j, const struct groups_report *r, unsigned k)
{
	static const char *const member[] = {
		[GROUPS_BLOCK] = "cross_blocks",
		[GROUPS_SWITCH] = "cross_switches",
	};
	const struct group_kind *kind = &r->groups.kind[k];

	json_add(j, "{name:%s ranks:%u count:%u", kind->name, kind->size,
		 r->ranks.n / kind->size);
	for (int i = 0; i < GROUPS_LEVELS; i++)
		if (r->known[i])
			json_number(j, member[i], r->now[i].kind[k].ncross);
	json_add(j, "}");
}

/* Where the key groups is there. */
static int put_groups(struct json *j, const struct dryrun_view *view,
		      struct err *err)
{
	__attribute__((cleanup(groups_report_clear))) struct groups_report r;

	if (dryrun_groups_count(view, &r, err) < 0)
		return -1;
	if (!r.groups.n)
		return 0;
	json_add(j, "groups:[");
	for (unsigned k = 0; k < r.groups.n; k++)
		put_group(j, &r, k);
	json_add(j, "]");
	return 0;
}

static int put_head(struct json *j, const struct dryrun_view *view,
		    const struct explain_json *step, struct err *err)
{
	const struct plan *plan = &view->plan;
	const struct coordinator *c = &plan->coordinator;

	json_add(j, "framework:%s mode:%s nnodes:%u world_size:%u",
		 plan->request->framework->name,
		 plan->resolved.device_mode ? "device" : "task", plan->nnodes,
		 plan->world_size);
	if (put_recovery(j, view, err) < 0 ||
	    put_topology(j, view->example, err) < 0)
		return -1;
	if (c->addr) {
		json_add(j,
			 "coordinator:{address:%s address_source:%s "
			 "port:%u port_source:%s}",
			 c->addr, c->addr_source, c->port,
			 coordinator_port_source(c));
	}
	json_list(j, "examples", step->examples, NOTE_END);
	json_add(j, "remark?:%s", step->remark);
	json_list(j, "notes", step->notes, NOTE_END);
	return put_groups(j, view, err);
}

/* What all have, and where all values come from. */
static void put_common(struct json *j, const struct process_common *c)
{
	json_add(j, "common:{");
	put_env(j, &c->set, c, true);
	json_add(j, "} sources:{");
	for (size_t i = 0; i < c->set.n; i++)
		json_text(j, c->set.entry[i].name, c->set.entry[i].source);
	json_add(j, "}");
}

int explain_json(FILE *f, struct dryrun_view *view,
		 const struct explain_json *step, struct err *err)
{
	cleanup_common struct process_common c = {0};
	unsigned n = step->end - step->first;
	struct json j;

	if (process_common_make(view, n == 1 ? &step->first : NULL, n, &c,
				err) < 0)
		return -1;
	if (n == 1) /* all of it is that process's */
		memset(c.differs, true, c.set.n * sizeof(*c.differs));
	if (dryrun_view_rank(view, step->first, err) < 0)
		return -1;
	j = json_begin(f);
	if (put_head(&j, view, step, err) < 0)
		return -1;
	put_common(&j, &c);
	json_add(&j, "processes:[");
	for (unsigned rank = step->first; rank < step->end; rank++)
		if (put_rank(&j, view, rank, &c, err) < 0)
			return -1;
	fputc('\n', f);
	json_add(&j, "]");
	json_end(&j);
	return 0;
}
