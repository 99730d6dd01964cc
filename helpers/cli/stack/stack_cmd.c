/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/cli/stack/stack_cmd.h"

#include "core/option/config.h"
#include "helpers/cli/stack/stack_dump.h"
#include "helpers/cli/stack/stack_show.h"
#include "helpers/visit/visitor.h"

#include <stdlib.h>
#include <string.h>

#define STACK_MS	15000
#define STACK_NATIVE_MS 50000 /* debuggers read a program's symbols */

enum { OPT_JSON, OPT_ALL, OPT_NATIVE, OPT_DUMP, OPT_HELP, OPT_COUNT };

const struct command_option stack_options[] = {
	[OPT_JSON] = {"json", NULL, "print all stacks and the groups as JSON"},
	[OPT_ALL] = {"all", NULL,
		     "show the whole stacks of the first rank of each group: "
		     "all threads, and child processes"},
	[OPT_NATIVE] = {"native", NULL,
			"ask for the native frames of Python programs, too; "
			"they stop for longer"},
	[OPT_DUMP] = {"dump", NULL,
		      "collect what the communication libraries have recorded "
		      "(key recorders) instead, and say which rank never "
		      "entered a collective"},
	[OPT_HELP] = {"help", NULL, "print this help"},
	[OPT_COUNT] = {NULL, NULL, NULL},
};

/* What the launchers have told. */
struct told {
	struct stacks *stacks;
	char (*node)[HOSTLIST_NAME_MAX]; /* that have answered */
	unsigned nnodes, nmax;
	struct err *err;
	int rc;
};

static void on_shown(void *arg, unsigned member, const char *node, char *rows)
{
	struct told *told = arg;
	unsigned i = 0;

	(void)member;
	while (i < told->nnodes && strcmp(told->node[i], node) != 0)
		i++;
	if (i == told->nnodes && i < told->nmax)
		snprintf(told->node[told->nnodes++], HOSTLIST_NAME_MAX, "%s",
			 node);
	if (stacks_add(told->stacks, node, rows, told->err) < 0)
		told->rc = -1;
}

static int print(const struct found_step *step, const struct told *told,
		 const char *const value[], struct err *err)
{
	struct stack_view view = {
		.job = step->job_id,
		.step = step->step_id,
		.nnodes = step->nnodes,
		.nanswered = told->nnodes,
		.stacks = told->stacks,
	};

	view.ngroups = stacks_group(told->stacks, &view.group);
	if (value[OPT_JSON])
		return stack_json(stdout, &view, err);
	stack_text(stdout, &view, value[OPT_ALL] != NULL);
	return 0;
}

static int ask(const struct found_step *step, const char *const value[],
	       struct err *err)
{
	struct told told = {
		.stacks = stacks_new(),
		.node = calloc(step->nnodes + 1, sizeof(*told.node)),
		.nmax = step->nnodes,
		.err = err,
	};
	struct visit visit = {
		.step = step,
		.what = value[OPT_NATIVE] ? "stack native" : "stack",
		.ms = value[OPT_NATIVE] ? STACK_NATIVE_MS : STACK_MS,
		.shown = on_shown,
		.arg = &told,
	};
	struct config config;
	int rc = -1;

	if (!told.stacks || !told.node) {
		err_memory(err);
	} else if (config_parse(0, NULL, &config, err) == 0) {
		visit.port_min = config.port_min;
		visit.port_max = config.port_max;
		config_clear(&config);
		rc = visit_step(&visit, err);
	}
	if (rc == 0)
		rc = told.rc;
	if (rc == 0)
		rc = print(step, &told, value, err);
	stacks_free(told.stacks);
	free(told.node);
	return rc;
}

static int find_and_ask(const char *name, const char *const value[],
			struct err *err)
{
	struct found_step step;
	int rc;

	if (step_find(name, &step, err) < 0)
		return -1;
	rc = found_step_become_user(&step, err);
	if (rc == 0 && !step.running)
		rc = err_printf(err, "no step of job %lu runs", step.job_id);
	if (rc == 0)
		rc = value[OPT_DUMP] ? stack_dump(&step, value[OPT_JSON], err)
				     : ask(&step, value, err);
	found_step_clear(&step);
	return rc;
}

int stack_cmd(int argc, char *argv[], struct err *err)
{
	const char *value[OPT_COUNT] = {NULL};
	int first = command_read(argc, argv, stack_options, "h", value, err);

	if (first < 0)
		return EXIT_USAGE;
	if (value[OPT_HELP])
		return SHOW_HELP;
	if (first + 1 != argc) {
		err_printf(err, "one step is needed: JOB or JOB.STEP");
		return EXIT_USAGE;
	}
	return find_and_ask(argv[first], value, err) < 0 ? EXIT_FINDING
							 : EXIT_DONE;
}
