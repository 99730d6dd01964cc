/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/cli/json_print.h"
#include "helpers/cli/status/view_lines.h"

#include <math.h>
#include <time.h>

/* What nobody knows has no member. */
static bool add(cJSON *to, const char *name, double number)
{
	return isnan(number) || json_add_number(to, name, number);
}

/* As many digits as were measured. */
static bool add_tenths(cJSON *to, const char *name, double number)
{
	return add(to, name, round(number * 10) / 10);
}

static bool add_device(cJSON *to, const struct rank_view *r)
{
	cJSON *device;

	if (isnan(r->device_used) && isnan(r->device_use))
		return true;
	device = cJSON_AddObjectToObject(to, "device");
	return device && add(device, "used_bytes", r->device_used) &&
	       add(device, "size_bytes", r->device_size) &&
	       add(device, "use_percent", r->device_use);
}

static bool add_progress(cJSON *to, const struct rank_view *r)
{
	cJSON *p;

	if (isnan(r->report_age_s))
		return true;
	p = cJSON_AddObjectToObject(to, "progress");
	return p && add(p, "percent", r->percent) &&
	       add(p, "remaining", r->remaining_s) && add(p, "step", r->step) &&
	       add(p, "steps_per_second", r->rate) && add(p, "loss", r->loss) &&
	       add(p, "busy_percent", r->busy) &&
	       add(p, "age", r->report_age_s);
}

static const char *quiet_from(const struct rank_view *r)
{
	return r->quiet_by_io ? "io" : "output";
}

static bool add_rank(cJSON *ranks, const struct step_view *v,
		     const struct rank_view *r)
{
	const char state[] = {r->state, '\0'};
	cJSON *o = json_append(ranks);

	return o && json_add_number(o, "rank", r->rank) &&
	       json_add_text(o, "node", v->node[r->node].name) &&
	       json_add_number(o, "pid", (double)r->pid) &&
	       json_add_text(o, "state", state) &&
	       (!r->ended || json_add_number(o, "exit_code", r->code)) &&
	       add(o, "up", r->up_s) && add_tenths(o, "cpu_percent", r->cpu) &&
	       add_tenths(o, "cpu_mean_percent", r->cpu_mean) &&
	       add(o, "cpu_seconds", r->cpu_s) &&
	       add(o, "memory_bytes", r->memory) &&
	       add(o, "processes", r->nprocs) && add_device(o, r) &&
	       add(o, "quiet", r->quiet_s) &&
	       (isnan(r->quiet_s) ||
		json_add_text(o, "quiet_from", quiet_from(r))) &&
	       add_progress(o, r) && add(o, "slower", r->slower);
}

static bool add_node(cJSON *nodes, const struct step_view *v,
		     const struct node_view *n)
{
	cJSON *o = json_append(nodes);

	return o && json_add_text(o, "node", n->name) &&
	       cJSON_AddBoolToObject(o, "spare", n->spare) &&
	       json_add_number(o, "ranks", n->nprocs) &&
	       json_add_number(o, "started", n->nranks) &&
	       (n->slowest == NO_RANK ||
		json_add_number(o, "slowest", v->rank[n->slowest].rank));
}

static bool add_names(cJSON *to, const char *name, const struct node_view *node,
		      unsigned n)
{
	cJSON *names = cJSON_AddArrayToObject(to, name);

	for (unsigned i = 0; names && i < n; i++)
		if (!cJSON_AddItemToArray(names,
					  cJSON_CreateString(node[i].name)))
			return false;
	return names;
}

static bool fill(cJSON *o, const struct step_view *v, const char *step)
{
	cJSON *nodes, *ranks;

	if (!json_add_text(o, "step", step) ||
	    !json_add_number(o, "time", (double)time(NULL)) ||
	    !json_add_number(o, "world_size", v->world_size) ||
	    !json_add_number(o, "nnodes", v->nnodes) ||
	    !json_add_number(o, "round", v->round) ||
	    !json_add_number(o, "requeues", v->requeues) ||
	    !add_names(o, "away", v->away, v->naway) ||
	    !add_names(o, "silent", v->silent, v->nsilent))
		return false;
	nodes = cJSON_AddArrayToObject(o, "nodes");
	for (unsigned i = 0; i < v->n; i++)
		if (!nodes || !add_node(nodes, v, &v->node[i]))
			return false;
	ranks = cJSON_AddArrayToObject(o, "ranks");
	for (unsigned i = 0; i < v->nranks; i++)
		if (!ranks || !add_rank(ranks, v, &v->rank[i]))
			return false;
	return ranks;
}

int status_json(FILE *f, const struct step_view *view, const char *step,
		struct err *err)
{
	cleanup_json cJSON *o = json_new();

	if (!o || view->full || !fill(o, view, step))
		return err_memory(err);
	return json_print(f, o, err);
}
