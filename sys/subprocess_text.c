/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/subprocess.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

/* Nobody has its number any more: another process may get it. */
static void end_child(struct subprocess_text *t, bool killed)
{
	loop_disarm(t->loop, &t->limit);
	if (killed)
		subprocess_kill(&t->child, SIGKILL);
	subprocess_close(&t->child);
	t->child = (struct subprocess){0};
}

static void finish(struct subprocess_text *t, bool late)
{
	end_child(t, late);
	t->text[t->n] = '\0';
	t->done(t->arg, t->text, late);
}

static void on_output(void *arg, const char *data, size_t n)
{
	struct subprocess_text *t = arg;
	size_t room = t->max - t->n;

	if (!n) {
		finish(t, false);
		return;
	}
	n = n < room ? n : room;
	memcpy(t->text + t->n, data, n);
	t->n += n;
}

static void on_limit(void *arg)
{
	finish(arg, true);
}

int subprocess_text_begin(struct subprocess_text *t,
			  const struct subprocess_spec *spec, uint64_t limit_ms,
			  struct err *err)
{
	t->n = 0;
	t->limit = (struct loop_timer){.expired = on_limit, .arg = t};
	t->text = malloc(t->max + 1);
	if (!t->text)
		return err_memory(err);
	if (subprocess_start(spec, &t->child, err) == 0) {
		loop_arm(t->loop, &t->limit, limit_ms);
		if (subprocess_watch(&t->child, t->loop, on_output, t, err) ==
		    0)
			return 0;
	}
	subprocess_text_drop(t);
	return -1;
}

void subprocess_text_drop(struct subprocess_text *t)
{
	if (t->child.pid > 0)
		end_child(t, true);
	free(t->text);
	t->text = NULL;
	t->n = 0;
}
