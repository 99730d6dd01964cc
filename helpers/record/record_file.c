/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/record/record_file.h"

#include "core/facts/job.h"
#include "core/facts/record_words.h"
#include "sys/epoch.h"
#include "sys/kept/log_open.h"
#include "sys/kept/state_folder.h"
#include "sys/orphans.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define OTHERS	  077 /* what others may never do */
#define CLUSTER	  40  /* bytes of its name */
#define NAME_SIZE (JOB_STEP_SIZE + CLUSTER + 32)
#define APART_MS  120000 /* launchers of one step start within */
#define NO_BEGIN  (-1.0)

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

/* Sites with two clusters on one home have equal job numbers. */
static void name_file(const char *step, const char *more, char ret[NAME_SIZE])
{
	const char *cluster = getenv("SLURM_CLUSTER_NAME");
	int n = snprintf(ret, NAME_SIZE, "%s", step);

	if (cluster && *cluster)
		snprintf(ret + n, NAME_SIZE - (size_t)n, ".%.*s", CLUSTER,
			 cluster);
	for (char *p = ret + n + (cluster && *cluster); *p; p++)
		if (!strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVW"
			    "XYZ0123456789-_",
			    *p))
			*p = '_';
	n = (int)strlen(ret);
	snprintf(ret + n, NAME_SIZE - (size_t)n, "%s" RECORD_SUFFIX, more);
}

/* When the launcher, our parent, was started. */
static double launcher_began_ms(void)
{
	struct timespec up;
	struct proc_id id;

	if (proc_id_read(getppid(), &id) < 0 ||
	    clock_gettime(CLOCK_BOOTTIME, &up) < 0)
		return NO_BEGIN;
	return (double)epoch_ms() - (double)up.tv_sec * 1000 +
	       (double)id.start * 1000 / (double)sysconf(_SC_CLK_TCK);
}

/* When the record in the file begins, if that is another step's of the same
 * name: a cluster that was set up anew counts its jobs from 1. Another launcher
 * of our own step may have begun it. */
static double anothers_begin_ms(int fd)
{
	double own = launcher_began_ms(), found;
	char text[64];
	ssize_t n = pread(fd, text, sizeof(text) - 1, 0);

	if (n <= 0 || own < 0)
		return NO_BEGIN;
	text[n] = '\0';
	if (sscanf(text, "{\"t_ms\":%lf,", &found) != 1 ||
	    (found > own - APART_MS && found < own + APART_MS))
		return NO_BEGIN;
	return found;
}

static int open_name(int folder, const char *name)
{
	return openat(folder, name,
		      O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY |
			      O_NONBLOCK | O_NOFOLLOW,
		      0600);
}

/* It has the second of its begin in its name from now on. Returns the new file,
 * or -1 with errno. */
static int put_aside(int folder, const char *step, int fd, double began_ms)
{
	char more[32], name[NAME_SIZE], to[NAME_SIZE];
	struct stat at_name, opened;

	snprintf(more, sizeof(more), ".%.0f", began_ms / 1000);
	name_file(step, "", name);
	name_file(step, more, to);
	/* another launcher may have been faster */
	if (fstat(fd, &opened) == 0 &&
	    fstatat(folder, name, &at_name, AT_SYMLINK_NOFOLLOW) == 0 &&
	    opened.st_ino == at_name.st_ino)
		renameat(folder, name, folder, to);
	return open_name(folder, name);
}

static int open_file(int folder, const char *path, const char *step,
		     struct err *err)
{
	cleanup_close int fd = -1;
	char name[NAME_SIZE];
	const char *why;
	double other;
	int ret;

	name_file(step, "", name);
	fd = open_name(folder, name);
	why = fd < 0 ? strerror(errno) : fault(fd);
	other = why ? NO_BEGIN : anothers_begin_ms(fd);
	if (other >= 0) {
		ret = put_aside(folder, step, fd, other);
		close(fd);
		fd = ret;
		why = fd < 0 ? strerror(errno) : fault(fd);
	}
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
