/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/cli/json_print.h"
#include "helpers/cli/status/view_lines.h"

#include <math.h>
#include <string.h>
#include <time.h>

/* The object of "device.used_bytes", which is there or new. */
static cJSON *object_of(cJSON *rank, const char *member, size_t n)
{
	char name[32];
	cJSON *o;

	snprintf(name, sizeof(name), "%.*s", (int)n, member);
	o = cJSON_GetObjectItemCaseSensitive(rank, name);
	return o ? o : cJSON_AddObjectToObject(rank, name);
}

static bool add_figure(cJSON *rank, const char *member, double value)
{
	const char *dot = strchr(member, '.');

	if (dot) {
		rank = object_of(rank, member, (size_t)(dot - member));
		member = dot + 1;
	}
	return rank && json_add_number(rank, member, value);
}

/* What nobody knows has no member. */
static bool add_figures(cJSON *rank, const struct rank_view *r)
{
	for (int i = 0; i < FIGURES; i++)
		if (figures[i].member && !isnan(r->value[i]) &&
		    !add_figure(rank, figures[i].member, r->value[i]))
			return false;
	return true;
}

static bool add_rank(cJSON *ranks, const struct step_view *v,
		     const struct rank_view *r)
{
	const char state[] = {r->state, '\0'};
	cJSON *o = json_append(ranks);

	return o && json_add_number(o, "rank", r->rank) &&
	       json_add_text(o, "node", v->node[r->node].name) &&
	       json_add_text(o, "state", state) &&
	       (!r->ended || json_add_number(o, "exit_code", r->code)) &&
	       add_figures(o, r) &&
	       (isnan(r->value[FIGURE_QUIET]) ||
		json_add_text(o, "quiet_from",
			      r->quiet_by_io ? "io" : "output"));
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
		if (!json_append_text(names, node[i].name))
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
