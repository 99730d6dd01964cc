/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/cli/node/profiles_cmd.h"

#include "core/base/cleanup.h"
#include "core/option/profile.h"
#include "helpers/cli/command.h"
#include "sys/profile_dir.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int is_profile(const struct dirent *e)
{
	size_t len = strlen(e->d_name), suffix = strlen(PROFILE_SUFFIX);

	return *e->d_name != '.' && len > suffix &&
	       !strcmp(e->d_name + len - suffix, PROFILE_SUFFIX);
}

/* The first words of a profile's text say what it is for. */
static void put_title(const char *name, const char *text)
{
	const char *title =
		*text == '#' ? text + 1 + strspn(text + 1, " ") : "";

	printf("  %-15s %.*s\n", name, (int)strcspn(title, "\n"), title);
}

static int list(const char *dir, struct err *err)
{
	struct dirent **entry;
	int n = scandir(dir, &entry, is_profile, alphasort);
	int rc = EXIT_DONE;

	if (n < 0) {
		err_printf(err, "%s: %s", dir, strerror(errno));
		return EXIT_FINDING;
	}
	for (int i = 0; i < n; i++) {
		char *name = entry[i]->d_name;
		cleanup_free char *text = NULL;

		name[strlen(name) - strlen(PROFILE_SUFFIX)] = '\0';
		if (rc == EXIT_DONE)
			text = profile_dir_read(dir, name, err);
		if (text)
			put_title(name, text);
		else
			rc = EXIT_FINDING;
		free(entry[i]);
	}
	free(entry);
	return rc;
}

int profiles_cmd(int argc, char *argv[], struct err *err)
{
	const char *dir = argc > 1 ? argv[1] : PROFILES;
	cleanup_free char *text = NULL;

	if (argc > 1 && !strcmp(argv[1], "--help")) {
		return SHOW_HELP;
	}
	if (argc > 3 || *dir == '-') {
		err_printf(err, "profiles takes at most two arguments: a "
				"folder and a name");
		return EXIT_USAGE;
	}
	if (argc < 3)
		return list(dir, err);
	text = profile_dir_read(dir, argv[2], err);
	if (!text)
		return EXIT_FINDING;
	fputs(text, stdout);
	return EXIT_DONE;
}
