/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/recorders/collect.h"

#include "core/facts/rows.h"
#include "helpers/recorders/recorders.h"
#include "sys/folder.h"
#include "sys/subprocess.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LATE_MS 500 /* for the child to end after its time */

struct collecting {
	struct subprocess_text rows;
	void (*done)(void *arg, const char *rows);
	void *arg;
};

void collect_drop(struct collecting *c)
{
	subprocess_text_drop(&c->rows);
	free(c);
}

/* Up to the last whole row. */
static void finish(void *arg, char *rows, bool late)
{
	struct collecting *c = arg;
	cleanup_free char *all = NULL;
	char *end = strrchr(rows, '\n');

	end = end ? end + 1 : rows;
	*end = '\0';
	if (late &&
	    asprintf(&all, "%s%s", rows,
		     ROW_NOTE("the folder for dumps doesn't answer, or the "
			      "dumps are too large to be read in time")) < 0)
		all = NULL;
	c->done(c->arg, all ? all : rows);
	collect_drop(c);
}

struct collecting *collect_begin(struct loop *loop,
				 const struct collect_wish *wish,
				 void (*done)(void *arg, const char *rows),
				 void *arg, struct err *err)
{
	const struct subprocess_spec spec = {
		.run = collect_run,
		.arg = wish,
		.flags = SUBPROCESS_LOOKS,
		.keeps = wish->folder,
	};
	struct collecting *c = calloc(1, sizeof(*c));

	if (!c)
		return err_memory_null(err);
	c->done = done;
	c->arg = arg;
	c->rows = (struct subprocess_text){
		.loop = loop,
		.max = COLLECT_ROWS_MAX,
		.done = finish,
		.arg = c,
	};
	if (subprocess_text_begin(&c->rows, &spec, (uint64_t)wish->ms + LATE_MS,
				  err) == 0)
		return c;
	free(c);
	return NULL;
}

static void look(void *arg, int fd, const char *name)
{
	(void)fd;
	if (!strncmp(name, RECORDERS_TORCH, strlen(RECORDERS_TORCH)) ||
	    !strncmp(name, RECORDERS_HCCL, strlen(RECORDERS_HCCL)))
		*(bool *)arg |= !strchr(name, '.');
}

void collect_left(const struct collect_wish *wish, long ms)
{
	struct err err;
	bool any = false;
	char rows[64];

	folder_each(wish->folder, look, &any);
	if (any)
		subprocess_ask(collect_run, wish, (int)ms, rows, sizeof(rows),
			       &err);
}
