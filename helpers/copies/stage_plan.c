/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/copies/stage_plan.h"

#include "core/base/parse.h"
#include "helpers/copies/python_home.h"

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

static int look_at(struct stage_thing *t, struct err *err)
{
	cleanup_close int folder = folder_of(t->path);

	if (folder < 0)
		return err_printf(err, "%s", strerror(errno));
	return tree_walk(folder, base_name(t->path), -1, NULL, &t->sum, err);
}

static void write_thing(struct writing *w, const char *asked)
{
	char shown[SHOW_SIZE];
	struct stage_thing t;
	const char *why;
	struct err err;

	if (!realpath(asked, t.path))
		why = strerror(errno);
	else if (is_twice(w, t.path))
		return;
	else
		why = why_not(w, t.path);
	if (!why && look_at(&t, &err) < 0)
		why = err.text;
	if (why) {
		dprintf(w->fd, "\n! %s: %s", show(shown, asked), why);
		return;
	}
	snprintf(w->paths[w->n++], PATH_MAX, "%s", t.path);
	dprintf(w->fd, "\n%s %s %llu %lu %s", t.sum.id, t.sum.whole,
		t.sum.bytes, t.sum.files, t.path);
}

int stage_plan_one(const char *asked, struct stage_thing *ret, struct err *err)
{
	static const struct writing none = {.n = 0};
	const char *why;

	if (!realpath(asked, ret->path))
		return err_printf(err, "%s", strerror(errno));
	why = why_not(&none, ret->path);
	return why ? err_printf(err, "%s", why) : look_at(ret, err);
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

	if (!line)
		return 0;
	n = strcspn(++line, "\n");
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
