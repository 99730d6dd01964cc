/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names by Prometheus's rules: base units, no unit twice, _total for counters
 * alone. A textfile may hold no time stamps.
 */
#include "helpers/cli/status/view_lines.h"

#include "core/base/text.h"

#include <math.h>
#include <string.h>

#define PREFIX "dist_train_"

static void put_head(FILE *f, const char *name, const char *help)
{
	fprintf(f, "# HELP " PREFIX "%s %s.\n# TYPE " PREFIX "%s %s\n", name,
		help, name, text_ends(name, "_total") ? "counter" : "gauge");
}

/* JOB.STEP, as two labels; a node's name needs no escape but these. */
static void put_step(FILE *f, const char *step)
{
	size_t n = strcspn(step, ".");

	fprintf(f, "job=\"%.*s\",step=\"%s\"", (int)n, step,
		step[n] ? step + n + 1 : "");
}

static void put_node(FILE *f, const char *name)
{
	fputs(",node=\"", f);
	for (; *name; name++) {
		if (*name == '"' || *name == '\\')
			fputc('\\', f);
		fputc(*name, f);
	}
	fputc('"', f);
}

/* A percentage is a ratio here; time since any write is no measure of output.
 */
static double metric_of(const struct rank_view *r, unsigned figure)
{
	enum figure_unit unit = figures[figure].unit;
	bool percent = unit == UNIT_PERCENT || unit == UNIT_TENTHS;

	if (figure == FIGURE_QUIET && r->quiet_by_io)
		return NAN;
	return r->value[figure] / (percent ? 100 : 1);
}

static void put_figure(FILE *f, unsigned figure, const struct step_view *v,
		       const char *step)
{
	char name[64];
	bool any = false;

	snprintf(name, sizeof(name), "rank_%s", figures[figure].metric);
	for (unsigned i = 0; i < v->nranks; i++) {
		const struct rank_view *r = &v->rank[i];
		double value = metric_of(r, figure);

		if (isnan(value))
			continue;
		if (!any)
			put_head(f, name, figures[figure].help);
		any = true;
		fprintf(f, PREFIX "%s{", name);
		put_step(f, step);
		if (r->world)
			fprintf(f, ",world=\"%s\"", rank_world(v, r));
		fprintf(f, ",rank=\"%u\"", r->rank);
		put_node(f, v->node[r->node].name);
		fprintf(f, "} %.10g\n", value);
	}
}

static void put_count(FILE *f, const char *name, const char *help,
		      const char *step, double value)
{
	put_head(f, name, help);
	fprintf(f, PREFIX "%s{", name);
	put_step(f, step);
	fprintf(f, "} %.10g\n", value);
}

void status_prometheus(FILE *f, const struct step_view *v, const char *step)
{
	put_count(f, "step_world_size", "Ranks that the step is to have", step,
		  v->world_size);
	put_count(f, "step_nodes_here", "Nodes whose launchers have answered",
		  step, v->n);
	put_count(f, "step_nodes_away", "Nodes whose launchers are not here",
		  step, v->naway);
	put_count(f, "step_nodes_spare", "Nodes in reserve", step,
		  step_view_spares(v));
	put_count(f, "step_round", "Restarts in place so far", step, v->round);
	put_count(f, "step_requeues", "Requeues of the job so far", step,
		  v->requeues);
	if (v->stage.has) {
		put_count(f, "step_stage_bytes",
			  "Of the key stage, on all nodes so far", step,
			  v->stage.bytes);
		put_count(f, "step_stage_size_bytes",
			  "Of the key stage, on all nodes in the end", step,
			  v->stage.of);
		put_count(f, "step_stage_ready",
			  "Launchers that have all of the key stage", step,
			  v->stage.ready);
	}
	for (unsigned i = 0; i < FIGURES; i++)
		if (figures[i].metric)
			put_figure(f, i, v, step);
}
