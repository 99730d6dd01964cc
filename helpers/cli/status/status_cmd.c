/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/cli/status/status_cmd.h"

#include "helpers/cli/commands.h"

#include "core/base/cleanup.h"
#include "helpers/cli/status/status_source.h"
#include "helpers/cli/status/view_lines.h"
#include "sys/text_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BETWEEN_MS 500 /* two looks */
#define FOLD_FROM  24  /* ranks: with more of them those alike are one line */

enum {
	OPT_ALL,
	OPT_JSON,
	OPT_PROMETHEUS,
	OPT_PICTURE,
	OPT_OUTPUT,
	OPT_PORTS,
	OPT_ROWS,
	OPT_HELP,
	OPT_COUNT,
};

const struct command_option status_options[] = {
	[OPT_ALL] = {"all", NULL,
		     "(or -a) a line for each rank; else ranks that are alike "
		     "are one line where the step has more than 24"},
	[OPT_JSON] = {"json", NULL, "print it as JSON"},
	[OPT_PROMETHEUS] = {"prometheus", NULL,
			    "print it as Prometheus's text format, for the "
			    "textfile collector of node_exporter"},
	[OPT_PICTURE] = {"picture", "FILE.svg",
			 "draw what is printed; - is standard output"},
	[OPT_OUTPUT] = {"output", "FILE",
			"(or -o) write FILE at once as a whole, not to "
			"standard output"},
	[OPT_PORTS] = OPTION_PORTS,
	[OPT_ROWS] = {"rows", "FILE", NULL},
	[OPT_HELP] = {"help", NULL, "print this help"},
	[OPT_COUNT] = {NULL, NULL, NULL},
};

struct looks {
	struct loop loop;
	struct status_source *source;
	struct step_view first, view;
	bool again;
	struct loop_timer pause;
	int rc;
	struct err *err;
};

static void on_shown(void *arg, const char *node, char *rows)
{
	struct looks *k = arg;

	step_view_add(&k->view, node, rows);
}

static void on_without(void *arg, const char *node, bool away)
{
	struct looks *k = arg;

	step_view_without(&k->view, node, away);
}

/* Once, with the second look. */
static void on_missing(void *arg, const char *line)
{
	const struct looks *k = arg;

	if (k->again)
		fprintf(stderr, "dist-train: %s\n", line);
}

static void ask_again(void *arg)
{
	struct looks *k = arg;

	status_source_ask(k->source);
}

/* A step that ends between the two looks has been seen once. */
static void on_done(void *arg, const struct err *err)
{
	struct looks *k = arg;

	if (err && !k->again) {
		*k->err = *err;
		k->rc = -1;
	} else if (err) {
		step_view_clear(&k->view);
		k->view = k->first;
		k->first = (struct step_view){0};
	} else {
		step_view_finish(&k->view, &k->first);
	}
	if (err || k->again) {
		loop_stop(&k->loop);
		return;
	}
	k->again = true;
	k->first = k->view;
	k->view = (struct step_view){0};
	loop_arm(&k->loop, &k->pause, BETWEEN_MS);
}

static void print_table(FILE *f, const struct table *table)
{
	if (table->lines->n) {
		fputc('\n', f);
		table_head(f, table);
		fputc('\n', f);
	}
	for (unsigned i = 0; i < table->lines->n; i++) {
		table_line(f, table, i);
		fputc('\n', f);
	}
}

static int print_text(FILE *f, const struct step_view *view, const char *step,
		      const struct status_form *form, struct err *err)
{
	const struct lines_options options = {
		.how = form->all || view->nranks <= FOLD_FROM ? LINES_RANKS
							      : LINES_ALIKE,
		.node = "",
	};
	struct lines lines;
	struct table table;
	int rc = 0;

	if (lines_make(view, &options, &lines) < 0)
		return err_memory(err);
	table_make(&lines, 0, &table);
	if (form->picture) {
		rc = status_picture(form->picture, view, step, &table, err);
	} else {
		view_head(f, view, step);
		print_table(f, &table);
	}
	lines_clear(&lines);
	return rc;
}

static int print(FILE *f, const struct step_view *view, const char *step,
		 const struct status_form *form, struct err *err)
{
	if (form->json)
		return status_json(f, view, step, err);
	if (form->prometheus) {
		status_prometheus(f, view, step);
		return 0;
	}
	return print_text(f, view, step, form, err);
}

static int print_to(const struct step_view *view, const char *step,
		    const struct status_form *form, struct err *err)
{
	cleanup_free char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);
	int rc;

	if (!f)
		return err_memory(err);
	rc = print(f, view, step, form, err);
	if (fclose(f) != 0)
		return err_memory(err);
	if (rc == 0 && form->output)
		return write_file(form->output, text, size, 0644, err);
	if (rc == 0)
		fputs(text, stdout);
	return rc;
}

int status_print_once(const struct status_place *place,
		      const struct status_form *form, struct err *err)
{
	struct looks k = {.err = err};
	const struct status_source_calls calls = {
		.shown = on_shown,
		.without = on_without,
		.done = on_done,
		.missing = on_missing,
		.arg = &k,
	};

	if (loop_open(&k.loop, err) < 0)
		return -1;
	k.pause = (struct loop_timer){.expired = ask_again, .arg = &k};
	k.source = status_source_open(place, &k.loop, &calls, err);
	if (!k.source || loop_run(&k.loop, err) < 0)
		k.rc = -1;
	if (k.rc == 0)
		k.rc = print_to(&k.view, status_source_step(k.source), form,
				err);
	status_source_close(k.source);
	loop_close(&k.loop);
	step_view_clear(&k.first);
	step_view_clear(&k.view);
	return k.rc;
}

int status_cmd(int argc, char *argv[], struct err *err)
{
	const char *value[OPT_COUNT] = {NULL};
	int first = command_read(argc, argv, status_options, "aoh", value, err);
	const struct status_form form = {
		.all = value[OPT_ALL],
		.json = value[OPT_JSON],
		.prometheus = value[OPT_PROMETHEUS],
		.picture = value[OPT_PICTURE],
		.output = value[OPT_OUTPUT],
	};
	struct status_place place;
	int nforms = form.json + form.prometheus + !!form.picture;

	if (first < 0)
		return EXIT_USAGE;
	if (value[OPT_HELP])
		return SHOW_HELP;
	place.file = value[OPT_ROWS];
	if (command_one_step(argc, argv, first, err) < 0 ||
	    visit_read_ports(value[OPT_PORTS], &place.ports, err) < 0)
		return EXIT_USAGE;
	place.step = argv[first];
	if (nforms > 1) {
		err_printf(err, "status: --json, --prometheus and --picture "
				"are several forms; give one of them");
		return EXIT_USAGE;
	}
	if (form.picture && form.output) {
		err_printf(err, "status: --picture names its file; give it "
				"without --output");
		return EXIT_USAGE;
	}
	return status_print_once(&place, &form, err) < 0 ? EXIT_FINDING
							 : EXIT_DONE;
}
