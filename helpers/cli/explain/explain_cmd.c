/* SPDX-License-Identifier: Apache-2.0 */
#include "core/ascend/chip.h"
#include "core/base/parse.h"
#include "core/base/text.h"
#include "core/command/step_command_check.h"
#include "core/command/wrapped_command.h"
#include "core/plan/framework.h"
#include "core/plan/resolve.h"
#include "helpers/batch/sbatch_script.h"
#include "helpers/cli/explain/roles_view.h"
#include "helpers/code/code.h"
#include "registry/registry.h"
#include "sys/subprocess.h"
#include "sys/text_file.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

static int count_words(char *const *words)
{
	int n = 0;

	while (words && words[n])
		n++;
	return n;
}

/* As srun does. A plan may be refused for what is wrong with the command, so
 * that what its words tell comes first. */
static int check_words(const struct dryrun_view *view,
		       const struct step_command *c, struct err *err)
{
	struct resolved w;
	struct job job;
	int rc;

	if (dryrun_job(view->example, 0, &job, err) < 0)
		return -1;
	resolve(view->request, &job, &w);
	rc = step_command_check_words(view->request, &w, job.ntasks, c, err);
	job_clear(&job);
	return rc;
}

/* With code=freeze, what a step that begins now would keep. */
static void show_code(const struct dryrun_view *view)
{
	const struct code_wish wish = {.argv = view->command};
	struct err ignored;
	char line[8192];

	if (request_word(view->request, KEY_CODE) == CODE_FREEZE &&
	    view->command &&
	    subprocess_ask(code_show, &wish, 10000, line, sizeof(line),
			   &ignored) == 0)
		fprintf(stderr, "dist-train: %s\n", line);
}

static int check_command(const struct dryrun_view *view,
			 const struct step_command *c, struct err *err)
{
	const struct plan *plan = &view->plan;
	char remark[600];

	if (step_command_check(plan, c, getenv, err) < 0)
		return -1;
	if (step_command_remark(plan, c, remark, sizeof(remark)))
		fprintf(stderr, "dist-train: %s\n", remark);
	show_code(view);
	return 0;
}

/* Make the view of task 0 of a command, which may be refused as by srun; its
 * remarks go to stderr. */
static int plan_command(struct dryrun_view *view, struct err *err)
{
	char room[COMMAND_ROOM];
	struct step_command c;

	wrapped_command_read(count_words(view->command), view->command,
			     text_file_read, room, &c);
	if (check_words(view, &c, err) < 0 ||
	    dryrun_view_task(view, 0, err) < 0)
		return -1;
	return check_command(view, &c, err);
}

#define CONF_ARGS_MAX 64

/* All that a run owns. */
struct explain {
	char *conf_text;
	struct config config;
	struct request request;
	struct explain_parts parts;
	struct dryrun example;
	struct dryrun_view view;
	enum chip chip; /* CHIP_UNKNOWN: not given */
	struct text_stream notes;
	char *notes_text;
	struct explain_wish wish;
};

static void explain_clear_step(struct explain *x)
{
	request_clear(&x->request);
	explain_parts_clear(&x->parts);
	dryrun_view_clear(&x->view);
	dryrun_clear(&x->example);
	free(x->notes_text);
	x->notes_text = NULL;
}

static void explain_clear(struct explain *x)
{
	free(x->conf_text);
	config_clear(&x->config);
	explain_clear_step(x);
}

static int read_conf(const struct arguments *a, struct explain *x,
		     struct err *err)
{
	char *argv[CONF_ARGS_MAX], *save = NULL;
	struct err why;
	int argc = 0;

	x->conf_text = strdup(
		option(&a->given, "conf") ? option(&a->given, "conf") : "");
	if (!x->conf_text)
		return err_memory(err);
	for (char *word = strtok_r(x->conf_text, " \t\n", &save); word;
	     word = strtok_r(NULL, " \t\n", &save)) {
		if (argc == CONF_ARGS_MAX)
			return err_printf(err, "--conf: at most %d arguments",
					  CONF_ARGS_MAX);
		argv[argc++] = word;
	}
	if (config_parse(argc, argv, &x->config, &why) == 0)
		return 0;
	return err_printf(err, "--conf: %.900s", why.text);
}

static int read_request(const struct arguments *a, struct explain *x,
			struct err *err)
{
	char remark[REQUEST_REMARK_SIZE];

	if (request_parse(a->request, x->config.defaults, x->config.allow,
			  &x->request, err) < 0)
		return -1;
	for (size_t n = 0; request_remark(&x->request, n, remark); n++)
		fprintf(stderr, "dist-train: %s\n", remark);
	if (!x->request.framework)
		return err_printf(err, "'none' turns the plugin off, so there "
				       "is nothing to explain");
	return 0;
}

static int read_chip(const struct arguments *a, struct explain *x,
		     struct err *err)
{
	const char *name = option(&a->given, "chip");
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

/* Whether srun's options other than --nodes and --distribution are given:
 * these two are also words of explain's own. */
static bool has_sruns(const struct step_ask *ask)
{
	for (int i = 0; i < ASK_COUNT; i++)
		if (ask->value[i] && i != ASK_NODES && i != ASK_DISTRIBUTION)
			return true;
	return false;
}

/* explain's own way to describe a layout: --nodes may be names, counts are by
 * node. */
static int own_layout(const struct step_ask *ask, FILE *notes,
		      struct step_layout *layout, struct dryrun_spec *spec,
		      struct err *err)
{
	struct step_ask distribution = {
		.value = {[ASK_DISTRIBUTION] = ask->value[ASK_DISTRIBUTION]}};

	spec->nodes = ask->value[ASK_NODES];
	return step_layout_make(&distribution, notes, layout, err);
}

/* Whether a text isn't N or MIN-MAX. */
static bool is_names(const char *nodes)
{
	return nodes && nodes[strspn(nodes, "0123456789-")];
}

/* srun's way, from its own line or from explain's options. */
static int sruns_layout(const struct arguments *a, const struct step_ask *ask,
			FILE *notes, struct step_layout *layout,
			struct dryrun_spec *spec, struct err *err)
{
	struct step_ask names = *ask;

	if (!a->argc && is_names(ask->value[ASK_NODES]) &&
	    !ask->value[ASK_NODELIST]) {
		names.value[ASK_NODELIST] = ask->value[ASK_NODES];
		names.value[ASK_NODES] = NULL;
	}
	if (step_layout_make(&names, notes, layout, err) < 0)
		return -1;
	spec->nodes = layout->nodes;
	spec->tasks = layout->tasks;
	spec->devices = layout->devices;
	spec->task_devices = layout->task_devices;
	spec->npu = layout->npu;
	return 0;
}

/* Where tasks and devices are: of explain's options, or of a line of srun. */
static int find_layout(const struct arguments *a, const struct step_ask *ask,
		       const struct srun_line *line, FILE *notes,
		       struct explain *x, struct step_layout *layout,
		       struct dryrun_spec *spec, struct err *err)
{
	if (line && line->nparts)
		return explain_parts_read(line, &x->config, notes, &x->parts,
					  spec, err);
	if (a->argc || has_sruns(ask))
		return sruns_layout(a, ask, notes, layout, spec, err);
	return own_layout(ask, notes, layout, spec, err);
}

/* What is said of a heterogeneous step before its tasks start. */
static int note_components(struct explain *x, FILE *notes, struct err *err)
{
	char remark[COMPONENTS_REMARK_SIZE];

	if (!x->parts.n)
		return 0;
	if (dryrun_components_remark(&x->example, remark, err) < 0)
		return -1;
	if (*remark)
		fprintf(notes, "%s\n", remark);
	return 0;
}

static int read_layout(const struct arguments *a, const struct step_ask *ask,
		       const struct srun_line *line, FILE *notes,
		       struct explain *x, struct err *err)
{
	__attribute__((
		cleanup(step_layout_clear))) struct step_layout layout = {
		.nodes = NULL};
	struct dryrun_spec spec = {.nodes = NULL};
	struct resolved resolved;
	long job, step;

	if (read_chip(a, x, err) < 0 ||
	    arguments_number(a, "job", 1, UINT_MAX, &job, err) < 0 ||
	    arguments_number(a, "step", 0, UINT_MAX, &step, err) < 0)
		return -1;
	if (find_layout(a, ask, line, notes, x, &layout, &spec, err) < 0)
		return -1;
	resolve(&x->request, NULL, &resolved);
	if (!resolved.recovery) { /* a world is in blocks in any case */
		spec.cyclic = layout.cyclic;
		spec.plane = layout.plane;
	}
	spec.job_id = (unsigned long)job;
	spec.step_id = (unsigned long)step;
	if (option(&a->given, "tasks-per-node"))
		spec.tasks = option(&a->given, "tasks-per-node");
	if (option(&a->given, "devices"))
		spec.devices = option(&a->given, "devices");
	if (dryrun_make(&spec, &x->example, err) < 0 ||
	    note_components(x, notes, err) < 0)
		return -1;
	return dryrun_order_read(option(&a->given, "topology"), &x->request,
				 &x->config, notes, &x->example, err);
}

/* The nodes' own processes are no user's: what is in the file is shown. */
static int show_roles(const struct arguments *a, struct explain *x,
		      struct err *err)
{
	struct roles_view view = {0};
	int status = EXIT_FINDING;

	if (dryrun_view_task(&x->view, 0, err) == 0 &&
	    roles_view_make(a->command, &x->config, &x->example, &view, err) ==
		    0)
		status = roles_show(&view, &x->wish, err);
	roles_view_clear(&view);
	return status;
}

static int show_step(const struct arguments *a, struct explain *x,
		     struct err *err)
{
	x->view = (struct dryrun_view){
		.example = &x->example,
		.request = &x->request,
		.part = x->parts.n ? x->parts.request : NULL,
		.config = &x->config,
		.command = x->parts.n ? NULL : a->command,
		.words = a->request,
	};
	if (x->request.framework->program_is_file)
		return show_roles(a, x, err);
	if (plan_command(&x->view, err) < 0 ||
	    dryrun_groups_check(&x->view, err) < 0 ||
	    dryrun_npus_check(&x->view, x->chip, err) < 0)
		return EXIT_FINDING;
	return explain_show(&x->view, &x->wish, err);
}

/* How a step's layout is understood, after `before`. Returns 0 or -1. */
static int begin_notes(struct explain *x, const char *before, struct err *err)
{
	if (!text_stream_open(&x->notes))
		return err_memory(err);
	fputs(before, x->notes.f);
	return 0;
}

static int end_notes(struct explain *x, int rc, struct err *err)
{
	x->wish.notes = x->notes_text = text_stream_end(&x->notes, rc, err);
	return x->notes_text ? 0 : -1;
}

/* One step, from its request and layout on; its notes have begun. */
static int explain_step(const struct arguments *a, const struct step_ask *ask,
			const struct srun_line *line, struct explain *x,
			struct err *err)
{
	int rc = read_request(a, x, err);

	if (rc == 0)
		rc = read_layout(a, ask, line, x->notes.f, x, err);
	return end_notes(x, rc, err) < 0 ? EXIT_USAGE : show_step(a, x, err);
}

static int explain_own(const struct arguments *a, struct explain *x,
		       struct err *err)
{
	if (begin_notes(x, "", err) < 0)
		return EXIT_FINDING;
	return explain_step(a, &a->ask, NULL, x, err);
}

static int explain_srun(const struct arguments *given, struct explain *x,
			struct err *err)
{
	struct srun_line line = {.ask = given->ask};
	const char *option = x->config.option;
	struct arguments a = *given;
	int rc;

	if (begin_notes(x, "", err) < 0)
		return EXIT_FINDING;
	rc = srun_line_read(a.argc, a.argv, option, "", x->notes.f, NULL, 0,
			    &line, err);
	if (rc == 0 && !line.request)
		rc = err_printf(err,
				"explain srun: the line has no --%s="
				"FRAMEWORK[,KEY=VALUE]...",
				option);
	if (rc < 0) {
		end_notes(x, rc, err);
		return EXIT_USAGE;
	}
	a.request = line.request;
	a.command = line.command;
	return explain_step(&a, &line.ask, &line, x, err);
}

/* What a step of the script leaves for the next one is its configuration. */
static int script_step(const struct arguments *given,
		       const struct script_step *step, bool alone,
		       const char *notes, struct explain *x, struct err *err)
{
	struct arguments a = *given;

	if (begin_notes(x, notes, err) < 0)
		return EXIT_FINDING;
	a.request = step->srun.request;
	a.command = step->srun.command;
	if (!alone) {
		printf("Line %u: srun", step->line);
		for (char **word = step->argv + 1; *word; word++)
			printf(" %s", *word);
		fputs("\n\n", stdout);
	}
	return explain_step(&a, &step->srun.ask, &step->srun, x, err);
}

static int choose_step(const struct arguments *a, const struct script *s,
		       struct err *err)
{
	long line;

	if (arguments_number(a, "line", 0, INT_MAX, &line, err) < 0)
		return -1;
	for (unsigned i = 0; i < s->nsteps; i++)
		if (line == (long)s->step[i].line)
			return (int)i;
	if (!option(&a->given, "line") && s->nsteps == 1)
		return 0;
	return err_printf(err,
			  "the script has %u step%s with the option: lines %u "
			  "to %u; choose one with --line=N",
			  s->nsteps, s->nsteps == 1 ? "" : "s", s->step[0].line,
			  s->step[s->nsteps - 1].line);
}

static int show_script(const struct arguments *a, const struct script *s,
		       const char *notes, struct explain *x, struct err *err)
{
	bool all = !option(&a->given, "line") && s->nsteps > 1 &&
		   x->wish.format == FORMAT_TEXT && !x->wish.picture;
	int status = EXIT_DONE, one;

	if (!all) {
		one = choose_step(a, s, err);
		return one < 0 ? EXIT_USAGE
			       : script_step(a, &s->step[one], true, notes, x,
					     err);
	}
	for (unsigned i = 0; i < s->nsteps && status == EXIT_DONE; i++) {
		if (i)
			putchar('\n');
		status = script_step(a, &s->step[i], false, i ? "" : notes, x,
				     err);
		explain_clear_step(x);
	}
	return status;
}

static int explain_sbatch(const struct arguments *a, struct explain *x,
			  struct err *err)
{
	__attribute__((cleanup(script_clear))) struct script script = {0};
	cleanup_free char *text = NULL;
	struct text_stream notes;
	FILE *f = text_stream_open(&notes);
	int rc = f ? script_read(a->argc, a->argv, x->config.option, f, &script,
				 err)
		   : err_memory(err);

	text = text_stream_end(&notes, rc, err);
	return text ? show_script(a, &script, text, x, err) : EXIT_USAGE;
}

static int run(struct given *g, struct err *err)
{
	__attribute__((cleanup(explain_clear))) struct explain x = {0};
	struct arguments a = {0};
	int status = arguments_read(g->command, g->n + 1, g->word - 1, &a, err);

	if (status)
		return status;
	if (arguments_wish(&a, &x.wish, err) < 0 ||
	    read_conf(&a, &x, err) < 0 ||
	    config_own_defaults(getenv(CONFIG_OWN_DEFAULTS), &x.config, err) <
		    0)
		return EXIT_USAGE;
	if (a.request && help_asked(stdout, a.request, x.config.allow))
		return EXIT_DONE;
	if (!a.argc)
		return explain_own(&a, &x, err);
	return !strcmp(a.argv[0], "srun") ? explain_srun(&a, &x, err)
					  : explain_sbatch(&a, &x, err);
}

static const struct command_option options[] = {
	{"nodes", "N|LIST", "(or -N) as srun's; or names such as node[1-4]"},
	{"nodelist", "LIST", "(or -w) as srun's: the nodes by name"},
	{"ntasks", "N", "(or -n) as srun's"},
	{"ntasks-per-node", "N", "as srun's"},
	{"gpus", "N", "(or -G) as srun's: of the step"},
	{"gpus-per-node", "N", "as srun's"},
	{"gpus-per-task", "N", "as srun's: each task sees its own"},
	{"ntasks-per-gpu", "N", "as srun's"},
	{"gres", "gpu:N|npu:N", "as srun's; npu: Ascend NPUs"},
	{"distribution", "HOW",
	 "(or -m) as srun's: block, cyclic or "
	 "plane=N"},
	{"tasks-per-node", "LIST", "tasks, node by node: 2,1,1,1 or 2(x3),1"},
	{"devices", "LIST",
	 "devices of the step, of every node or node by node"},
	{"chip", "CHIP",
	 "chip of the NPUs, whose rules hold: " CHIP_NAMES
	 "; by default only what holds for all"},
	{"topology", "FILE",
	 "where the nodes are: what scontrol show topology "
	 "prints, or topology.conf; for order=topology"},
	{"rank", "R|all",
	 "the process to show; all: what all have in common, and "
	 "a table of the rest; rank 0 by default, all with "
	 "--json"},
	{"diff", "R,R", "what differs between two processes"},
	{"format", "FORMAT",
	 "text, json, sh (to source), env (NAME=value) or names "
	 "(of all processes)"},
	{"all", NULL, "also the neutral names DIST_TRAIN_*"},
	{"line", "N", "of a script: the step of this line"},
	{"job", "ID", "number of the job; 1 by default"},
	{"step", "ID", "number of the step; 0 by default"},
	{"conf", "'ARG=VALUE ...'",
	 "the plugin's arguments, as in plugstack.conf"},
	{"json", NULL, "print JSON"},
	{"picture", "FILE",
	 "(or -o) draw the layout: FILE.svg, FILE.html or -"},
	{0},
};

const struct command explain_command = {
	.name = "explain",
	.summary = "what each process would get, without a step",
	.usage = "[OPTION]... srun ... --dist-train=... PROGRAM\n"
		 "[OPTION]... sbatch FILE\n"
		 "FRAMEWORK[,KEY=VALUE]... [OPTION]... [-- PROGRAM]",
	.about = "Shows the variables that srun --dist-train=FRAMEWORK "
		 "gives to a process, and where each comes from: of an "
		 "srun line, of each step of an sbatch script, or of a "
		 "layout from the options. No Slurm is needed.",
	.example = "dist-train explain srun -N4 --gpus-per-node=8 "
		   "--dist-train=ddp python3 a.py\n"
		   "dist-train explain ddp -N2 --gpus-per-node=8 "
		   "--diff 0,9\n"
		   "dist-train explain ddp --nodes 4 --devices 8 "
		   "--picture layout.html",
	.page = "dist-train-explain",
	.options = options,
	.words = ANY_WORDS,
	.reads = true,
	.run = run,
};
