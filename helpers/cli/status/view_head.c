/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/cli/status/step_view.h"

#include "core/facts/slowness.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SLOW_NODES 4 /* that are named */
#define NAMES	   8 /* of nodes, in a list */

static void put_names(FILE *f, const char *what, char **name, unsigned n)
{
	unsigned shown = n < NAMES ? n : NAMES;
	char *text = n ? hostnames_text(name, shown) : NULL;

	if (text)
		fprintf(f, ", %s %s", what, text);
	if (text && n > shown)
		fprintf(f, " and %u more", n - shown);
	free(text);
}

static void put_nodes(FILE *f, const char *what, struct node_view *node,
		      unsigned n, char **name)
{
	for (unsigned i = 0; i < n; i++)
		name[i] = node[i].name;
	put_names(f, what, name, n);
}

static void put_others(FILE *f, const struct step_view *v)
{
	char **name = calloc(v->n + v->naway + v->nsilent + 1, sizeof(*name));
	unsigned n = 0;

	if (!name)
		return;
	for (unsigned i = 0; i < v->n; i++)
		if (v->node[i].spare)
			name[n++] = v->node[i].name;
	put_names(f, n > 1 ? "spares" : "spare", name, n);
	put_nodes(f, "not here:", v->away, v->naway, name);
	put_nodes(f, "no answer from", v->silent, v->nsilent, name);
	free(name);
}

static void put_states(FILE *f, const struct step_view *v)
{
	unsigned running = 0, failed = 0, ended = 0, awaited = 0;

	for (unsigned i = 0; i < v->nranks; i++) {
		running += !v->rank[i].ended;
		ended += v->rank[i].ended && !v->rank[i].code;
		failed += v->rank[i].ended && v->rank[i].code;
	}
	for (unsigned i = 0; i < v->n; i++)
		if (v->node[i].nprocs > v->node[i].nranks)
			awaited += v->node[i].nprocs - v->node[i].nranks;
	fprintf(f, "%u running", running);
	if (awaited)
		fprintf(f, ", %u to be started", awaited);
	if (ended)
		fprintf(f, ", %u ended", ended);
	if (failed)
		fprintf(f, ", %u failed", failed);
}

/* Of all who report, the last one. */
static void put_progress(FILE *f, const struct step_view *v)
{
	double percent = NAN, left = NAN;
	char text[CELL_SIZE];

	for (unsigned i = 0; i < v->nranks; i++) {
		percent = fmin(percent, v->rank[i].value[FIGURE_DONE]);
		left = fmax(left, v->rank[i].value[FIGURE_REMAINING]);
	}
	if (!isnan(percent))
		fprintf(f, "; %.1f%% done", fmin(percent, 999));
	if (!isnan(left)) {
		figure_text(UNIT_SECONDS, left, text);
		fprintf(f, ", %s left", text);
	}
}

static void put_slow(FILE *f, const struct step_view *v)
{
	unsigned nslow = 0;

	for (unsigned i = 0; i < v->n; i++) {
		const struct node_view *n = &v->node[i];
		const struct rank_view *r =
			n->slowest == NO_RANK ? NULL : &v->rank[n->slowest];

		if (!r || !is_slow(r->value[FIGURE_SLOWER]) ||
		    nslow++ >= SLOW_NODES)
			continue;
		fprintf(f, "%s: %s%s%u is %.1f x slower than the median\n",
			n->name, rank_world(v, r), r->world ? ":" : "rank ",
			r->rank, r->value[FIGURE_SLOWER]);
	}
	if (nslow > SLOW_NODES)
		fprintf(f, "and slow ranks on %u more nodes\n",
			nslow - SLOW_NODES);
}

#define ROLE_STATES 8

/* How many of a role's worlds are in each state. */
struct tally {
	const char *state[ROLE_STATES];
	unsigned n[ROLE_STATES], nstates, all;
};

static void count_state(struct tally *t, const char *state)
{
	unsigned i = 0;

	while (i < t->nstates && strcmp(t->state[i], state) != 0)
		i++;
	if (i == ROLE_STATES)
		return;
	t->state[i] = state;
	t->nstates += i == t->nstates;
	t->n[i]++;
	t->all++;
}

/* Of the role whose first world that is: "rollout 2 ready, 1 starting". Returns
 * where the next one begins. */
static unsigned put_role(FILE *f, const struct step_view *v, unsigned first)
{
	const char *name = v->role[first].name;
	struct tally t = {0};
	unsigned i = first;

	for (; i < v->nroles && !strcmp(v->role[i].name, name); i++)
		count_state(&t, v->role[i].state);
	fprintf(f, "%s%s", first ? "; " : "roles: ", name);
	for (unsigned k = 0; k < t.nstates; k++) {
		fputs(k ? ", " : " ", f);
		if (t.all > 1)
			fprintf(f, "%u ", t.n[k]);
		fputs(t.state[k], f);
	}
	return i;
}

static void put_roles(FILE *f, const struct step_view *v)
{
	for (unsigned i = 0; i < v->nroles;)
		i = put_role(f, v, i);
	if (v->nroles)
		fputc('\n', f);
}

static void put_stage(FILE *f, const struct step_view *v)
{
	const struct stage_view *s = &v->stage;
	char left[CELL_SIZE];

	if (!*s->path)
		return;
	fprintf(f, "%s to the nodes: %.1f of %.1f MB, %u of %u ready", s->path,
		s->bytes / 1e6, s->of / 1e6, s->ready, s->nodes);
	if (!isnan(s->left_s)) {
		figure_text(UNIT_SECONDS, s->left_s, left);
		fprintf(f, ", %s left", left);
	}
	fputc('\n', f);
}

void view_head(FILE *f, const struct step_view *v, const char *step)
{
	unsigned nnodes = v->nnodes ? v->nnodes : v->n;
	unsigned named = v->n + v->naway + v->nsilent;

	fprintf(f, "step %s: %u rank%s on %u node%s", step, v->world_size,
		v->world_size == 1 ? "" : "s", nnodes, nnodes == 1 ? "" : "s");
	put_others(f, v);
	if (named < nnodes)
		fprintf(f, ", %u without an answer", nnodes - named);
	if (v->round)
		fprintf(f, ", round %u", v->round);
	if (v->requeues)
		fprintf(f, ", requeued %u x", v->requeues);
	fputc('\n', f);
	put_states(f, v);
	put_progress(f, v);
	fputc('\n', f);
	put_stage(f, v);
	put_roles(f, v);
	if (v->full)
		fputs("out of memory: not all is shown\n", f);
	put_slow(f, v);
}
