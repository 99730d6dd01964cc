/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/cli/status/status_cmd.h"

#include "core/base/text_stream.h"
#include "helpers/cli/commands.h"

#include "core/base/cleanup.h"
#include "helpers/cli/status/view_lines.h"
#include "sys/text_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BETWEEN_MS 500 /* two looks */
#define FOLD_FROM  24  /* ranks: with more of them those alike are one line */

enum {
	OPT_ALL,
	OPT_JSON,
	OPT_PROMETHEUS,
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
	[OPT_OUTPUT] = {"output", "FILE",
			"(or -o) write FILE at once as a whole, not to "
			"standard output"},
	[OPT_PORTS] = OPTION_PORTS,
	[OPT_ROWS] = {"rows", "FILE", NULL},
	[OPT_HELP] = {"help", NULL, "print this help"},
	[OPT_COUNT] = {NULL, NULL, NULL},
};

struct status {
	struct loop loop;
	struct looks *looks;
	unsigned nlooks;
	struct loop_timer pause;
	int rc;
	struct err *err;
};

/* Once, with the second look. */
static void on_missing(void *arg, const char *line)
{
	const struct status *s = arg;

	if (s->nlooks)
		fprintf(stderr, "dist-train: %s\n", line);
}

static void ask_again(void *arg)
{
	struct status *s = arg;

	looks_ask(s->looks);
}

/* A step that ends between the two looks has been seen once. */
static void on_done(void *arg, const struct err *err)
{
	struct status *s = arg;

	if (err && !s->nlooks) {
		*s->err = *err;
		s->rc = -1;
	}
	if (err || s->nlooks++)
		loop_stop(&s->loop);
	else
		loop_arm(&s->loop, &s->pause, BETWEEN_MS);
}

static int print_table(FILE *f, const struct lines *lines, struct err *err)
{
	cleanup_table struct text_table table = {0};

	if (!lines->n)
		return 0;
	view_table(lines, &table);
	fputc('\n', f);
	return text_table_print(f, &table, err);
}

static int print_text(FILE *f, const struct step_view *view, const char *step,
		      const struct status_form *form, struct err *err)
{
	const struct lines_options options = {
		.how = form->all || view->nranks <= FOLD_FROM ? LINES_RANKS
							      : LINES_ALIKE,
	};
	struct lines lines;
	int rc;

	if (lines_make(view, &options, &lines) < 0)
		return err_memory(err);
	view_head(f, view, step);
	rc = print_table(f, &lines, err);
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
	struct text_stream stream;
	FILE *f = text_stream_open(&stream);

	if (!f)
		return err_memory(err);
	text = text_stream_end(&stream, print(f, view, step, form, err), err);
	if (!text)
		return -1;
	if (form->output)
		return write_file(form->output, text, stream.size, 0644, err);
	fputs(text, stdout);
	return 0;
}

int status_print_once(const struct looks_place *place,
		      const struct status_form *form, struct err *err)
{
	struct status s = {.err = err};
	const struct looks_calls calls = {
		.done = on_done,
		.missing = on_missing,
		.arg = &s,
	};

	if (loop_open(&s.loop, err) < 0)
		return -1;
	s.pause = (struct loop_timer){.expired = ask_again, .arg = &s};
	s.looks = looks_open(place, &s.loop, &calls, err);
	if (!s.looks || loop_run(&s.loop, err) < 0)
		s.rc = -1;
	if (s.rc == 0)
		s.rc = print_to(looks_view(s.looks), looks_step(s.looks), form,
				err);
	looks_close(s.looks);
	loop_close(&s.loop);
	return s.rc;
}

int status_cmd(int argc, char *argv[], struct err *err)
{
	const char *value[OPT_COUNT] = {NULL};
	int first = command_read(argc, argv, status_options, "aoh", value, err);
	const struct status_form form = {
		.all = value[OPT_ALL],
		.json = value[OPT_JSON],
		.prometheus = value[OPT_PROMETHEUS],
		.output = value[OPT_OUTPUT],
	};
	struct looks_place place;

	if (first < 0)
		return EXIT_USAGE;
	if (value[OPT_HELP])
		return SHOW_HELP;
	place.file = value[OPT_ROWS];
	if (command_one_step(argc, argv, first, err) < 0 ||
	    visit_read_ports(value[OPT_PORTS], &place.ports, err) < 0)
		return EXIT_USAGE;
	place.step = argv[first];
	if (form.json && form.prometheus) {
		err_printf(err, "status: --json and --prometheus are two "
				"forms; give one of them");
		return EXIT_USAGE;
	}
	return status_print_once(&place, &form, err) < 0 ? EXIT_FINDING
							 : EXIT_DONE;
}
