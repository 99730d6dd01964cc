/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/cli/ranktable/table_view.h"

#include "core/base/parse.h"
#include "helpers/cli/command.h"
#include "helpers/cli/json_print.h"

#include <string.h>

static const struct command_option options[] = {
	{"chip", "CHIP",
	 CHIP_NAMES "; by default that of the table's version: "
		    "none 910A, 1.0 910B, 1.2 910C, 2.0 950"},
	{"output", "FILE", "(or -o) the file to write, NAME.json"},
	{"json", NULL, "print JSON"},
	{0},
};

struct arguments {
	const char *verb;
	enum chip chip;
	bool json;
	const char *output;
	char **file;
	size_t nfiles;
};

/* A path as it can stand in a line of text. */
static const char *plain_path(char buf[SHOW_SIZE], const char *path)
{
	for (const char *p = path; *p; p++)
		if (*p < ' ' || *p > '~')
			return show(buf, path);
	return path;
}

/* The words after the options: a verb, then files. */
static int read_arguments(const struct given *g, struct arguments *a,
			  struct err *err)
{
	const char *chip = option(g, "chip");
	char shown[SHOW_SIZE];

	*a = (struct arguments){
		.chip = CHIP_UNKNOWN,
		.json = option(g, "json"),
		.output = option(g, "output"),
		.verb = g->word[0],
		.file = g->word + 1,
		.nfiles = (size_t)g->n - 1,
	};
	if (chip && chip_parse(chip, &a->chip) < 0)
		return err_printf(err, "--chip=%s: none of " CHIP_NAMES,
				  show(shown, chip));
	if (!g->n)
		return err_printf(err, "ranktable: write check, merge or show");
	return 0;
}

static void print_summary(FILE *f, const struct report *r,
			  const struct view *view)
{
	fprintf(f, "%s: no fault by the rules for %s (%s%s, %zu devices)\n",
		r->file, chip_facts(view->chip)->name,
		*view->version ? "version " : "an old table without version",
		view->version, view->n);
}

/* One file, as an object of `j` or, where that is NULL, in lines; *total grows
 * by its faults. */
static int check_file(const struct arguments *a, size_t i, struct json *j,
		      size_t *total, struct err *err)
{
	__attribute__((cleanup(view_clear))) struct view view = {0};
	char shown[SHOW_SIZE];
	struct report r = {.f = stdout, .json = j, .file = a->file[i]};

	if (j) {
		json_line(j);
		json_add(j, "{file:%s faults:[", plain_path(shown, r.file));
	}
	if (ranktable_file(a->chip, &r, &view, err) < 0)
		return -1;
	report_end(&r);
	*total += r.n;
	if (j) {
		json_add(j, "] nfaults:%zu chip:%s devices:%zu}", r.n,
			 chip_facts(view.chip)->name, view.n);
	} else if (!r.n) {
		print_summary(stdout, &r, &view);
	}
	return 0;
}

static int check(const struct arguments *a, struct err *err)
{
	struct json j;
	size_t total = 0;

	if (a->json) {
		j = json_begin(stdout);
		json_add(&j, "files:[");
	}
	for (size_t i = 0; i < a->nfiles; i++)
		if (check_file(a, i, a->json ? &j : NULL, &total, err) < 0)
			return EXIT_FINDING;
	if (a->json) {
		json_add(&j, "]");
		json_end(&j);
	}
	if (!total)
		return EXIT_DONE;
	err_printf(err, "ranktable check: %zu fault%s", total,
		   total > 1 ? "s" : "");
	return EXIT_FOUND;
}

static int merge(const struct arguments *a, struct err *err)
{
	const char *name = a->output ? strstr(a->output, ".json") : NULL;

	if (!a->output)
		err_printf(err, "ranktable merge: -o FILE is missing");
	else if (!name || name[strlen(".json")])
		err_printf(err,
			   "ranktable merge: -o %s: the library takes "
			   "files NAME.json only",
			   a->output);
	else
		return ranktable_merge(a->file, a->nfiles, a->output, a->chip,
				       err);
	return EXIT_USAGE;
}

static int show_file(const struct arguments *a, struct err *err)
{
	__attribute__((cleanup(view_clear))) struct view view = {0};
	struct report r = {.file = a->file[0]};

	if (a->nfiles > 1) {
		err_printf(err, "ranktable show: one file, not %zu", a->nfiles);
		return EXIT_USAGE;
	}
	if (ranktable_file(a->chip, &r, &view, err) < 0 ||
	    (view.n && ranktable_show(stdout, &view, a->json, err) < 0))
		return EXIT_FINDING;
	if (!r.n)
		return EXIT_DONE;
	err_printf(err,
		   "%s: %s%zu fault%s; dist-train ranktable check shows "
		   "them",
		   r.file, view.n ? "" : "nothing to show, ", r.n,
		   r.n > 1 ? "s" : "");
	return view.n ? EXIT_FOUND : EXIT_FINDING;
}

static const struct verb {
	const char *name;
	int (*run)(const struct arguments *a, struct err *err);
} verbs[] = {{"check", check}, {"merge", merge}, {"show", show_file}};

#define NVERBS (sizeof(verbs) / sizeof(verbs[0]))

static const char *verb_name_nth(size_t n)
{
	return n < NVERBS ? verbs[n].name : NULL;
}

static int run_verb(const struct arguments *a, struct err *err)
{
	size_t i = 0;

	while (i < NVERBS && strcmp(verbs[i].name, a->verb) != 0)
		i++;
	if (i == NVERBS)
		unknown_word(err, "ranktable command", a->verb, verb_name_nth);
	else if (!a->nfiles)
		err_printf(err, "ranktable %s: name a file", a->verb);
	else
		return verbs[i].run(a, err);
	return EXIT_USAGE;
}

static int run(struct given *g, struct err *err)
{
	struct arguments a;

	return read_arguments(g, &a, err) < 0 ? EXIT_USAGE : run_verb(&a, err);
}

const struct command ranktable_command = {
	.name = "ranktable",
	.summary = "check, merge or show Ascend rank tables",
	.usage = "check [--chip CHIP] [--json] FILE...\n"
		 "merge [--chip CHIP] FILE... -o FILE\n"
		 "show [--chip CHIP] [--json] FILE",
	.about = "check: every rule of the collective library, one "
		 "line per fault with its place, its error code and "
		 "the remedy. merge: one table of several, ranks in "
		 "the order of the arguments. show: servers, devices "
		 "and ranks as a table.",
	.example = "dist-train ranktable check rank_table.json",
	.page = "dist-train-ranktable",
	.options = options,
	.words = ANY_WORDS,
	.run = run,
};
