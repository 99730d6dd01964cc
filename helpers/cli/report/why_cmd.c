/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/cli/commands.h"

#include "core/base/cleanup.h"
#include "helpers/cli/json_print.h"
#include "helpers/cli/picture.h"
#include "helpers/cli/report/why_now.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	OPT_RECORD,
	OPT_USER,
	OPT_JSON,
	OPT_OUTPUT,
	OPT_PORTS,
	OPT_HELP,
	OPT_COUNT
};

const struct command_option why_options[] = {
	[OPT_RECORD] = {"record", "DIR",
			"look in this folder, which the key record=DIR had; "
			"else in the user's state folder"},
	[OPT_USER] = {"user", "NAME",
		      "for root: whose record it is, where Slurm doesn't know "
		      "the job any more"},
	[OPT_JSON] = {"json", NULL, "print it as JSON"},
	[OPT_OUTPUT] = {"output", "FILE.html",
			"(or -o) write a page for a browser instead; - is "
			"standard output"},
	[OPT_PORTS] = OPTION_PORTS,
	[OPT_HELP] = {"help", NULL, "print this help"},
	[OPT_COUNT] = {NULL, NULL, NULL},
};

/* Slurm's own name of the step, once its record tells which it is. */
static const char *step_name(const char *name, const struct record *r,
			     char buf[64])
{
	const char *dot = r ? strrchr(r->step, '.') : NULL;

	if (!dot)
		return name;
	snprintf(buf, 64, "%.*s", (int)(dot - r->step), r->step);
	return buf;
}

static bool record_has(const struct record *r, enum record_mark mark)
{
	for (size_t i = 0; r && i < r->nmarks; i++)
		if (r->mark[i].mark == mark)
			return true;
	return false;
}

/* Of a step whose record has its end nobody is asked, but by whom it was
 * cancelled: "CANCELLED by 1000", "PREEMPTED". */
static void ask_slurm(const char *name, const struct record *r,
		      struct why_now *now, struct err *err)
{
	char step[64];

	name = step_name(name, r, step);
	if (!*name || (record_has(r, MARK_END) && !record_has(r, MARK_STOPPED)))
		return;
	if (record_has(r, MARK_END)) {
		why_now_account(name, now);
		return;
	}
	if (!now->known)
		why_now_find(name, now, err);
	if (now->running)
		why_now_visit(now);
	else
		why_now_account(name, now);
}

static int tell_nothing(const char *name, const char *folder,
			const struct why_now *now, const struct err *why,
			struct err *err)
{
	if (!*name)
		err_printf(err,
			   "no record in %.400s; steps with launchers (device "
			   "mode, supervise=yes) keep one there unless "
			   "record=off or record=DIR is given",
			   folder);
	else
		err_printf(err,
			   "no record of %.100s in %.300s, and %s%.300s; a "
			   "step with launchers keeps one there (record=auto), "
			   "or in record=DIR: --record DIR looks there",
			   name, folder, now->known ? "no such step runs" : "",
			   now->known ? "" : why->text);
	return EXIT_FINDING;
}

static int print(const struct why *w, const char *const value[],
		 struct err *err)
{
	cleanup_json cJSON *o = NULL;

	if (value[OPT_OUTPUT])
		return step_page(value[OPT_OUTPUT], w, err);
	if (!value[OPT_JSON]) {
		why_page(stdout, w);
		return 0;
	}
	o = json_new();
	return json_print(stdout, why_json(o, w) ? o : NULL, err);
}

static int show(const char *name, const struct record_wish *wish,
		const char *const value[], struct why_now *now, struct err *err)
{
	cleanup_free char *path = NULL, *text = NULL;
	struct err why = {.text = ""};
	struct record record = {.n = 0};
	struct why w = {.now = now};
	int rc = EXIT_DONE;

	if (record_newest(value[OPT_RECORD], wish, &path, &text, err) < 0)
		return EXIT_FINDING;
	if (text && record_read(text, &record, &why) < 0) {
		err_printf(err, "%.500s: %.400s", path, why.text);
		return EXIT_FINDING;
	}
	w.record = text ? &record : NULL;
	w.path = path;
	ask_slurm(name, w.record, now, &why);
	why_read(&w);
	if (!text && !now->running)
		rc = tell_nothing(name, path, now, &why, err);
	else if (print(&w, value, err) < 0)
		rc = EXIT_FINDING;
	record_clear(&record);
	return rc;
}

int why_cmd(int argc, char *argv[], struct err *err)
{
	const char *value[OPT_COUNT] = {NULL};
	int first = command_read(argc, argv, why_options, "oh", value, err), rc;
	struct why_now now = {.known = false};
	struct record_wish wish = {.job = 0};
	const char *name = "";
	struct step_name step;

	if (first < 0)
		return EXIT_USAGE;
	if (value[OPT_HELP])
		return SHOW_HELP;
	if (command_one_step(argc, argv, first, err) < 0 ||
	    (first < argc && step_name_read(argv[first], &step, err) < 0) ||
	    visit_read_ports(value[OPT_PORTS], &now.ports, err) < 0)
		return EXIT_USAGE;
	if (page_check("why", value[OPT_OUTPUT], value[OPT_JSON], err) < 0)
		return EXIT_USAGE;
	if (first < argc) {
		name = argv[first];
		wish = record_wish_of(&step);
	}
	if (record_become_owner(value[OPT_USER], name, err) < 0)
		return EXIT_FINDING;
	rc = show(name, &wish, value, &now, err);
	why_now_clear(&now);
	return rc;
}
