/* SPDX-License-Identifier: Apache-2.0 */
#include "spank/ending/job_end.h"

#include "core/base/parse.h"
#include "sys/kept/log_open.h"
#include "sys/text_file.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FILE_MAX  64   /* bytes of the user's file */
#define NOTED_MAX 4096 /* and of ours */
#define LIVES_MAX 16   /* that are kept */
#define NO_VALUE  (-1)
#define KEY	  "progress-file"

struct noted {
	unsigned n;
	struct {
		unsigned life;
		long value;
	} at[LIVES_MAX];
};

static char *noted_path(const struct progress_file *f)
{
	char *path;

	return asprintf(&path, "%s.dist-train-%u", f->path, f->job_id) < 0
		       ? NULL
		       : path;
}

/* All of a file; NULL: it can't be read, or isn't to be trusted. */
static char *read_file(const char *path, size_t max, struct err *err)
{
	cleanup_close int fd = log_open_to_read(KEY, path, err);

	return fd < 0 ? NULL : text_file_read_fd(fd, path, max, err);
}

/* The integer, or NO_VALUE with the reason. */
static long read_value(const char *path, struct err *err)
{
	cleanup_free char *text = read_file(path, FILE_MAX, err);
	long value;

	if (!text)
		return NO_VALUE;
	text[strcspn(text, " \t\r\n")] = '\0';
	if (parse_number(text, 0, LONG_MAX, &value) == 0)
		return value;
	err_printf(err, "%s: doesn't begin with an integer", path);
	return NO_VALUE;
}

static void add(struct noted *n, unsigned life, long value)
{
	if (n->n == LIVES_MAX)
		memmove(&n->at[0], &n->at[1], --n->n * sizeof(n->at[0]));
	n->at[n->n].life = life;
	n->at[n->n++].value = value;
}

/* Those of this life and before; what a job with this number has left long ago
 * isn't there any more. */
static void read_noted(const struct progress_file *f, struct noted *ret)
{
	cleanup_free char *path = noted_path(f);
	cleanup_free char *text = NULL;
	struct err ignored;
	unsigned life;
	long value;
	int used;

	*ret = (struct noted){0};
	text = path ? read_file(path, NOTED_MAX, &ignored) : NULL;
	for (const char *at = text; at; at += used) {
		used = 0;
		if (sscanf(at, "%9u %19ld %n", &life, &value, &used) != 2 ||
		    !used || life > f->life)
			return;
		add(ret, life, value);
	}
}

/* Where a link may lead to isn't asked twice: it is written below the folder
 * that was looked at. */
static int write_noted(const struct progress_file *f, const char *text,
		       size_t len, struct err *err)
{
	cleanup_free char *path = noted_path(f), *there = NULL;
	cleanup_close int folder = -1;
	const char *name;
	struct err why;

	if (!path)
		return err_memory(err);
	folder = log_folder_of(KEY, path, &name, err);
	if (folder < 0)
		return -1;
	if (asprintf(&there, "/proc/self/fd/%d/%s", folder, name) < 0)
		return err_memory(err);
	if (write_file_durable(there, text, len, 0600, &why) == 0)
		return 0;
	return err_printf(err, "can't write %s%s", path,
			  strrchr(why.text, ':'));
}

int progress_file_begin(const struct progress_file *f, struct err *err)
{
	char text[NOTED_MAX];
	struct err ignored;
	struct noted noted = {0};
	int len = 0;

	if (f->life)
		read_noted(f, &noted);
	if (noted.n && noted.at[noted.n - 1].life == f->life)
		return 0;
	add(&noted, f->life, read_value(f->path, &ignored));
	for (unsigned i = 0; i < noted.n; i++)
		len += snprintf(text + len, sizeof(text) - (size_t)len,
				"%u %ld\n", noted.at[i].life,
				noted.at[i].value);
	return write_noted(f, text, (size_t)len, err);
}

unsigned progress_file_idle(const struct progress_file *f, char *say,
			    size_t size)
{
	struct noted n;
	struct err err;
	long value = read_value(f->path, &err);
	unsigned idle = 0;

	if (value == NO_VALUE)
		snprintf(say, size, "%.300s", err.text);
	else
		snprintf(say, size, "it is %ld", value);
	read_noted(f, &n);
	if (!n.n)
		return value == NO_VALUE;
	for (unsigned i = n.n; i-- > 0 && value <= n.at[i].value; idle++)
		value = n.at[i].value;
	return idle;
}

void progress_file_end(const struct progress_file *f)
{
	cleanup_free char *path = noted_path(f);
	cleanup_close int folder = -1;
	const char *name;
	struct err ignored;

	if (path)
		folder = log_folder_of(KEY, path, &name, &ignored);
	if (folder >= 0)
		unlinkat(folder, name, 0);
}
