/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/cli/commands.h"

#include "core/base/cleanup.h"
#include "core/base/parse.h"
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

enum { OPT_DIR, OPT_JSON, OPT_HELP, OPT_COUNT };

const struct command_option profiles_options[] = {
	[OPT_DIR] = {"dir", "DIR",
		     "the administrator's profiledir= in plugstack.conf; by "
		     "default " PROFILES},
	[OPT_JSON] = {"json", NULL, "print JSON"},
	[OPT_HELP] = {"help", NULL, "print this help"},
	[OPT_COUNT] = {NULL, NULL, NULL},
};

static int is_profile(const struct dirent *e)
{
	size_t len = strlen(e->d_name), suffix = strlen(PROFILE_SUFFIX);

	return *e->d_name != '.' && len > suffix &&
	       !strcmp(e->d_name + len - suffix, PROFILE_SUFFIX);
}

/* The first words of a profile's text say what it is for. Returns where they
 * are, and how many bytes. */
static const char *find_title(const char *text, int *ret_len)
{
	const char *title =
		*text == '#' ? text + 1 + strspn(text + 1, " ") : "";

	*ret_len = (int)strcspn(title, "\n");
	return title;
}

/* One more profile; `array` NULL: as a line of text. */
static int put_profile(const char *name, const char *text, cJSON *array,
		       struct err *err)
{
	int len;
	const char *title = find_title(text, &len);
	cleanup_free char *copy = NULL;
	cJSON *o;

	if (!array) {
		printf("  %-15s %.*s\n", name, len, title);
		return 0;
	}
	copy = strndup(title, (size_t)len);
	o = json_append(array);
	if (!copy || !o || !json_add_text(o, "name", name) ||
	    !json_add_text(o, "title", copy))
		return err_memory(err);
	return 0;
}

static int put_entry(const char *dir, char *name, cJSON *array, struct err *err)
{
	cleanup_free char *text = NULL;

	name[strlen(name) - strlen(PROFILE_SUFFIX)] = '\0';
	text = profile_dir_read(dir, name, err);
	return text ? put_profile(name, text, array, err) : -1;
}

static int list(const char *dir, cJSON *array, struct err *err)
{
	struct dirent **entry;
	int n = scandir(dir, &entry, is_profile, alphasort);
	int rc = 0;

	if (n < 0)
		return err_printf(err, "%s: %s", dir, strerror(errno));
	for (int i = 0; i < n; i++) {
		if (rc == 0)
			rc = put_entry(dir, entry[i]->d_name, array, err);
		free(entry[i]);
	}
	free(entry);
	return rc;
}

static int list_json(const char *dir, struct err *err)
{
	cleanup_json cJSON *o = json_new();
	cJSON *array = o ? cJSON_AddArrayToObject(o, "profiles") : NULL;

	if (array && list(dir, array, err) < 0)
		return -1;
	return json_print(stdout, array ? o : NULL, err);
}

/* {"name":"infiniband","lines":["NCCL_IB_HCA=mlx5"]} */
static int show_json(const char *name, const char *text, struct err *err)
{
	cleanup_json cJSON *o = json_new();
	bool done = o && json_add_text(o, "name", name) &&
		    json_add_list(o, "lines", text, '\n');

	return json_print(stdout, done ? o : NULL, err);
}

static int show_one(const char *dir, const char *name, bool json,
		    struct err *err)
{
	cleanup_free char *text = NULL;
	size_t len;

	if (strchr(name, '/'))
		return err_printf(err,
				  "profiles: '%.300s' is a folder; write "
				  "--dir before it",
				  name);
	text = profile_dir_read(dir, name, err);
	if (!text)
		return -1;
	len = strlen(text);
	if (json && len && text[len - 1] == '\n')
		text[len - 1] = '\0';
	if (json)
		return show_json(name, text, err);
	fputs(text, stdout);
	return 0;
}

int profiles_cmd(int argc, char *argv[], struct err *err)
{
	const char *value[OPT_COUNT] = {[OPT_DIR] = PROFILES};
	int first = command_read(argc, argv, profiles_options, "", value, err);
	char shown[SHOW_SIZE];
	int rc;

	if (first < 0)
		return EXIT_USAGE;
	if (value[OPT_HELP])
		return SHOW_HELP;
	if (first + 1 < argc) {
		err_printf(err, "profiles: unexpected argument %s",
			   show(shown, argv[first + 1]));
		return EXIT_USAGE;
	}
	if (first < argc)
		rc = show_one(value[OPT_DIR], argv[first], value[OPT_JSON],
			      err);
	else if (value[OPT_JSON])
		rc = list_json(value[OPT_DIR], err);
	else
		rc = list(value[OPT_DIR], NULL, err);
	return rc < 0 ? EXIT_FINDING : EXIT_DONE;
}
