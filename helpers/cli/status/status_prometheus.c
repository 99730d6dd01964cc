/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names by Prometheus's rules: base units, no unit twice, _total for counters
 * alone. A textfile may hold no time stamps.
 */
#include "helpers/cli/status/view_lines.h"

#include <math.h>
#include <string.h>

#define PREFIX "dist_train_"

struct metric {
	const char *name, *type, *help;
	double (*value)(const struct rank_view *rank);
};

static double running(const struct rank_view *r)
{
	return !r->ended;
}

static double up(const struct rank_view *r)
{
	return r->up_s;
}

static double cpu(const struct rank_view *r)
{
	return r->cpu_s;
}

static double memory(const struct rank_view *r)
{
	return r->memory;
}

static double device_used(const struct rank_view *r)
{
	return r->device_used;
}

static double device_size(const struct rank_view *r)
{
	return r->device_size;
}

static double device_use(const struct rank_view *r)
{
	return r->device_use / 100;
}

/* By any write is no measure of output. */
static double quiet(const struct rank_view *r)
{
	return r->quiet_by_io ? NAN : r->quiet_s;
}

static double progress(const struct rank_view *r)
{
	return r->percent / 100;
}

static double remaining(const struct rank_view *r)
{
	return r->remaining_s;
}

static double step_of(const struct rank_view *r)
{
	return r->step;
}

static double rate(const struct rank_view *r)
{
	return r->rate;
}

static double loss(const struct rank_view *r)
{
	return r->loss;
}

static double report_age(const struct rank_view *r)
{
	return r->report_age_s;
}

static double busy(const struct rank_view *r)
{
	return r->busy / 100;
}

static double slower(const struct rank_view *r)
{
	return r->slower;
}

static const struct metric metrics[] = {
	{"rank_running", "gauge", "1 while the rank's process runs.", running},
	{"rank_up_seconds", "gauge", "Time since the rank's start.", up},
	{"rank_cpu_seconds_total", "counter",
	 "CPU time of the rank and of what it has started.", cpu},
	{"rank_memory_bytes", "gauge", "Resident memory of these.", memory},
	{"rank_device_memory_bytes", "gauge",
	 "Memory in use on the rank's devices.", device_used},
	{"rank_device_memory_size_bytes", "gauge",
	 "Memory of the rank's devices.", device_size},
	{"rank_device_use_ratio", "gauge", "Use of the rank's devices.",
	 device_use},
	{"rank_quiet_seconds", "gauge", "Time since the rank's last output.",
	 quiet},
	{"rank_progress_ratio", "gauge", "Progress that the rank reports.",
	 progress},
	{"rank_remaining_seconds", "gauge",
	 "Time that the rank still needs, as it reports.", remaining},
	{"rank_step", "gauge", "The rank's training step.", step_of},
	{"rank_steps_per_second", "gauge", "Training steps in a second.", rate},
	{"rank_loss", "gauge", "The loss that the rank reports.", loss},
	{"rank_report_age_seconds", "gauge", "Time since its last report.",
	 report_age},
	{"rank_busy_ratio", "gauge",
	 "Share of its time that the rank works, as it reports.", busy},
	{"rank_slowdown_ratio", "gauge",
	 "How many times slower than the median the rank is.", slower},
};

static void put_head(FILE *f, const char *name, const char *type,
		     const char *help)
{
	fprintf(f, "# HELP " PREFIX "%s %s\n# TYPE " PREFIX "%s %s\n", name,
		help, name, type);
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

static void put_metric(FILE *f, const struct metric *m,
		       const struct step_view *v, const char *step)
{
	bool any = false;

	for (unsigned i = 0; i < v->nranks; i++) {
		const struct rank_view *r = &v->rank[i];

		if (isnan(m->value(r)))
			continue;
		if (!any)
			put_head(f, m->name, m->type, m->help);
		any = true;
		fprintf(f, PREFIX "%s{", m->name);
		put_step(f, step);
		fprintf(f, ",rank=\"%u\"", r->rank);
		put_node(f, v->node[r->node].name);
		fprintf(f, "} %.10g\n", m->value(r));
	}
}

static void put_count(FILE *f, const char *name, const char *help,
		      const char *step, double value)
{
	put_head(f, name, "gauge", help);
	fprintf(f, PREFIX "%s{", name);
	put_step(f, step);
	fprintf(f, "} %.10g\n", value);
}

void status_prometheus(FILE *f, const struct step_view *v, const char *step)
{
	put_count(f, "step_world_size", "Ranks that the step is to have.", step,
		  v->world_size);
	put_count(f, "step_nodes_here", "Nodes whose launchers have answered.",
		  step, v->n);
	put_count(f, "step_nodes_away", "Nodes whose launchers are not here.",
		  step, v->naway);
	put_count(f, "step_nodes_spare", "Nodes in reserve.", step,
		  step_view_spares(v));
	put_count(f, "step_round", "Restarts in place so far.", step, v->round);
	put_count(f, "step_requeues", "Requeues of the job so far.", step,
		  v->requeues);
	for (size_t i = 0; i < sizeof(metrics) / sizeof(*metrics); i++)
		put_metric(f, &metrics[i], v, step);
}
