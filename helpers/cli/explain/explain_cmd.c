/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/cli/explain/explain_cmd.h"

#include "core/ascend/chip.h"
#include "core/base/cleanup.h"
#include "core/base/parse.h"
#include "core/plan/framework.h"
#include "helpers/cli/explain/dryrun_npus.h"
#include "helpers/cli/explain/explain_text.h"
#include "helpers/cli/explain/layout_svg.h"
#include "helpers/cli/json_out.h"
#include "registry/request.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#define CONF_ARGS_MAX 64

enum {
	OPT_NODES,
	OPT_TASKS,
	OPT_DEVICES,
	OPT_CHIP,
	OPT_DISTRIBUTION,
	OPT_RANK,
	OPT_JOB,
	OPT_STEP,
	OPT_CONF,
	OPT_JSON,
	OPT_PICTURE,
	OPT_HELP,
	OPT_COUNT,
};

const struct command_option explain_options[] = {
	[OPT_NODES] = {"nodes", "N|LIST",
		       "nodes of the step: a number, or names such as "
		       "node[1-4]; one node by default"},
	[OPT_TASKS] = {"tasks-per-node", "N[,N]...",
		       "tasks on every node, or one number per node such as "
		       "2,1,1,1; 1 by default"},
	[OPT_DEVICES] = {"devices", "N[,N]...",
			 "devices of the step on every node, or one number per "
			 "node; none by default"},
	[OPT_CHIP] = {"chip", "CHIP",
		      "chip of the NPUs, whose rules hold: " CHIP_NAMES
		      "; by default only what holds for all"},
	[OPT_DISTRIBUTION] =
		{"distribution", "block|cyclic",
		 "how Slurm distributes tasks over nodes; block by default"},
	[OPT_RANK] =
		{"rank", "R",
		 "the process to show; rank 0 by default, all with --json"},
	[OPT_JOB] = {"job", "ID", "number of the job; 1 by default"},
	[OPT_STEP] = {"step", "ID", "number of the step; 0 by default"},
	[OPT_CONF] = {"conf", "'ARG=VALUE ...'",
		      "the plugin's arguments, as in plugstack.conf"},
	[OPT_JSON] = {"json", NULL, "print JSON"},
	[OPT_PICTURE] = {"picture", "FILE.svg",
			 "draw the layout into this file instead of printing"},
	[OPT_HELP] = {"help", NULL, "print this help"},
	[OPT_COUNT] = {NULL, NULL, NULL},
};

struct arguments {
	const char *request;
	const char *value[OPT_COUNT]; /* NULL: not given */
};

/* All that a run owns. */
struct explain {
	char *conf_text;
	struct config config;
	struct request request;
	struct dryrun example;
	struct dryrun_view view;
	enum chip chip; /* CHIP_UNKNOWN: not given */
};

static void explain_clear(struct explain *x)
{
	free(x->conf_text);
	config_clear(&x->config);
	request_clear(&x->request);
	dryrun_view_clear(&x->view);
	dryrun_clear(&x->example);
}

static int read_arguments(int argc, char *argv[], struct arguments *ret,
			  struct err *err)
{
	char shown[SHOW_SIZE];
	int first =
		command_read(argc, argv, explain_options, "", ret->value, err);

	if (first < 0)
		return -1;
	if (first == argc && !ret->value[OPT_HELP])
		return err_printf(err, "explain: which framework? write "
				       "explain FRAMEWORK[,KEY=VALUE]...");
	if (first + 1 < argc)
		return err_printf(err, "explain: unexpected argument %s",
				  show(shown, argv[first + 1]));
	ret->request = argv[first];
	return 0;
}

/* An option's number; `initial` when it isn't given. */
static int read_number(const struct arguments *a, int option, long initial,
		       long max, long *ret, struct err *err)
{
	char shown[SHOW_SIZE];

	*ret = initial;
	if (!a->value[option] ||
	    parse_number(a->value[option], 0, max, ret) == 0)
		return 0;
	return err_printf(err, "--%s=%s: must be a number up to %ld",
			  explain_options[option].name,
			  show(shown, a->value[option]), max);
}

static int read_conf(const struct arguments *a, struct explain *x,
		     struct err *err)
{
	char *argv[CONF_ARGS_MAX], *save = NULL;
	int argc = 0;

	x->conf_text = strdup(a->value[OPT_CONF] ? a->value[OPT_CONF] : "");
	if (!x->conf_text)
		return err_memory(err);
	for (char *word = strtok_r(x->conf_text, " \t\n", &save); word;
	     word = strtok_r(NULL, " \t\n", &save)) {
		if (argc == CONF_ARGS_MAX)
			return err_printf(err, "--conf: at most %d arguments",
					  CONF_ARGS_MAX);
		argv[argc++] = word;
	}
	return request_config(argc, argv, &x->config, err);
}

static int read_request(const struct arguments *a, struct explain *x,
			struct err *err)
{
	if (request_parse(a->request, x->config.defaults, x->config.allow,
			  &x->request, err) < 0)
		return -1;
	if (!x->request.framework)
		return err_printf(err, "'none' turns the plugin off, so there "
				       "is nothing to explain");
	return 0;
}

static int read_chip(const struct arguments *a, struct explain *x,
		     struct err *err)
{
	const char *name = a->value[OPT_CHIP];
	char shown[SHOW_SIZE];

	if (!name)
		return 0;
	if (!x->request.framework->npu)
		return err_printf(err,
				  "--chip is for frameworks of NPUs, "
				  "not for %s",
				  x->request.framework->name);
	if (chip_parse(name, &x->chip) == 0)
		return 0;
	return err_printf(err, "--chip=%s: none of " CHIP_NAMES,
			  show(shown, name));
}

static int read_layout(const struct arguments *a, struct explain *x,
		       struct err *err)
{
	const char *distribution = a->value[OPT_DISTRIBUTION];
	char shown[SHOW_SIZE];
	struct dryrun_spec spec = {
		.nodes = a->value[OPT_NODES],
		.tasks = a->value[OPT_TASKS],
		.devices = a->value[OPT_DEVICES],
		.cyclic = distribution && !strcmp(distribution, "cyclic"),
	};
	long job, step;

	if (distribution && !spec.cyclic && strcmp(distribution, "block") != 0)
		return err_printf(err,
				  "--distribution=%s: must be block or cyclic",
				  show(shown, distribution));
	if (read_chip(a, x, err) < 0 ||
	    read_number(a, OPT_JOB, 1, UINT_MAX, &job, err) < 0 ||
	    read_number(a, OPT_STEP, 0, UINT_MAX, &step, err) < 0)
		return -1;
	spec.job_id = (unsigned long)job;
	spec.step_id = (unsigned long)step;
	return dryrun_make(&spec, &x->example, err);
}

static int print_explain(const struct arguments *a, struct explain *x,
			 long rank, struct err *err)
{
	char examples[EXPLAIN_TEXT_SIZE], remark[EXPLAIN_TEXT_SIZE];
	struct json_step step = {.examples = examples, .remark = remark};

	if (a->value[OPT_PICTURE])
		return layout_svg_write(&x->view, a->value[OPT_PICTURE], err) <
				       0
			       ? EXIT_FINDING
			       : EXIT_DONE;
	if (explain_examples(&x->view, examples, err) < 0 ||
	    explain_remark(&x->view, remark, err) < 0)
		return EXIT_FINDING;
	if (!a->value[OPT_JSON])
		return explain_text(stdout, &x->view, (unsigned)rank, examples,
				    remark, err) < 0
			       ? EXIT_FINDING
			       : EXIT_DONE;
	step.first = (unsigned)rank;
	step.end =
		a->value[OPT_RANK] ? step.first + 1 : x->view.plan.world_size;
	return json_explain(stdout, &x->view, &step, err) < 0 ? EXIT_FINDING
							      : EXIT_DONE;
}

static int show_step(const struct arguments *a, struct explain *x,
		     struct err *err)
{
	unsigned world_size;
	long rank;

	x->view = (struct dryrun_view){
		.example = &x->example,
		.request = &x->request,
		.config = &x->config,
	};
	if (read_number(a, OPT_RANK, 0, INT_MAX, &rank, err) < 0)
		return EXIT_USAGE;
	if (dryrun_view_task(&x->view, 0, err) < 0 ||
	    dryrun_npus_check(&x->view, x->chip, err) < 0)
		return EXIT_FINDING;
	world_size = x->view.plan.world_size;
	if (rank < (long)world_size)
		return print_explain(a, x, rank, err);
	err_printf(err, "--rank=%ld: the step has ranks 0 to %u", rank,
		   world_size - 1);
	return EXIT_USAGE;
}

int explain_cmd(int argc, char *argv[], struct err *err)
{
	__attribute__((cleanup(explain_clear))) struct explain x = {0};
	struct arguments a = {0};

	if (read_arguments(argc, argv, &a, err) < 0)
		return EXIT_USAGE;
	if (a.value[OPT_HELP]) {
		return SHOW_HELP;
	}
	if (read_conf(&a, &x, err) < 0 || read_request(&a, &x, err) < 0 ||
	    read_layout(&a, &x, err) < 0)
		return EXIT_USAGE;
	return show_step(&a, &x, err);
}
