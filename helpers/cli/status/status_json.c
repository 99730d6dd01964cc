/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/cli/json_print.h"
#include "helpers/cli/status/view_lines.h"

#include <math.h>
#include <string.h>
#include <time.h>

/* What nobody knows has no member. Those of an object stand together in
 * figures.def. */
static void put_figures(struct json *j, const struct rank_view *r)
{
	size_t in = 0; /* bytes of the name of the object that is open */
	const char *object = "";

	for (int i = 0; i < FIGURES; i++) {
		const char *member = figures[i].member;
		const char *dot = member ? strchr(member, '.') : NULL;
		char name[32];

		if (!member || isnan(r->value[i]))
			continue;
		if (in && (!dot || strncmp(member, object, in + 1) != 0)) {
			json_add(j, "}");
			in = 0;
		}
		if (dot && !in) {
			in = (size_t)(dot - member);
			object = member;
			snprintf(name, sizeof(name), "%.*s", (int)in, member);
			json_open(j, name, '{');
		}
		json_number(j, dot ? dot + 1 : member, r->value[i]);
	}
	if (in)
		json_add(j, "}");
}

static void put_rank(struct json *j, const struct step_view *v,
		     const struct rank_view *r)
{
	json_add(j, "{world?:%s rank:%u node:%s state:%c", rank_world(v, r),
		 r->rank, v->node[r->node].name, r->state);
	if (r->ended)
		json_add(j, "exit_code:%d", r->code);
	put_figures(j, r);
	if (!isnan(r->value[FIGURE_QUIET]))
		json_add(j, "quiet_from:%s", r->quiet_by_io ? "io" : "output");
	json_add(j, "}");
}

static void put_node(struct json *j, const struct step_view *v,
		     const struct node_view *n)
{
	json_add(j,
		 "{node:%s spare:%i ranks:%u started:%u "
		 "slowest?:%d}",
		 n->name, n->spare, n->nprocs, n->nranks,
		 n->slowest == NO_RANK ? -1 : (int)v->rank[n->slowest].rank);
}

static void put_names(struct json *j, const char *name,
		      const struct node_view *node, unsigned n)
{
	json_open(j, name, '[');
	for (unsigned i = 0; i < n; i++)
		json_add(j, "%s", node[i].name);
	json_add(j, "]");
}

static void put_roles(struct json *j, const struct step_view *v)
{
	if (!v->nroles)
		return;
	json_open(j, "roles", '[');
	for (unsigned i = 0; i < v->nroles; i++)
		json_add(j, "{role:%s world:%u state:%s url:%s text:%s}",
			 v->role[i].name, v->role[i].world, v->role[i].state,
			 v->role[i].url, v->role[i].text);
	json_add(j, "]");
}

void status_json(struct json *j, const struct step_view *v, const char *step)
{
	json_add(j,
		 "step:%s time:%g world_size:%u nnodes:%u round:%u requeues:%u",
		 step, (double)time(NULL), v->world_size, v->nnodes, v->round,
		 v->requeues);
	if (v->stage.has)
		json_add(j,
			 "stage:{path:%s bytes:%g of_bytes:%g ready:%u "
			 "nodes:%u remaining?:%g}",
			 v->stage.path, v->stage.bytes, v->stage.of,
			 v->stage.ready, v->stage.nodes, v->stage.left_s);
	put_names(j, "away", v->away, v->naway);
	put_names(j, "silent", v->silent, v->nsilent);
	json_add(j, "nodes:[");
	for (unsigned i = 0; i < v->n; i++)
		put_node(j, v, &v->node[i]);
	json_add(j, "] ranks:[");
	for (unsigned i = 0; i < v->nranks; i++)
		put_rank(j, v, &v->rank[i]);
	json_add(j, "]");
	put_roles(j, v);
}
