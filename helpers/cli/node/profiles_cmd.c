/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/err.h"
#include "core/base/text.h"
#include "helpers/cli/command.h"

#include "core/option/profile.h"
#include "helpers/cli/json_print.h"
#include "paths.h"
#include "sys/profile_dir.h"

#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct command_option options[] = {
	{"dir", "DIR",
	 "the administrator's profiledir= in plugstack.conf; by "
	 "default " PROFILES},
	{"json", NULL, "print JSON"},
	{0},
};

static int is_profile(const struct dirent *e)
{
	size_t len = strlen(e->d_name), suffix = strlen(PROFILE_SUFFIX);

	return *e->d_name != '.' && len > suffix &&
	       !strcmp(e->d_name + len - suffix, PROFILE_SUFFIX);
}

/* One more profile, with the first words of its text, which say what it is for;
 * `j` NULL: as a line of text. */
static int put_entry(const char *dir, char *name, struct json *j,
		     struct err *err)
{
	cleanup_free char *text = NULL;
	const char *title = "";

	name[strlen(name) - strlen(PROFILE_SUFFIX)] = '\0';
	text = profile_dir_read(dir, name, err);
	if (!text)
		return -1;
	text[strcspn(text, "\n")] = '\0';
	if (*text == '#')
		title = text + 1 + strspn(text + 1, " ");
	if (!j) {
		printf("  %-15s %s\n", name, title);
		return 0;
	}
	json_add(j, "{name:%s title:%s}", name, title);
	return 0;
}

static int list(const char *dir, struct json *j, struct err *err)
{
	struct dirent **entry;
	int n = scandir(dir, &entry, is_profile, alphasort);
	int rc = 0;

	if (n < 0)
		return err_printf(err, "%s: %s", dir, strerror(errno));
	for (int i = 0; i < n; i++) {
		if (rc == 0)
			rc = put_entry(dir, entry[i]->d_name, j, err);
		free(entry[i]);
	}
	free(entry);
	return rc;
}

/* All or nothing: one that can't be read is an error. */
static int list_json(const char *dir, struct err *err)
{
	struct text_stream stream;
	FILE *f = text_stream_open(&stream);
	cleanup_free char *text = NULL;
	struct json j;
	int rc = 0;

	if (f) {
		j = json_begin(f);
		json_add(&j, "profiles:[");
		rc = list(dir, &j, err);
		json_add(&j, "]");
		json_end(&j);
	}
	text = text_stream_end(&stream, rc, err);
	if (text)
		fputs(text, stdout);
	return text ? 0 : -1;
}

/* {"name":"infiniband","lines":["NCCL_IB_HCA=mlx5"]} */
static void show_json(const char *name, const char *text)
{
	struct json j = json_begin(stdout);

	json_add(&j, "name:%s", name);
	json_list(&j, "lines", text, '\n');
	json_end(&j);
}

static int show_one(const char *dir, const char *name, bool json,
		    struct err *err)
{
	cleanup_free char *text = NULL;

	if (strchr(name, '/'))
		return err_printf(err,
				  "profiles: '%.300s' is a folder; write "
				  "--dir before it",
				  name);
	text = profile_dir_read(dir, name, err);
	if (!text)
		return -1;
	if (json)
		show_json(name, text);
	else
		fputs(text, stdout);
	return 0;
}

static int run(struct given *g, struct err *err)
{
	const char *dir = option(g, "dir") ? option(g, "dir") : PROFILES;
	bool json = option(g, "json");
	int rc;

	if (g->n)
		rc = show_one(dir, g->word[0], json, err);
	else
		rc = json ? list_json(dir, err) : list(dir, NULL, err);
	return rc < 0 ? EXIT_FINDING : EXIT_DONE;
}

const struct command profiles_command = {
	.name = "profiles",
	.summary = "the administrator's sets of variables",
	.usage = "[NAME] [OPTION]...",
	.about = "Lists the profiles of this node, which the key "
		 "profile=NAME takes; with NAME, the lines of that "
		 "one (NAME+NAME: of both).",
	.example = "dist-train profiles\n"
		   "dist-train profiles infiniband",
	.page = "dist_train",
	.options = options,
	.words = 1,
	.run = run,
};
