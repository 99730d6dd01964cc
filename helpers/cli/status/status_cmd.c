/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/cli/status/status_cmd.h"

#include "core/facts/rows.h"
#include "helpers/visit/visitor.h"

#include <stdio.h>
#include <string.h>

#define STATUS_MS 5000

enum { OPT_PORTS, OPT_HELP, OPT_COUNT };

const struct command_option status_options[] = {
	[OPT_PORTS] = {"ports", "MIN-MAX",
		       "the administrator's ports= of plugstack.conf, where "
		       "that file isn't on this host"},
	[OPT_HELP] = {"help", NULL, "print this help"},
	[OPT_COUNT] = {NULL, NULL, NULL},
};

static void on_shown(void *arg, unsigned member, const char *node, char *rows)
{
	char *field[ROW_FIELDS];

	(void)arg;
	(void)member;
	while (row_next(&rows, field))
		if (!strcmp(field[0], "rank"))
			printf("%6s  %-16s %8s\n", field[1], node, field[2]);
}

static int show(const char *name, const char *ports, struct err *err)
{
	struct found_step step;
	struct visit visit = {
		.step = &step,
		.what = "status",
		.ms = STATUS_MS,
		.shown = on_shown,
	};
	int rc;

	if (visit_read_ports(ports, &visit, err) < 0 ||
	    step_find(name, &step, err) < 0)
		return -1;
	rc = found_step_become_user(&step, err);
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
	return show(argv[first], value[OPT_PORTS], err) < 0 ? EXIT_FINDING
							    : EXIT_DONE;
}
