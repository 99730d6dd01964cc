/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/timeline_cmd.h"

#include "core/cleanup.h"
#include "core/parse.h"
#include "helpers/help.h"
#include "helpers/text_file.h"
#include "helpers/write_file.h"

#include <getopt.h>
#include <string.h>

#define FILE_MAX (256UL << 20)

const struct explain_option timeline_help[] = {
	{"output", "FILE.svg|.json",
	 "(or -o) where to: a picture, or a Chrome trace"},
	{NULL, NULL, NULL},
};

struct arguments {
	const char *record, *output;
	bool help;
};

static int read_arguments(int argc, char *argv[], struct arguments *ret,
			  struct err *err)
{
	static const struct option options[] = {
		{"output", 1, NULL, 'o'},
		{"help", 0, NULL, 'h'},
		{NULL, 0, NULL, 0},
	};
	char shown[SHOW_SIZE];
	int c;

	opterr = 0;
	while ((c = getopt_long(argc, argv, ":o:h", options, NULL)) != -1) {
		if (c == '?' || c == ':')
			return err_printf(
				err,
				"timeline: %s %s; write timeline FILE -o "
				"FILE.svg|.json",
				c == ':' ? "no value behind" : "unknown option",
				show(shown, argv[optind - 1]));
		if (c == 'o')
			ret->output = optarg;
		else
			ret->help = true;
	}
	if (ret->help)
		return 0;
	if (optind + 1 != argc || !ret->output)
		return err_printf(err, "timeline takes one record and an "
				       "output: timeline FILE -o "
				       "FILE.svg|.json");
	ret->record = argv[optind];
	return 0;
}

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
			"dist-train: %s: %zu line%s of no record left out\n",
			path, r->bad, r->bad == 1 ? "" : "s");
	if (r->steps > 1)
		fprintf(stderr,
			"dist-train: %s has several steps; the last one, %s, "
			"is drawn\n",
			path, r->step);
}

static int convert(const struct arguments *a, struct err *err)
{
	bool svg = ends_with(a->output, ".svg");
	cleanup_free char *text = NULL;
	struct record record;
	struct err why;
	int rc;

	if (!svg && !ends_with(a->output, ".json")) {
		err_printf(err, "timeline: -o takes a name that ends in .svg "
				"or .json");
		return EXIT_USAGE;
	}
	text = text_file_read(a->record, FILE_MAX, err);
	if (!text)
		return EXIT_FINDING;
	if (record_read(text, &record, &why) < 0) {
		err_printf(err, "%.500s: %.400s", a->record, why.text);
		return EXIT_FINDING;
	}
	remark(&record, a->record);
	rc = write_as(a->output, &record, svg ? timeline_svg : timeline_trace,
		      err);
	record_clear(&record);
	return rc < 0 ? EXIT_FINDING : EXIT_DONE;
}

int timeline_cmd(int argc, char *argv[], struct err *err)
{
	struct arguments a = {.record = NULL};

	if (read_arguments(argc, argv, &a, err) < 0)
		return EXIT_USAGE;
	if (!a.help)
		return convert(&a, err);
	help_print(stdout);
	return EXIT_DONE;
}
