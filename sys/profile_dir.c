/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/profile_dir.h"

#include "core/base/text.h"
#include "core/option/profile.h"
#include "paths.h"
#include "sys/text_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Refuse files that others can write: they decide the environment of every
 * job. Root's are anybody's to use; a user may use his own. */
static int check_owner(int fd, const char *what, struct err *err)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return err_printf(err, "%s: %s", what, strerror(errno));
	if ((st.st_uid != 0 && st.st_uid != getuid()) ||
	    (st.st_mode & (S_IWGRP | S_IWOTH)))
		return err_printf(err,
				  "%s is refused: root%s must own it, and no "
				  "other user may write to it",
				  what, getuid() ? " or you" : "");
	return 0;
}

static int open_dir(const char *dir, struct err *err)
{
	cleanup_close int fd = -1;
	int ret;

	fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return err_printf(err, "profiledir=%s: %s", dir,
				  strerror(errno));
	if (check_owner(fd, dir, err) < 0)
		return -1;
	ret = fd;
	fd = -1;
	return ret;
}

static char *read_file(int dir, const char *name, struct err *err)
{
	char file[300];

	snprintf(file, sizeof(file), "%.255s" PROFILE_SUFFIX, name);
	cleanup_close int fd = openat(
		dir, file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0) {
		err_printf(err,
			   "profile=%s: %s: %s; dist-train profiles lists what "
			   "exists",
			   name, file, strerror(errno));
		return NULL;
	}
	if (check_owner(fd, file, err) < 0)
		return NULL;
	return text_file_read_fd(fd, file, PROFILE_MAX - 1, err);
}

/* Check one file and append its text. */
static int add_file(int dir, const char *name, char *all, struct err *err)
{
	cleanup_free char *text = NULL;
	struct profile profile = {0};
	char file[300];
	int rc;

	if (*name == '.' || !*name)
		return err_printf(err, "profile: '%s' isn't a valid name",
				  name);
	text = read_file(dir, name, err);
	if (!text)
		return -1;
	snprintf(file, sizeof(file), "%.255s" PROFILE_SUFFIX, name);
	rc = profile_parse(file, text, &profile, err);
	profile_clear(&profile);
	if (rc < 0)
		return -1;
	if (text_add(all, PROFILE_MAX, "", "%s\n", text) < 0)
		return err_printf(
			err,
			"profile: the files have more than %d bytes together",
			PROFILE_MAX);
	return 0;
}

char *profile_dir_read(const char *dir, const char *names, struct err *err)
{
	cleanup_close int fd = open_dir(dir ? dir : PROFILES, err);
	cleanup_free char *copy = strdup(names);
	char *all = calloc(1, PROFILE_MAX), *save = NULL;
	int rc = fd < 0 ? -1 : 0;

	if (rc == 0 && (!copy || !all))
		rc = err_memory(err);
	for (char *name = rc < 0 ? NULL : strtok_r(copy, "+", &save);
	     rc == 0 && name; name = strtok_r(NULL, "+", &save))
		rc = add_file(fd, name, all, err);
	if (rc == 0)
		return all;
	free(all);
	return NULL;
}
