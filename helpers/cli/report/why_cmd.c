/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/cli/command.h"

#include "helpers/cli/json_print.h"
#include "helpers/cli/picture.h"
#include "helpers/cli/report/why_now.h"

#include <stdlib.h>
#include <string.h>

static const struct command_option options[] = {
	{"record", "DIR",
	 "look in this folder, which the key record=DIR had; "
	 "else in the user's state folder"},
	{"user", "NAME",
	 "for root: whose record it is, where Slurm doesn't know "
	 "the job any more"},
	{"json", NULL, "print it as JSON"},
	{"output", "FILE.html",
	 "(or -o) write a page for a browser instead; - is "
	 "standard output"},
	OPTION_PORTS,
	{0},
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

/* Of a step whose record has its end nobody is asked, but by whom it was
 * cancelled: "CANCELLED by 1000", "PREEMPTED". */
static void ask_slurm(const char *name, const struct record *r,
		      struct why_now *now, struct err *err)
{
	char step[64];

	name = step_name(name, r, step);
	if (!*name ||
	    (record_last(r, MARK_END) && !record_last(r, MARK_STOPPED)))
		return;
	if (record_last(r, MARK_END)) {
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

static int print(const struct why *w, const struct given *g, struct err *err)
{
	struct json j;

	if (option(g, "output"))
		return step_page(option(g, "output"), w, err);
	if (!option(g, "json")) {
		why_page(stdout, w);
		return 0;
	}
	j = json_begin(stdout);
	why_json(&j, w);
	json_end(&j);
	return 0;
}

static int show(const char *name, const struct record_wish *wish,
		const struct given *g, struct why_now *now, struct err *err)
{
	cleanup_free char *path = NULL, *text = NULL;
	struct err why = {.text = ""};
	struct record record = {.n = 0};
	struct why w = {.now = now};
	int rc = EXIT_DONE;

	if (record_newest(option(g, "record"), wish, &path, &text, err) < 0)
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
	else if (print(&w, g, err) < 0)
		rc = EXIT_FINDING;
	record_clear(&record);
	return rc;
}

static int run(struct given *g, struct err *err)
{
	struct why_now now = {.known = false};
	struct record_wish wish = {.job = 0};
	const char *name = g->n ? g->word[0] : "";
	struct step_name step;
	int rc;

	if ((g->n && step_name_read(name, &step, err) < 0) ||
	    visit_read_ports(option(g, "ports"), &now.ports, err) < 0 ||
	    page_check("why", option(g, "output"), option(g, "json"), err) < 0)
		return EXIT_USAGE;
	if (g->n)
		wish = record_wish_of(&step);
	if (record_become_owner(option(g, "user"), name, err) < 0)
		return EXIT_FINDING;
	rc = show(name, &wish, g, &now, err);
	why_now_clear(&now);
	return rc;
}

const struct command why_command = {
	.name = "why",
	.summary = "one page: why a step ended, or hangs",
	.usage = "[JOB[.STEP]] [OPTION]...",
	.about = "Shows what the step's record (key record) says: the "
		 "first failure with its report, restarts, lost nodes, "
		 "the end; of a step that still runs also where its "
		 "ranks are, and which are suspects. Without JOB the "
		 "newest record.",
	.example = "dist-train why\n"
		   "dist-train why 4711.0 -o 4711.html",
	.page = "dist-train-why",
	.options = options,
	.words = 1,
	.takes = TAKES_STEP,
	.run = run,
};
