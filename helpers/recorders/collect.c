/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/recorders/collect.h"

#include "core/facts/rows.h"
#include "helpers/recorders/recorders.h"
#include "sys/folder.h"
#include "sys/subprocess.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LATE_MS 500 /* for the child to end after its time */

struct collecting {
	struct loop *loop;
	struct subprocess child;
	struct loop_timer deadline;
	void (*done)(void *arg, const char *rows);
	void *arg;
	size_t n;
	char rows[COLLECT_ROWS_MAX + 256];
};

void collect_drop(struct collecting *c)
{
	loop_disarm(c->loop, &c->deadline);
	subprocess_kill(&c->child, SIGKILL);
	subprocess_close(&c->child);
	free(c);
}

/* Up to the last whole row. */
static void finish(struct collecting *c, const char *note)
{
	char *end;

	c->rows[c->n] = '\0';
	end = strrchr(c->rows, '\n');
	c->n = end ? (size_t)(end + 1 - c->rows) : 0;
	snprintf(c->rows + c->n, sizeof(c->rows) - c->n, "%s", note);
	c->done(c->arg, c->rows);
	collect_drop(c);
}

static void on_output(void *arg, const char *data, size_t n)
{
	struct collecting *c = arg;

	if (n == 0) {
		finish(c, "");
		return;
	}
	if (n > COLLECT_ROWS_MAX - c->n)
		n = COLLECT_ROWS_MAX - c->n;
	memcpy(c->rows + c->n, data, n);
	c->n += n;
}

static void on_deadline(void *arg)
{
	finish(arg, ROW_NOTE("the folder for dumps doesn't answer, or the "
			     "dumps are too large to be read in time"));
}

struct collecting *collect_begin(struct loop *loop,
				 const struct collect_wish *wish,
				 void (*done)(void *arg, const char *rows),
				 void *arg, struct err *err)
{
	struct subprocess_spec spec = {
		.run = collect_run,
		.arg = wish,
		.flags = SUBPROCESS_LOOKS,
		.keeps = wish->folder,
	};
	struct collecting *c = calloc(1, sizeof(*c));

	if (!c) {
		err_memory(err);
		return NULL;
	}
	c->loop = loop;
	c->done = done;
	c->arg = arg;
	c->deadline = (struct loop_timer){.expired = on_deadline, .arg = c};
	if (subprocess_start(&spec, &c->child, err) < 0) {
		free(c);
		return NULL;
	}
	if (subprocess_watch(&c->child, loop, on_output, c, err) < 0) {
		collect_drop(c);
		return NULL;
	}
	loop_arm(loop, &c->deadline, (uint64_t)wish->ms + LATE_MS);
	return c;
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
