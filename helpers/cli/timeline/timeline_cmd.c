/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/cli/timeline/timeline_cmd.h"

#include "core/base/cleanup.h"
#include "sys/text_file.h"
#include "sys/write_file.h"

#include <string.h>

#define FILE_MAX (256UL << 20)

enum {
	OPT_OUTPUT,
	OPT_HELP,
	OPT_COUNT,
};

const struct command_option timeline_options[] = {
	[OPT_OUTPUT] = {"output", "FILE.svg|.json",
			"(or -o) the file to write: a picture (.svg) or a "
			"Chrome trace (.json)"},
	[OPT_HELP] = {"help", NULL, "print this help"},
	[OPT_COUNT] = {NULL, NULL, NULL},
};

static bool ends_with(const char *text, const char *end)
{
	size_t n = strlen(text), m = strlen(end);

	return n > m && !strcmp(text + n - m, end);
}

static int write_as(const char *path, const struct record *r,
		    void (*print)(FILE *f, const struct record *record),
		    struct err *err)
{
	cleanup_free char *text = NULL;
	size_t size = 0;
	FILE *f = open_memstream(&text, &size);

	if (!f)
		return err_memory(err);
	print(f, r);
	if (fclose(f) != 0)
		return err_memory(err);
	return write_file(path, text, size, 0644, err);
}

/* What isn't in the picture is said. */
static void remark(const struct record *r, const char *path)
{
	if (r->bad)
		fprintf(stderr,
			"dist-train: %s: skipped %zu line%s without a timeline "
			"record\n",
			path, r->bad, r->bad == 1 ? "" : "s");
	if (r->steps > 1)
		fprintf(stderr,
			"dist-train: %s has several steps; the last one, %s, "
			"is drawn\n",
			path, r->step);
}

static int convert(const char *path, const char *output, struct err *err)
{
	bool svg = ends_with(output, ".svg");
	cleanup_free char *text = NULL;
	struct record record;
	struct err why;
	int rc;

	if (!svg && !ends_with(output, ".json")) {
		err_printf(err, "timeline: the name after -o must end in .svg "
				"or .json");
		return EXIT_USAGE;
	}
	text = text_file_read(path, FILE_MAX, err);
	if (!text)
		return EXIT_FINDING;
	if (record_read(text, &record, &why) < 0) {
		err_printf(err, "%.500s: %.400s", path, why.text);
		return EXIT_FINDING;
	}
	remark(&record, path);
	rc = write_as(output, &record, svg ? timeline_svg : timeline_trace,
		      err);
	record_clear(&record);
	return rc < 0 ? EXIT_FINDING : EXIT_DONE;
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
	if (first + 1 == argc && value[OPT_OUTPUT])
		return convert(argv[first], value[OPT_OUTPUT], err);
	err_printf(err, "timeline needs a record and an output: timeline FILE "
			"-o FILE.svg|.json");
	return EXIT_USAGE;
}
