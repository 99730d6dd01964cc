/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/cli/commands.h"
#include "helpers/cli/report/timeline_facts.h"

#include "core/base/cleanup.h"
#include "helpers/cli/picture.h"
#include "sys/text_file.h"

#include <string.h>

#define FILE_MAX (256UL << 20)

enum {
	OPT_OUTPUT,
	OPT_JSON,
	OPT_HELP,
	OPT_COUNT,
};

const struct command_option timeline_options[] = {
	[OPT_OUTPUT] = {"output", "FILE.svg|.html|.json",
			"(or -o) write a picture (.svg), a page that can be "
			"searched (.html) or a Chrome trace (.json) instead of "
			"the summary; - is a picture on standard output"},
	[OPT_JSON] = {"json", NULL, "print the summary as JSON"},
	[OPT_HELP] = {"help", NULL, "print this help"},
	[OPT_COUNT] = {NULL, NULL, NULL},
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

static int draw(const char *output, const struct record *r,
		const struct facts *facts, struct err *err)
{
	struct timeline_picture picture;
	int rc;

	if (timeline_picture_make(r, facts, picture_ends_with(output, ".html"),
				  &picture, err) < 0)
		return -1;
	rc = picture_write(output, timeline_svg, &picture, err);
	timeline_picture_clear(&picture);
	return rc;
}

/* `output` NULL: the summary. */
static int show(const struct record *r, const char *output, bool json,
		struct err *err)
{
	struct record trace = *r;
	struct facts facts;
	int rc = 0;

	if (output && !r->n)
		return err_printf(err, "this record has no lines of processes, "
				       "so that there is nothing to draw: the "
				       "key timeline=FILE writes them; without "
				       "-o what it has is shown");
	if (output && picture_ends_with(output, ".json"))
		return picture_write(output, timeline_trace, &trace, err);
	if (facts_find(r, &facts, err) < 0)
		rc = -1;
	else if (output)
		rc = draw(output, r, &facts, err);
	else if (json)
		rc = timeline_json(stdout, r, &facts, err);
	else
		rc = timeline_text(stdout, r, &facts, err);
	facts_clear(&facts);
	return rc;
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
	rc = show(&record, output, json, err);
	record_clear(&record);
	return rc < 0 ? EXIT_FINDING : EXIT_DONE;
}

static bool is_output(const char *output)
{
	return !output || !strcmp(output, "-") ||
	       picture_ends_with(output, ".svg") ||
	       picture_ends_with(output, ".html") ||
	       picture_ends_with(output, ".json");
}

int timeline_cmd(int argc, char *argv[], struct err *err)
{
	const char *value[OPT_COUNT] = {NULL};
	int first =
		command_read(argc, argv, timeline_options, "oh", value, err);

	if (first < 0)
		return EXIT_USAGE;
	if (value[OPT_HELP]) {
		return SHOW_HELP;
	}
	if (first + 1 != argc)
		err_printf(err, "timeline needs one record, the file of the "
				"key timeline=FILE or record, or - for "
				"standard input");
	else if (!is_output(value[OPT_OUTPUT]))
		err_printf(err, "timeline: the name after -o must end in .svg, "
				".html or .json, or be - for a picture on "
				"standard output");
	else if (value[OPT_OUTPUT] && value[OPT_JSON])
		err_printf(err, "timeline: --json prints the summary, which -o "
				"doesn't write; give one of them");
	else
		return read_and_show(argv[first], value[OPT_OUTPUT],
				     value[OPT_JSON] != NULL, err);
	return EXIT_USAGE;
}
