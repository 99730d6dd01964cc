/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/hostlist.h"
#include "core/base/parse.h"
#include "core/base/text_table.h"
#include "helpers/cli/command.h"
#include "helpers/cli/doctor/all_reduce.h"
#include "helpers/cli/json_print.h"
#include "helpers/visit/step_find.h"
#include "registry/registry.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void add_level(struct text_table *t, enum doctor_level level)
{
	static const char *const code[] = {"32", "33", "31"};
	const char *name = doctor_level_name(level);

	if (colour_wanted())
		text_table_add(t, "\033[%sm%s\033[0m", code[level], name);
	else
		text_table_add(t, "%s", name);
}

static int doctor_print(const struct doctor *d, struct err *err)
{
	cleanup_table struct text_table t = {0};
	unsigned count[3] = {0};

	text_table_column(&t, COLUMN_LEFT, "    ");
	text_table_column(&t, COLUMN_LEFT, "check");
	text_table_column(&t, COLUMN_LEFT, "nodes");
	text_table_column(&t, COLUMN_LEFT, "finding -> remedy");
	for (size_t i = 0; i < d->nfindings; i++) {
		const struct doctor_finding *f = &d->finding[i];
		bool all = f->nnodes == d->nnodes && d->nnodes > 1;

		count[f->level]++;
		add_level(&t, f->level);
		text_table_add(&t, "%s", f->check);
		text_table_add(&t, "%s", all ? "all" : f->nodes);
		text_table_add(&t, "%s%s%s", f->text, *f->remedy ? " -> " : "",
			       f->remedy);
	}
	if (text_table_print(stdout, &t, err) < 0)
		return -1;
	printf("\n%u node%s: %u failure%s, %u warning%s\n", d->nnodes,
	       d->nnodes == 1 ? "" : "s", count[DOCTOR_FAIL],
	       count[DOCTOR_FAIL] == 1 ? "" : "s", count[DOCTOR_WARN],
	       count[DOCTOR_WARN] == 1 ? "" : "s");
	return 0;
}

static void doctor_print_json(const struct doctor *d,
			      const struct all_reduce *pairs,
			      const struct all_reduce *measured)
{
	struct json j = json_begin(stdout);

	json_add(&j, "nnodes:%u worst:%s findings:[", d->nnodes,
		 doctor_level_name(doctor_worst(d)));
	for (size_t i = 0; i < d->nfindings; i++) {
		const struct doctor_finding *f = &d->finding[i];

		json_add(&j,
			 "{level:%s check:%s nnodes:%u nodes:%s finding:%s "
			 "remedy:%s}",
			 doctor_level_name(f->level), f->check, f->nnodes,
			 f->nodes, f->text, f->remedy);
	}
	json_add(&j, "]");
	if (pairs)
		all_reduce_json_pairs(&j, d, pairs);
	if (measured)
		all_reduce_json(&j, d, measured);
	json_end(&j);
}

#define TIMEOUT_S     60
#define ALL_REDUCE_S  180 /* a quarter of it measures; the rest is start-up */
#define TIMEOUT_MIN_S 5
#define TIMEOUT_MAX_S 3600

static const struct command_option options[] = {
	{"nodes", "LIST",
	 "only these nodes of the allocation, as in node[1-4]"},
	{"program", "PATH", "check that this program is on every node"},
	{"ports", "MIN-MAX",
	 "the range of ports to check, as in the administrator's "
	 "ports= in plugstack.conf; by default what that file "
	 "says, else 20000-28999"},
	{"timeout", "SECONDS",
	 "how long all checks may take together, 60 by default; and "
	 "then --all-reduce, 180 by default"},
	{"pairs", NULL,
	 "also let pairs of nodes measure their network, as "
	 "check=full does before a start"},
	{"all-reduce", NULL,
	 "then measure an all-reduce with PyTorch on the "
	 "job's devices, and each pair of nodes: a minute"},
	{"python", "FILE",
	 "whose PyTorch --all-reduce takes; python3 in PATH by "
	 "default"},
	{"json", NULL, "print JSON"},
	{"node-report", NULL, NULL},
	{"first", "NODE", NULL},
	{"first-addr", "ADDRESS", NULL},
	{"plugin-dir", "DIR", NULL},
	{"plugin", "FILE", NULL},
	{"plugstack", "FILE", NULL},
	{"alone", NULL, NULL},
	{0},
};

/* As the plugin reads its argument. */
static int read_ports(const char *text, struct doctor_options *o,
		      struct err *err)
{
	struct config config;
	char word[32], *argv[] = {word};
	int rc;

	snprintf(word, sizeof(word), "ports=%s", text ? text : "");
	rc = config_parse(text ? 1 : 0, argv, &config, err);
	o->port_min = config.port_min;
	o->port_max = config.port_max;
	config_clear(&config);
	return rc;
}

static int read_options(const struct given *g, struct doctor_options *o,
			struct err *err)
{
	const char *nodes = option(g, "nodes");
	long seconds = TIMEOUT_S;
	char shown[SHOW_SIZE];
	unsigned n;

	if (nodes && (hostlist_count(nodes, &n) < 0 || !n))
		return err_printf(err,
				  "--nodes=%s: must be a list of nodes, such "
				  "as node[1-4]",
				  show(shown, nodes));
	if (option_seconds(g, "timeout", TIMEOUT_MIN_S, TIMEOUT_MAX_S, &seconds,
			   err) < 0)
		return -1;
	*o = (struct doctor_options){
		.nodes = nodes,
		.program = option(g, "program"),
		.timeout_s = (unsigned)seconds,
		.json = option(g, "json") != NULL,
		.pairs = option(g, "pairs") != NULL,
		.all_reduce = option(g, "all-reduce") != NULL,
		.all_reduce_s =
			option(g, "timeout") ? (unsigned)seconds : ALL_REDUCE_S,
		.python = option(g, "python"),
		.first = option(g, "first") ? option(g, "first") : "",
		.first_addr =
			option(g, "first-addr") ? option(g, "first-addr") : "",
		.plugindir = option(g, "plugin-dir"),
		.plugin = option(g, "plugin"),
		.plugstack = option(g, "plugstack"),
		.alone = option(g, "alone") != NULL,
	};
	return read_ports(option(g, "ports"), o, err);
}

/* Measure, unless srun would wait for a node that doesn't answer. */
static int measure(const struct doctor_options *o, const char *nodes,
		   const struct doctor *d, struct all_reduce *ret,
		   struct err *err)
{
	*ret = (struct all_reduce){.npairs = 0};
	if (!o->all_reduce)
		return 0;
	if (doctor_count(d, "ready") == d->nnodes)
		return all_reduce_run(o, nodes, d, ret, err);
	snprintf(ret->error, sizeof(ret->error),
		 "not measured: not all nodes answer");
	return 0;
}

static int conclude(const struct doctor_options *o, const char *nodes,
		    struct doctor *d, struct err *err)
{
	struct all_reduce pairs, measured;
	int rc = measure(o, nodes, d, &measured, err);

	if (all_reduce_from_pairs(d, &pairs, err) < 0)
		rc = -1;
	if (rc == 0)
		rc = doctor_judge(d, err);
	if (rc == 0 && o->all_reduce)
		rc = all_reduce_judge(d, &measured, err);
	if (rc == 0 && o->json)
		doctor_print_json(d, o->pairs ? &pairs : NULL,
				  o->all_reduce ? &measured : NULL);
	else if (rc == 0 && (doctor_print(d, err) < 0 ||
			     all_reduce_print(d, &pairs, err) < 0 ||
			     all_reduce_print(d, &measured, err) < 0))
		rc = -1;
	all_reduce_clear(&pairs);
	all_reduce_clear(&measured);
	if (rc < 0)
		return EXIT_FINDING;
	if (doctor_worst(d) < DOCTOR_FAIL)
		return EXIT_DONE;
	err_printf(err, "a job would fail on these nodes");
	return EXIT_FOUND;
}

/* What plugstack.conf says, where this host has it. */
static void find_site(struct doctor_options *o, struct site_ports *site,
		      bool ports)
{
	site_ports_find(site, &o->auth);
	if (!site->min)
		return;
	o->plugin = site->plugin;
	o->plugstack = site->file;
	if (ports) {
		o->port_min = site->min;
		o->port_max = site->max;
	}
}

static int examine(struct doctor_options *o, bool ports, struct err *err)
{
	struct site_ports site;
	const char *nodes = o->nodes ? o->nodes : getenv("SLURM_JOB_NODELIST");
	const char *rank = getenv("SLURM_PROCID");
	struct doctor d;
	int status = EXIT_FINDING;

	/* `srun dist-train doctor`: one of its tasks is enough */
	if (rank && strcmp(rank, "0") != 0)
		return EXIT_DONE;
	if (!getenv("SLURM_JOB_ID") || !nodes) {
		err_printf(err, "doctor examines the nodes of an allocation: "
				"run it in salloc or sbatch");
		return EXIT_USAGE;
	}
	find_site(o, &site, ports);
	if (doctor_open(&d, nodes, err) == 0 &&
	    doctor_ask(o, nodes, &d, err) == 0)
		status = conclude(o, nodes, &d, err);
	doctor_clear(&d);
	return status;
}

static int run(struct given *g, struct err *err)
{
	struct doctor_options o;

	if (read_options(g, &o, err) < 0)
		return EXIT_USAGE;
	if (option(g, "node-report"))
		return doctor_node(&o);
	return examine(&o, !option(g, "ports"), err);
}

const struct command doctor_command = {
	.name = "doctor",
	.summary = "whether a job would work on these nodes",
	.usage = "[OPTION]...",
	.about = "Run it in salloc or sbatch. It looks at names, "
		 "addresses, routes, ports, clocks, GPUs, NPUs and "
		 "InfiniBand of every node: one line per finding. Exit "
		 "status 1: a job would fail.",
	.example = "salloc -N4 --gpus-per-node=8 dist-train doctor\n"
		   "salloc -N4 --gpus-per-node=8 dist-train doctor "
		   "--all-reduce",
	.page = "dist-train-doctor",
	.options = options,
	.run = run,
};
