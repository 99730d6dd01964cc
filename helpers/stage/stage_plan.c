/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/stage/stage_plan.h"

#include "core/base/parse.h"
#include "helpers/stage/python_home.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct writing {
	int fd;
	char paths[STAGE_THINGS_MAX][PATH_MAX]; /* that are written */
	unsigned n;
};

/* --- to write it --- */

static int folder_of(const char *path)
{
	char dir[PATH_MAX];

	snprintf(dir, sizeof(dir), "%.*s", (int)(base_name(path) - path), path);
	return open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

static bool prints(const char *path)
{
	for (; *path; path++)
		if (iscntrl((unsigned char)*path))
			return false;
	return true;
}

/* Below a folder of the root, and nobody's above another one that is staged. */
static const char *why_not(const struct writing *w, const char *path)
{
	if (!strchr(path + 1, '/'))
		return "it is a folder of the root";
	if (!prints(path))
		return "its name has a control character";
	for (unsigned i = 0; i < w->n; i++) {
		size_t n = strlen(w->paths[i]);

		if (!strncmp(path, w->paths[i], n) && path[n] == '/')
			return "it is in another one that is staged";
	}
	return w->n == STAGE_THINGS_MAX ? "there are too many" : NULL;
}

static bool is_twice(const struct writing *w, const char *path)
{
	for (unsigned i = 0; i < w->n; i++)
		if (!strcmp(w->paths[i], path))
			return true;
	return false;
}

static void write_thing(struct writing *w, const char *asked)
{
	char path[PATH_MAX], shown[SHOW_SIZE];
	cleanup_close int folder = -1;
	struct tree_sum sum;
	const char *why;
	struct err err;

	if (!realpath(asked, path))
		why = strerror(errno);
	else if (is_twice(w, path))
		return;
	else
		why = why_not(w, path);
	if (why) {
		dprintf(w->fd, "\n! %s: %s", show(shown, asked), why);
		return;
	}
	folder = folder_of(path);
	if (folder < 0 ||
	    tree_walk(folder, base_name(path), -1, &sum, &err) < 0) {
		dprintf(w->fd, "\n! %s: %s", show(shown, asked),
			folder < 0 ? strerror(errno) : err.text);
		return;
	}
	snprintf(w->paths[w->n++], PATH_MAX, "%s", path);
	dprintf(w->fd, "\n%s %s %llu %lu %s", sum.id, sum.whole, sum.bytes,
		sum.files, path);
}

static void write_auto(struct writing *w, const char *program)
{
	char home[PYTHON_HOMES][PATH_MAX], shown[SHOW_SIZE];
	unsigned n = python_homes(program, home), nfound = 0;

	for (unsigned i = 0; i < n; i++)
		if (strchr(home[i] + 1, '/') && is_on_network(home[i])) {
			write_thing(w, home[i]);
			nfound++;
		}
	if (!n)
		dprintf(w->fd,
			"\n= %s isn't seen to be of a Python environment; "
			"stage=PATH names one",
			show(shown, program));
	else if (!nfound)
		dprintf(w->fd,
			"\n= the Python environment %s lies on no network file "
			"system",
			show(shown, home[0]));
}

void stage_plan_write(const struct request *request, const char *program,
		      int fd)
{
	cleanup_free struct writing *w = calloc(1, sizeof(*w));
	const char *text = request_text(request, KEY_STAGE), *at;
	char path[PATH_MAX];
	size_t n;

	if (!w)
		return;
	w->fd = fd;
	dprintf(fd, "plan");
	if (!text)
		write_auto(w, program);
	while ((at = stage_next_path(&text, &n))) {
		snprintf(path, sizeof(path), "%.*s", (int)n, at);
		write_thing(w, path);
	}
}

/* --- to read it --- */

int stage_plan_next(const char **text, struct stage_thing *ret,
		    const char **ret_remark, size_t *ret_n)
{
	const char *line = strchr(*text, '\n');
	struct tree_sum *s = &ret->sum;
	size_t n;
	int at = 0;

	if (!line++)
		return 0;
	n = strcspn(line, "\n");
	*text = line + n;
	*ret_remark = line;
	*ret_n = n;
	if (sscanf(line, "%32[0-9a-f] %32[0-9a-f] %llu %lu %n", s->id, s->whole,
		   &s->bytes, &s->files, &at) != 4 ||
	    line[at] != '/' || (size_t)at > n ||
	    n - (size_t)at >= sizeof(ret->path) ||
	    strlen(s->id) != TREE_SUM_SIZE - 1 ||
	    strlen(s->whole) != TREE_SUM_SIZE - 1)
		return -1;
	snprintf(ret->path, sizeof(ret->path), "%.*s", (int)(n - (size_t)at),
		 line + at);
	return 1;
}
