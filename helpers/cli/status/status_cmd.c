/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/cli/status/status_cmd.h"

#include "core/facts/rows.h"
#include "core/option/config.h"
#include "helpers/visit/visitor.h"

#include <stdio.h>
#include <string.h>

#define STATUS_MS 5000

enum { OPT_HELP, OPT_COUNT };

const struct command_option status_options[] = {
	[OPT_HELP] = {"help", NULL, "print this help"},
	[OPT_COUNT] = {NULL, NULL, NULL},
};

/* What a rank has said: RANK PERCENT REMAINING_S STEP RATE LOSS AGE_S. */
static void show_progress(char *field[ROW_FIELDS])
{
	static const struct {
		const char *before, *after;
	} form[] = {
		{"", " %"}, {"", " s left"}, {"step ", ""},
		{"", "/s"}, {"loss ", ""},   {"", " s ago"},
	};
	const char *comma = " ";

	printf("%6s  progress", field[1]);
	for (size_t i = 0; i < sizeof(form) / sizeof(*form); i++) {
		if (!*field[i + 2])
			continue;
		printf("%s%s%s%s", comma, form[i].before, field[i + 2],
		       form[i].after);
		comma = ", ";
	}
	putchar('\n');
}

static void on_shown(void *arg, unsigned member, const char *node, char *rows)
{
	char *field[ROW_FIELDS];

	(void)arg;
	(void)member;
	while (row_next(&rows, field))
		if (!strcmp(field[0], "rank"))
			printf("%6s  %-16s %8s\n", field[1], node, field[2]);
		else if (!strcmp(field[0], "progress"))
			show_progress(field);
}

static int show(const char *name, struct err *err)
{
	struct config config;
	struct found_step step;
	struct visit visit = {
		.step = &step,
		.what = "status",
		.ms = STATUS_MS,
		.shown = on_shown,
	};
	int rc;

	if (config_parse(0, NULL, &config, err) < 0)
		return -1;
	visit.port_min = config.port_min;
	visit.port_max = config.port_max;
	config_clear(&config);
	if (step_find(name, &step, err) < 0)
		return -1;
	rc = found_step_become_user(&step, err);
	if (rc == 0 && !step.running)
		rc = err_printf(err, "no step of job %lu runs", step.job_id);
	if (rc == 0)
		rc = visit_step(&visit, err);
	found_step_clear(&step);
	return rc;
}

int status_cmd(int argc, char *argv[], struct err *err)
{
	const char *value[OPT_COUNT] = {NULL};
	int first = command_read(argc, argv, status_options, "h", value, err);

	if (first < 0)
		return EXIT_USAGE;
	if (value[OPT_HELP])
		return SHOW_HELP;
	if (first + 1 != argc) {
		err_printf(err, "one step is needed: JOB or JOB.STEP");
		return EXIT_USAGE;
	}
	return show(argv[first], err) < 0 ? EXIT_FINDING : EXIT_DONE;
}
