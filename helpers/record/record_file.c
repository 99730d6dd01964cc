/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/record/record_file.h"

#include "core/base/cleanup.h"
#include "core/facts/job.h"
#include "core/facts/record_words.h"
#include "helpers/record/saved_file.h"
#include "sys/log_open.h"
#include "sys/state_folder.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define OTHERS 077 /* what others may never do */

/* Why this isn't a file to write a record to; NULL: it is. */
static const char *fault(int fd)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return strerror(errno);
	if (!S_ISREG(st.st_mode))
		return "it is no file";
	if (st.st_uid != geteuid())
		return "it belongs to another user";
	return st.st_nlink > 1 ? "it has a second name (hard link)" : NULL;
}

static int open_file(int folder, const char *path, const char *step,
		     struct err *err)
{
	cleanup_close int fd = -1;
	char name[JOB_STEP_SIZE + sizeof(RECORD_SUFFIX)];
	const char *why;
	int ret;

	snprintf(name, sizeof(name), "%s" RECORD_SUFFIX, step);
	fd = openat(folder, name,
		    O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY |
			    O_NONBLOCK | O_NOFOLLOW,
		    0600);
	why = fd < 0 ? strerror(errno) : fault(fd);
	if (why)
		return err_printf(err, "record: can't write %s/%s: %s", path,
				  name, why);
	ret = fd;
	fd = -1;
	return ret;
}

int record_file_open(const char *path, bool own, const char *step,
		     int *ret_folder, struct err *err)
{
	cleanup_close int folder = -1;
	int fd;

	umask(OTHERS);
	folder = own ? state_folder_open("record", path, err)
		     : log_folder_open("record", path, err);
	if (folder < 0)
		return -1;
	fd = open_file(folder, path, step, err);
	if (fd < 0)
		return -1;
	*ret_folder = folder;
	folder = -1;
	return fd;
}

/* The line with what its progress file has; NULL: that has nothing. */
static char *with_saved(const struct record_line *line)
{
	int64_t written_ms;
	long value;
	char *ret;

	if (!line->saved ||
	    saved_file_read(line->saved, &value, &written_ms) < 0 ||
	    asprintf(&ret, "%.*s,\"value\":%ld,\"age_s\":%.3f}\n",
		     (int)strcspn(line->text, "}"), line->text, value,
		     written_ms < line->at_ms
			     ? (double)(line->at_ms - written_ms) / 1000
			     : 0.0) < 0)
		return NULL;
	return ret;
}

int record_file_write(int fd, const struct record_line *line)
{
	cleanup_free char *saved = with_saved(line);
	const char *text = saved ? saved : line->text;
	size_t n = strlen(text);
	struct stat st;

	if (fstat(fd, &st) < 0)
		return -1;
	if ((size_t)st.st_size + n > line->room)
		return 0;
	return write(fd, text, n) == (ssize_t)n ? 0 : -1;
}
