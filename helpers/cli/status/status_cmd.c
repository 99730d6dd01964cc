/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/cli/status/looks.h"

#include "core/base/text.h"
#include "helpers/cli/command.h"
#include "helpers/cli/json_print.h"
#include "helpers/cli/picture.h"

#include "helpers/cli/status/view_lines.h"
#include "sys/text_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BETWEEN_MS 500 /* two looks */
#define FOLD_FROM  24  /* ranks: with more of them those alike are one line */

static const struct command_option options[] = {
	{"all", NULL,
	 "(or -a) a line for each rank; else ranks that are alike "
	 "are one line where the step has more than 24"},
	{"json", NULL, "print it as JSON"},
	{"prometheus", NULL,
	 "print it as Prometheus's text format, for the "
	 "textfile collector of node_exporter"},
	{"output", "FILE",
	 "(or -o) write FILE at once as a whole, not to "
	 "standard output; FILE.html is a page for a browser"},
	{"picture", "FILE", NULL}, /* as it was called */
	OPTION_PORTS,
	{"rows", "FILE", NULL},
	{0},
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
	const struct lines_options how = {
		.how = form->all || view->nranks <= FOLD_FROM ? LINES_RANKS
							      : LINES_ALIKE,
	};
	struct lines lines;
	int rc;

	if (lines_make(view, &how, &lines) < 0)
		return err_memory(err);
	view_head(f, view, step);
	rc = print_table(f, &lines, err);
	lines_clear(&lines);
	return rc;
}

static int print(FILE *f, const struct step_view *view, const char *step,
		 const struct status_form *form, struct err *err)
{
	struct json j;

	if (form->prometheus) {
		status_prometheus(f, view, step);
		return 0;
	}
	if (!form->json)
		return print_text(f, view, step, form, err);
	j = json_begin(f);
	status_json(&j, view, step);
	json_end(&j);
	return 0;
}

/* A page for a browser: where the ranks are, and what each does. */
struct seen {
	const struct step_view *view;
	const char *step;
};

static void put_page(struct json *j, const void *arg)
{
	const struct seen *s = arg;

	json_add(j, "status:{schema:%d", JSON_SCHEMA);
	status_json(j, s->view, s->step);
	json_add(j, "}");
}

static bool is_page(const struct status_form *form)
{
	return form->output && text_ends(form->output, ".html");
}

static int print_to(const struct step_view *view, const char *step,
		    const struct status_form *form, struct err *err)
{
	cleanup_free char *text = NULL;
	struct text_stream stream;
	FILE *f;

	if (view->full && (form->json || is_page(form)))
		return err_memory(err);
	if (is_page(form))
		return page_write(form->output, put_page,
				  &(struct seen){view, step}, err);
	f = text_stream_open(&stream);
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

static int run(struct given *g, struct err *err)
{
	const struct status_form form = {
		.all = option(g, "all"),
		.json = option(g, "json"),
		.prometheus = option(g, "prometheus"),
		.output = option(g, "output"),
	};
	struct looks_place place = {.step = g->word[0],
				    .file = option(g, "rows")};

	if (visit_read_ports(option(g, "ports"), &place.ports, err) < 0)
		return EXIT_USAGE;
	if (option(g, "picture"))
		err_printf(err,
			   "status: --picture is gone: -o FILE.html writes "
			   "a page for a browser");
	else if (form.json + form.prometheus + is_page(&form) > 1)
		err_printf(err, "status: --json, --prometheus and a page for a "
				"browser, -o FILE.html, are three forms; give "
				"one of them");
	else
		return status_print_once(&place, &form, err) < 0 ? EXIT_FINDING
								 : EXIT_DONE;
	return EXIT_USAGE;
}

const struct command status_command = {
	.name = "status",
	.summary = "what each rank of a running step does",
	.usage = "[JOB[.STEP]] [--all] [--json|--prometheus] [-o FILE]",
	.about = "Asks the launchers of a running step, whose job must "
		 "be yours: state, CPU, memory and devices of each "
		 "rank, how long it has been silent, and the progress "
		 "that it reports. Without JOB: the job whose "
		 "environment it has, or your only running one; so do "
		 "stack and top.",
	.example = "dist-train status\n"
		   "dist-train status 4711.0 --prometheus -o "
		   "/var/lib/node_exporter/step.prom",
	.page = "dist-train-status",
	.options = options,
	.words = 1,
	.takes = TAKES_STEP,
	.run = run,
};
