/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/cli/command.h"
#include "helpers/cli/stack/stack_show.h"

#define STACK_NATIVE_MS 50000 /* debuggers read a program's symbols */

static const struct command_option options[] = {
	{"json", NULL, "print all stacks and the groups as JSON"},
	{"all", NULL,
	 "show the whole stacks of the first rank of each group: "
	 "all threads, and child processes"},
	{"native", NULL,
	 "ask for the native frames of Python programs, too; "
	 "they stop for longer"},
	{"dump", NULL,
	 "collect what the communication libraries have recorded "
	 "(key hang) instead, and say which rank never "
	 "entered a collective"},
	OPTION_PORTS,
	{0},
};

/* What the launchers have told. */
struct told {
	struct stack_view view;
	struct err *err;
	int rc;
};

static void on_shown(void *arg, unsigned member, const char *node, char *rows)
{
	struct told *told = arg;

	(void)member;
	if (node_names_add(&told->view.answered, node) < 0)
		told->rc = err_memory(told->err);
	else if (stacks_add(told->view.stacks, node, rows, told->err) < 0)
		told->rc = -1;
}

static void on_without(void *arg, const char *node, bool away)
{
	struct told *told = arg;
	struct stack_view *v = &told->view;

	if (node_names_add(away ? &v->away : &v->silent, node) < 0)
		told->rc = err_memory(told->err);
}

/* `way`: the step, and how it is found. */
static int ask(const struct visit *way, const struct given *g, struct err *err)
{
	struct told told = {
		.view = {.job = way->step->job_id,
			 .step = way->step->step_id,
			 .nnodes = way->step->nnodes,
			 .stacks = stacks_new()},
		.err = err,
	};
	struct stack_view *v = &told.view;
	struct visit visit = {
		.step = way->step,
		.ports = way->ports,
		.what = option(g, "native") ? "stack native" : "stack",
		.ms = option(g, "native") ? STACK_NATIVE_MS : STACK_MS,
		.shown = on_shown,
		.without = on_without,
		.arg = &told,
	};
	int rc = v->stacks ? visit_step(&visit, err) : err_memory(err);

	rc = rc < 0 ? rc : told.rc;
	if (rc == 0) {
		v->ngroups = stacks_group(v->stacks, &v->group);
		if (option(g, "json"))
			stack_json(stdout, v);
		else
			stack_text(stdout, v, option(g, "all"));
	}
	stacks_free(v->stacks);
	node_names_clear(&v->answered);
	node_names_clear(&v->silent);
	node_names_clear(&v->away);
	return rc;
}

static int find_and_ask(const char *name, struct visit *way,
			const struct given *g, struct err *err)
{
	struct found_step step;
	int rc;

	if (step_find(name, &step, err) < 0)
		return -1;
	way->step = &step;
	rc = found_step_become_user(&step, err);
	if (rc == 0)
		rc = option(g, "dump") ? stack_dump(way, option(g, "json"), err)
				       : ask(way, g, err);
	found_step_clear(&step);
	return rc;
}

/* Options that can't be meant together. */
static int check_options(const struct given *g, struct err *err)
{
	if (option(g, "dump") && (option(g, "all") || option(g, "native")))
		return err_printf(err, "stack: --dump shows what libraries "
				       "have recorded, and no stacks; give it "
				       "without --all and --native");
	if (option(g, "json") && option(g, "all"))
		return err_printf(err, "stack: --json has the whole stacks of "
				       "all ranks; give it without --all");
	return 0;
}

static int run(struct given *g, struct err *err)
{
	struct visit way = {.step = NULL};

	if (check_options(g, err) < 0 ||
	    visit_read_ports(option(g, "ports"), &way.ports, err) < 0)
		return EXIT_USAGE;
	return find_and_ask(g->word[0], &way, g, err) < 0 ? EXIT_FINDING
							  : EXIT_DONE;
}

const struct command stack_command = {
	.name = "stack",
	.summary = "where every rank of a running step is, grouped",
	.usage = "[JOB[.STEP]] [--all|--json] [--native]\n"
		 "[JOB[.STEP]] --dump [--json]",
	.about = "Takes the stacks of all ranks: by py-spy of the "
		 "job's own Python, by eu-stack, else what /proc "
		 "tells. One line per group of ranks that are at the "
		 "same place; the suspect is marked. For the job's "
		 "user and root. Without JOB as dist-train status.",
	.example = "dist-train stack\n"
		   "dist-train stack 4711.0 --all",
	.page = "dist-train-stack",
	.options = options,
	.words = 1,
	.takes = TAKES_STEP,
	.run = run,
};
