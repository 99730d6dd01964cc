/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/err.h"
#include "helpers/cli/command.h"

#include "core/base/parse.h"
#include "helpers/cli/json_print.h"
#include "helpers/cli/picture.h"
#include "helpers/cli/report/goodput.h"

#include <stdlib.h>
#include <string.h>

static const struct command_option options[] = {
	{"json", NULL, "print it as JSON"},
	{"output", "FILE.html",
	 "(or -o) write a page for a browser instead; - is "
	 "standard output"},
	{"picture", "FILE.html", NULL}, /* as it was called */
	{"record", "DIR",
	 "look in this folder, which the key record=DIR had; "
	 "else in the user's state folder"},
	{"user", "NAME",
	 "for root: whose records they are, where Slurm doesn't "
	 "know the first job any more"},
	{0},
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

static int check_words(const struct given *g, struct err *err)
{
	struct step_name name;

	if (!g->n)
		return err_printf(err, "goodput needs a job: JOB, or JOB_N of "
				       "an array; several are summed up");
	for (int i = 0; i < g->n; i++)
		if (read_word(g->word[i], &name, err) < 0)
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

struct jobs {
	const struct goodput *g;
	size_t n;
};

static void put_page(struct json *j, const void *arg)
{
	const struct jobs *all = arg;

	json_add(j, "goodput:{schema:%d", JSON_SCHEMA);
	goodput_json(j, all->g, all->n);
	json_add(j, "}");
}

/* It has an older name, too. */
static const char *output_of(const struct given *given)
{
	const char *output = option(given, "output");

	return output ? output : option(given, "picture");
}

static int print(const struct goodput *g, size_t n, const struct given *given,
		 struct err *err)
{
	struct json j;

	if (output_of(given))
		return page_write(output_of(given), put_page,
				  &(struct jobs){g, n}, err);
	if (!option(given, "json"))
		return goodput_text(stdout, g, n, err);
	j = json_begin(stdout);
	goodput_json(&j, g, n);
	json_end(&j);
	return 0;
}

static int count_and_print(struct goodput_jobs *jobs, const struct given *given,
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
		rc = print(g, n, given, err);
	while (n)
		goodput_clear(&g[--n]);
	free(g);
	return rc;
}

static int show_all(const struct given *g, struct err *err)
{
	struct goodput_jobs jobs = {.n = 0};
	struct record_folder folder;
	int rc = record_folder_open(option(g, "record"), &folder, err);

	for (int i = 0; !rc && i < g->n; i++)
		rc = add_word(&folder, g->word[i], &jobs, err);
	record_folder_close(&folder);
	if (!rc)
		rc = count_and_print(&jobs, g, err);
	jobs_clear(&jobs);
	return rc;
}

static int run(struct given *g, struct err *err)
{
	if (check_words(g, err) < 0 ||
	    page_check("goodput", output_of(g), option(g, "json"), err) < 0)
		return EXIT_USAGE;
	if (record_become_owner(option(g, "user"), g->word[0], err) < 0 ||
	    show_all(g, err) < 0)
		return EXIT_FINDING;
	return EXIT_DONE;
}

const struct command goodput_command = {
	.name = "goodput",
	.summary = "where the time of a job went, over all its runs",
	.usage = "JOB... [--json|-o FILE.html] [OPTION]...",
	.about = "Adds up what the records of the job's steps say (key "
		 "record): time in the queue, start-up, training, what "
		 "was lost since the last checkpoint, detection and "
		 "restart, by cause and node; and the effective "
		 "training time ratio. A requeue is a new run of the "
		 "same job.",
	.example = "dist-train goodput 4711\n"
		   "dist-train goodput 4711 -o 4711.html",
	.page = "dist-train-goodput",
	.options = options,
	.words = ANY_WORDS,
	.run = run,
};
