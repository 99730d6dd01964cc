/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/cli/report/timeline_facts.h"

#include "core/base/text.h"
#include "helpers/cli/command.h"
#include "helpers/cli/json_print.h"
#include "helpers/cli/picture.h"
#include "helpers/cli/report/why_now.h"
#include "sys/text_file.h"

#include <string.h>

#define FILE_MAX (256UL << 20)

static const struct command_option options[] = {
	{"output", "FILE.html|.json",
	 "(or -o) write a page for a browser (.html) or a "
	 "Chrome trace (.json) instead of the summary; - is the "
	 "page on standard output"},
	{"json", NULL, "print the summary as JSON"},
	{0},
};

/* What isn't in the output is said. */
static void remark(const struct record *r, const char *path)
{
	if (r->bad)
		fprintf(stderr,
			"dist-train: %s: skipped %zu line%s without a timeline "
			"record\n",
			path, r->bad, r->bad == 1 ? "" : "s");
	if (r->steps > 1)
		fprintf(stderr,
			"dist-train: %s has several steps; this is the last "
			"one, %s\n",
			path, r->step);
}

static int show_summary(const struct record *r, bool json, struct err *err)
{
	struct json j;
	struct facts facts;
	int rc = facts_find(r, &facts, err);

	if (rc == 0 && json) {
		j = json_begin(stdout);
		timeline_json(&j, r, &facts);
		json_end(&j);
	} else if (rc == 0) {
		rc = timeline_text(stdout, r, &facts, err);
	}
	facts_clear(&facts);
	return rc;
}

/* `output` NULL: the summary. */
static int show(const struct record *r, const char *path, const char *output,
		bool json, struct err *err)
{
	struct why_now now = {.known = false};
	struct why why = {.record = r, .path = path, .now = &now};

	if (!output)
		return show_summary(r, json, err);
	if (!text_ends(output, ".json")) {
		why_read(&why);
		return step_page(output, &why, err);
	}
	if (r->n)
		return picture_write(output, timeline_trace, r, err);
	return err_printf(err, "this record has no lines of processes, which "
			       "are what a trace shows: the key timeline=FILE "
			       "writes them");
}

static int read_and_show(const char *path, const char *output, bool json,
			 struct err *err)
{
	cleanup_free char *text = text_stream_read(path, FILE_MAX, err);
	struct record record;
	struct err why;
	int rc;

	if (!text)
		return EXIT_FINDING;
	if (record_read(text, &record, &why) < 0) {
		err_printf(err, "%.500s: %.400s", path, why.text);
		return EXIT_FINDING;
	}
	remark(&record, path);
	rc = show(&record, path, output, json, err);
	record_clear(&record);
	return rc < 0 ? EXIT_FINDING : EXIT_DONE;
}

static int run(struct given *g, struct err *err)
{
	const char *output = option(g, "output");
	bool json = option(g, "json"),
	     trace = output && text_ends(output, ".json");

	if (g->n != 1)
		err_printf(err, "timeline needs one record, the file of the "
				"key timeline=FILE or record, or - for "
				"standard input");
	else if (page_check("timeline", trace && !json ? NULL : output, json,
			    err) < 0)
		text_add(err->text, sizeof(err->text), "; ",
			 "a Chrome trace's name ends in .json");
	else
		return read_and_show(g->word[0], output, json, err);
	return EXIT_USAGE;
}

const struct command timeline_command = {
	.name = "timeline",
	.summary = "a step's record in words, as a page or a trace",
	.usage = "FILE [--json|-o FILE.html|-o FILE.json]",
	.about = "Shows the record that the key timeline=FILE of "
		 "--dist-train writes: who was late, what failed "
		 "first.",
	.example = "srun --dist-train=ddp,timeline=%j.jsonl python3 "
		   "main.py\n"
		   "dist-train timeline 4711.jsonl\n"
		   "dist-train timeline 4711.jsonl -o step.html",
	.page = "dist-train-timeline",
	.options = options,
	.words = ANY_WORDS,
	.run = run,
};
