/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/sample/tools.h"

#include <ctype.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* Cut the first line off *text; NULL at its end. */
static char *next_line(char **text)
{
	char *line = *text, *end = strchr(line, '\n');

	if (!*line)
		return NULL;
	*text = end ? end + 1 : line + strlen(line);
	if (end)
		*end = '\0';
	return line;
}

/* A new thread, or NULL: where there are too many it isn't kept. */
static struct tool_thread *thread_add(struct tool_stacks *s, long tid,
				      const char *name)
{
	struct tool_thread *t;

	if (s->n == SAMPLE_THREADS)
		return NULL;
	t = &s->thread[s->n++];
	t->tid = tid;
	t->name = name;
	t->n = 0;
	return t;
}

/* A frame further out than those before; too many aren't kept. `t` NULL: of no
 * thread. */
static void frame_add(struct tool_thread *t, const char *function,
		      const char *file, long line)
{
	if (t && t->n < SAMPLE_FRAMES)
		t->frame[t->n++] = (struct tool_frame){function, file, line};
}

/* "FILE:LINE", or "FILE", is cut in two. Returns the line, or 0. */
static long cut_line(char *file)
{
	char *colon = strrchr(file, ':'), *end;
	long line;

	if (!colon || !isdigit((unsigned char)colon[1]))
		return 0;
	line = strtol(colon + 1, &end, 10);
	if (*end || line == LONG_MAX)
		return 0;
	*colon = '\0';
	return line;
}

/* --- py-spy --- */

/* Thread 28339 (idle): "MainThread" */
static struct tool_thread *pyspy_thread(char *line, struct tool_stacks *s)
{
	char *name = strchr(line, '"'), *end = strrchr(line, '"'), *after;
	long tid = strtol(line + strlen("Thread "), &after, 10);

	if (end != name)
		*end = '\0';
	return thread_add(s, *after == ' ' ? tid : 0, name ? name + 1 : "");
}

/* Where the place begins in "train (/a (b)/x.py:7)" or, of a native frame, in
 * "at::f(int (*)(int)) (libtorch.so)". */
static char *pyspy_place(char *line)
{
	char *first = strstr(line, " ("), *last = first, *next;

	if (!first || !memchr(line, '(', (size_t)(first - line)))
		return first;
	while ((next = strstr(last + 1, " (")))
		last = next;
	return last;
}

/*     train (/home/alice/train.py:7) */
static void pyspy_frame(char *line, struct tool_thread *t)
{
	char *place = pyspy_place(line);
	size_t n = strlen(line);
	long number;

	if (!place || line[n - 1] != ')')
		return;
	line[n - 1] = '\0';
	*place = '\0';
	number = cut_line(place + 2);
	/* An address without a name differs from process to process */
	frame_add(t, strncmp(line, "0x", 2) ? line : "??", place + 2, number);
}

void pyspy_read(char *text, struct tool_stacks *ret)
{
	struct tool_thread *t = NULL;
	char *line;

	ret->n = 0;
	while ((line = next_line(&text))) {
		if (!strncmp(line, "Thread ", 7))
			t = pyspy_thread(line, ret);
		else if (!strncmp(line, "    ", 4) && line[4] != ' ')
			pyspy_frame(line + 4, t);
	}
}

/* --- eu-stack --- */

/* "#0  0x00007f57 clock_nanosleep - /lib/libc.so.6": what stands after the
 * number and the address, or NULL. */
static char *after_number(char *line)
{
	char *at = line + 1;

	if (*line != '#' || !isdigit((unsigned char)*at))
		return NULL;
	at += strspn(at, "0123456789");
	at += strspn(at, " ");
	if (!strncmp(at, "0x", 2)) {
		at += 2 + strspn(at + 2, "0123456789abcdef");
		at += strspn(at, " ");
	}
	return at;
}

/* clock_nanosleep@GLIBC_2.2.5 - /lib/libc.so.6 */
static void eustack_frame(char *at, struct tool_thread *t)
{
	char *file = strstr(at, " - ");

	if (file) {
		*file = '\0';
		file += 3;
	}
	at[strcspn(at, "@")] = '\0';
	frame_add(t, *at ? at : "??", file ? file : "", 0);
}

void eustack_read(char *text, struct tool_stacks *ret)
{
	struct tool_thread *t = NULL;
	char *line, *at;

	ret->n = 0;
	while ((line = next_line(&text))) {
		if (!strncmp(line, "TID ", 4))
			t = thread_add(ret, strtol(line + 4, NULL, 10), "");
		else if ((at = after_number(line)))
			eustack_frame(at, t);
	}
}
