/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/record/record_file.h"

#include "core/base/cleanup.h"
#include "core/facts/job.h"
#include "helpers/record/record_folder.h"
#include "sys/folder.h"
#include "sys/log_open.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define OTHERS	  077  /* what others may never do */
#define NAMES_MAX 4096 /* of a folder that somebody fills with others */

/* --- opening --- */

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

static bool is_own(int folder)
{
	struct stat st;

	return fstatat(folder, ".", &st, 0) == 0 && st.st_uid == geteuid();
}

int record_file_open(const char *path, bool own, const char *step,
		     int *ret_folder, struct err *err)
{
	cleanup_close int folder = -1;
	int fd;

	umask(OTHERS);
	folder = log_folder_open("record", path, err);
	if (folder < 0)
		return -1;
	if (own && !is_own(folder))
		return err_printf(err,
				  "record: the folder %s belongs to another "
				  "user; record=DIR names another one",
				  path);
	fd = open_file(folder, path, step, err);
	if (fd < 0)
		return -1;
	*ret_folder = folder;
	folder = -1;
	return fd;
}

int record_file_write(int fd, const struct record_line *line)
{
	size_t n = strlen(line->text);
	struct stat st;

	if (fstat(fd, &st) < 0)
		return -1;
	if ((size_t)st.st_size + n > line->room)
		return 0;
	return write(fd, line->text, n) == (ssize_t)n ? 0 : -1;
}

/* --- pruning --- */

struct found {
	struct timespec at;
	char name[JOB_STEP_SIZE + sizeof(RECORD_SUFFIX)];
};

struct finding {
	struct found *found;
	size_t n;
};

/* JOB.STEP.REQUEUE.jsonl */
static bool is_record(const char *name)
{
	const char *at = name;

	for (unsigned i = 0; i < 3; i++) {
		size_t n = strspn(at, "0123456789");

		if (!n || at[n] != '.')
			return false;
		at += n + (i < 2);
	}
	return !strcmp(at, RECORD_SUFFIX);
}

static void find(void *arg, int folder, const char *name)
{
	struct finding *f = arg;
	struct found *one = &f->found[f->n];
	struct stat st;

	if (f->n == NAMES_MAX || strlen(name) >= sizeof(one->name) ||
	    !is_record(name) ||
	    fstatat(folder, name, &st, AT_SYMLINK_NOFOLLOW) < 0 ||
	    !S_ISREG(st.st_mode) || st.st_uid != geteuid())
		return;
	one->at = st.st_mtim;
	strcpy(one->name, name);
	f->n++;
}

static int newest_first(const void *a, const void *b)
{
	const struct timespec *x = &((const struct found *)a)->at;
	const struct timespec *y = &((const struct found *)b)->at;

	if (x->tv_sec != y->tv_sec)
		return x->tv_sec > y->tv_sec ? -1 : 1;
	return (x->tv_nsec < y->tv_nsec) - (x->tv_nsec > y->tv_nsec);
}

void record_prune(int folder, unsigned kept)
{
	cleanup_close int fd =
		openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct finding f = {.found = calloc(NAMES_MAX + 1, sizeof(*f.found))};

	if (fd >= 0 && f.found) {
		folder_each(fd, find, &f);
		qsort(f.found, f.n, sizeof(*f.found), newest_first);
		for (size_t i = kept; i < f.n; i++)
			unlinkat(fd, f.found[i].name, 0);
	}
	free(f.found);
}
