/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/cli/commands.h"

#include "helpers/cli/stack/stack_show.h"
#include "helpers/visit/visitor.h"

#define STACK_NATIVE_MS 50000 /* debuggers read a program's symbols */

enum {
	OPT_JSON,
	OPT_ALL,
	OPT_NATIVE,
	OPT_DUMP,
	OPT_PORTS,
	OPT_HELP,
	OPT_COUNT,
};

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
		      "(key hang) instead, and say which rank never "
		      "entered a collective"},
	[OPT_PORTS] = OPTION_PORTS,
	[OPT_HELP] = {"help", NULL, "print this help"},
	[OPT_COUNT] = {NULL, NULL, NULL},
};

/* What the launchers have told. */
struct told {
	struct stacks *stacks;
	struct node_names answered, silent, away;
	struct err *err;
	int rc;
};

static void on_shown(void *arg, unsigned member, const char *node, char *rows)
{
	struct told *told = arg;

	(void)member;
	if (node_names_add(&told->answered, node) < 0)
		told->rc = err_memory(told->err);
	else if (stacks_add(told->stacks, node, rows, told->err) < 0)
		told->rc = -1;
}

static void on_without(void *arg, const char *node, bool away)
{
	struct told *told = arg;

	if (node_names_add(away ? &told->away : &told->silent, node) < 0)
		told->rc = err_memory(told->err);
}

static int print(const struct found_step *step, const struct told *told,
		 const char *const value[], struct err *err)
{
	struct stack_view view = {
		.job = step->job_id,
		.step = step->step_id,
		.nnodes = step->nnodes,
		.answered = &told->answered,
		.silent = &told->silent,
		.away = &told->away,
		.stacks = told->stacks,
	};

	view.ngroups = stacks_group(told->stacks, &view.group);
	if (value[OPT_JSON])
		return stack_json(stdout, &view, err);
	stack_text(stdout, &view, value[OPT_ALL] != NULL);
	return 0;
}

/* `way`: the step, and how it is found. */
static int ask(const struct visit *way, const char *const value[],
	       struct err *err)
{
	struct told told = {.stacks = stacks_new(), .err = err};
	struct visit visit = {
		.step = way->step,
		.ports = way->ports,
		.what = value[OPT_NATIVE] ? "stack native" : "stack",
		.ms = value[OPT_NATIVE] ? STACK_NATIVE_MS : STACK_MS,
		.shown = on_shown,
		.without = on_without,
		.arg = &told,
	};
	int rc = told.stacks ? visit_step(&visit, err) : err_memory(err);

	if (rc == 0)
		rc = told.rc;
	if (rc == 0)
		rc = print(way->step, &told, value, err);
	stacks_free(told.stacks);
	node_names_clear(&told.answered);
	node_names_clear(&told.silent);
	node_names_clear(&told.away);
	return rc;
}

static int find_and_ask(const char *name, struct visit *way,
			const char *const value[], struct err *err)
{
	struct found_step step;
	int rc;

	if (step_find(name, &step, err) < 0)
		return -1;
	way->step = &step;
	rc = found_step_become_user(&step, err);
	if (rc == 0)
		rc = value[OPT_DUMP] ? stack_dump(way, value[OPT_JSON], err)
				     : ask(way, value, err);
	found_step_clear(&step);
	return rc;
}

/* Options that can't be meant together. */
static int check_options(const char *const value[], struct err *err)
{
	if (value[OPT_DUMP] && (value[OPT_ALL] || value[OPT_NATIVE]))
		return err_printf(err, "stack: --dump shows what libraries "
				       "have recorded, and no stacks; give it "
				       "without --all and --native");
	if (value[OPT_JSON] && value[OPT_ALL])
		return err_printf(err, "stack: --json has the whole stacks of "
				       "all ranks; give it without --all");
	return 0;
}

int stack_cmd(int argc, char *argv[], struct err *err)
{
	const char *value[OPT_COUNT] = {NULL};
	int first = command_read(argc, argv, stack_options, "h", value, err);
	struct visit way = {.step = NULL};

	if (first < 0)
		return EXIT_USAGE;
	if (value[OPT_HELP])
		return SHOW_HELP;
	if (command_one_step(argc, argv, first, err) < 0 ||
	    check_options(value, err) < 0 ||
	    visit_read_ports(value[OPT_PORTS], &way.ports, err) < 0)
		return EXIT_USAGE;
	return find_and_ask(argv[first], &way, value, err) < 0 ? EXIT_FINDING
							       : EXIT_DONE;
}
