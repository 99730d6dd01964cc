/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/cli/commands.h"

#include "core/base/cleanup.h"
#include "core/base/parse.h"
#include "helpers/cli/json_print.h"
#include "helpers/cli/picture.h"
#include "helpers/cli/report/goodput.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	OPT_JSON,
	OPT_OUTPUT,
	OPT_PICTURE,
	OPT_RECORD,
	OPT_USER,
	OPT_HELP,
	OPT_COUNT
};

const struct command_option goodput_options[] = {
	[OPT_JSON] = {"json", NULL, "print it as JSON"},
	[OPT_OUTPUT] = {"output", "FILE.html",
			"(or -o) write a page for a browser instead; - is "
			"standard output"},
	[OPT_PICTURE] = {"picture", "FILE.html", NULL}, /* as it was called */
	[OPT_RECORD] = {"record", "DIR",
			"look in this folder, which the key record=DIR had; "
			"else in the user's state folder"},
	[OPT_USER] = {"user", "NAME",
		      "for root: whose records they are, where Slurm doesn't "
		      "know the first job any more"},
	[OPT_HELP] = {"help", NULL, "print this help"},
	[OPT_COUNT] = {NULL, NULL, NULL},
};

/* --- the words --- */

static int read_word(const char *word, struct step_name *ret, struct err *err)
{
	char shown[SHOW_SIZE];

	if (step_name_read(word, ret, err) < 0)
		return -1;
	if (ret->step >= 0)
		return err_printf(
			err,
			"goodput: %s is a step; it counts whole jobs: "
			"JOB, or JOB_N of an array",
			show(shown, word));
	return 0;
}

static int check_words(int argc, char *argv[], int first, struct err *err)
{
	struct step_name name;

	if (first == argc)
		return err_printf(err, "goodput needs a job: JOB, or JOB_N of "
				       "an array; several are summed up");
	for (int i = first; i < argc; i++)
		if (read_word(argv[i], &name, err) < 0)
			return -1;
	return 0;
}

/* --- what they come to --- */

static int add_word(const struct record_folder *folder, const char *word,
		    struct goodput_jobs *jobs, struct err *err)
{
	struct step_name name;
	struct record_wish wish;
	int n;

	if (step_name_read(word, &name, err) < 0)
		return -1;
	wish = record_wish_of(&name);
	n = jobs_add(folder, &wish, jobs, err);
	if (n)
		return n < 0 ? -1 : 0;
	return err_printf(err,
			  "no record of job %.100s in %.400s; steps with "
			  "launchers keep one there (record=auto), or in "
			  "record=DIR: --record DIR looks there",
			  word, folder->path);
}

static int print(const struct goodput *g, size_t n, const char *const value[],
		 struct err *err)
{
	const char *output = value[OPT_OUTPUT];
	cleanup_json cJSON *o = NULL;
	cJSON *all;

	if (!value[OPT_JSON] && !output)
		return goodput_text(stdout, g, n, err);
	o = json_new();
	all = output && o ? json_add_new(o, "goodput") : o;
	if (!goodput_json(all, g, n))
		return err_memory(err);
	return output ? page_write(output, o, err) : json_print(stdout, o, err);
}

static int count_and_print(struct goodput_jobs *jobs, const char *const value[],
			   struct err *err)
{
	struct goodput *g = calloc(jobs->n, sizeof(*g));
	size_t n = 0;
	int rc = g ? 0 : err_memory(err);

	while (!rc && n < jobs->n) {
		goodput_ask(&jobs->job[n]);
		rc = goodput_count(&jobs->job[n], &g[n], err);
		n += !rc;
	}
	if (!rc)
		rc = print(g, n, value, err);
	while (n)
		goodput_clear(&g[--n]);
	free(g);
	return rc;
}

static int show_all(char *word[], int n, const char *const value[],
		    struct err *err)
{
	struct goodput_jobs jobs = {.n = 0};
	struct record_folder folder;
	int rc = record_folder_open(value[OPT_RECORD], &folder, err);

	for (int i = 0; !rc && i < n; i++)
		rc = add_word(&folder, word[i], &jobs, err);
	record_folder_close(&folder);
	if (!rc)
		rc = count_and_print(&jobs, value, err);
	jobs_clear(&jobs);
	return rc;
}

int goodput_cmd(int argc, char *argv[], struct err *err)
{
	const char *value[OPT_COUNT] = {NULL};
	int first = command_read(argc, argv, goodput_options, "oh", value, err);

	if (first < 0)
		return EXIT_USAGE;
	if (value[OPT_HELP])
		return SHOW_HELP;
	if (check_words(argc, argv, first, err) < 0)
		return EXIT_USAGE;
	if (!value[OPT_OUTPUT])
		value[OPT_OUTPUT] = value[OPT_PICTURE];
	if (page_check("goodput", value[OPT_OUTPUT], value[OPT_JSON], err) < 0)
		return EXIT_USAGE;
	if (record_become_owner(value[OPT_USER], argv[first], err) < 0 ||
	    show_all(argv + first, argc - first, value, err) < 0)
		return EXIT_FINDING;
	return EXIT_DONE;
}
