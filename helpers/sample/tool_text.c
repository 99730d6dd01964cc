/* SPDX-License-Identifier: Apache-2.0 */
/* What the readers share, and the two that know Python. */
#include "helpers/sample/tool_text.h"

#include <ctype.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

char *tool_line(char **text)
{
	char *line = *text, *end = strchr(line, '\n');

	if (!*line)
		return NULL;
	*text = end ? end + 1 : line + strlen(line);
	if (end)
		*end = '\0';
	return line;
}

struct tool_thread *tool_thread_add(struct tool_stacks *s, long tid,
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

void tool_frame_add(struct tool_thread *t, const char *function,
		    const char *file, long line)
{
	if (t && t->n < SAMPLE_FRAMES)
		t->frame[t->n++] = (struct tool_frame){function, file, line};
}

long tool_cut_line(char *file)
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
	return tool_thread_add(s, *after == ' ' ? tid : 0,
			       name ? name + 1 : "");
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
	number = tool_cut_line(place + 2);
	/* An address without a name differs from process to process */
	tool_frame_add(t, strncmp(line, "0x", 2) ? line : "??", place + 2,
		       number);
}

void pyspy_read(char *text, struct tool_stacks *ret)
{
	struct tool_thread *t = NULL;
	char *line;

	ret->n = 0;
	while ((line = tool_line(&text))) {
		if (!strncmp(line, "Thread ", 7))
			t = pyspy_thread(line, ret);
		else if (!strncmp(line, "    ", 4) && line[4] != ' ')
			pyspy_frame(line + 4, t);
	}
}

/* --- pystack --- */

/* It tells the outermost frame first. */
static void pystack_add(struct tool_thread *t, struct tool_frame frame)
{
	if (!t)
		return;
	if (t->n < SAMPLE_FRAMES)
		t->n++;
	memmove(t->frame + 1, t->frame, (t->n - 1) * sizeof(*t->frame));
	t->frame[0] = frame;
}

/* Traceback for thread 28354 (python3) [] (most recent call last): */
static struct tool_thread *pystack_thread(char *line, struct tool_stacks *s)
{
	char *after, *end;
	long tid = strtol(line, &after, 10);
	const char *name = "";

	if (!strncmp(after, " (", 2) && (end = strchr(after, ')'))) {
		*end = '\0';
		name = after + 2;
	}
	return tool_thread_add(s, tid, name);
}

/*     (Python) File "/home/alice/train.py", line 7, in train
 *     (C) File "???", line 0, in clock_nanosleep (libc.so.6) */
static void pystack_frame(char *line, struct tool_thread *t)
{
	char *file = strstr(line, "File \""), *end, *in, *library;
	struct tool_frame frame;

	end = file ? strstr(file, "\", line ") : NULL;
	in = end ? strstr(end, ", in ") : NULL;
	if (!in)
		return;
	file += strlen("File \"");
	frame.function = in + strlen(", in ");
	frame.line = strtol(end + strlen("\", line "), NULL, 10);
	*end = '\0';
	library = strncmp(line, "(C)", 3) ? NULL : strrchr(in, '(');
	if (library && library[-1] == ' ')
		library[-1] = '\0';
	frame.file = strcmp(file, "???") ? file : "";
	pystack_add(t, frame);
}

void pystack_read(char *text, struct tool_stacks *ret)
{
	static const char head[] = "Traceback for thread ";
	struct tool_thread *t = NULL;
	char *line;

	ret->n = 0;
	while ((line = tool_line(&text))) {
		if (!strncmp(line, head, sizeof(head) - 1))
			t = pystack_thread(line + sizeof(head) - 1, ret);
		else if (!strncmp(line, "    (", 5))
			pystack_frame(line + 4, t);
	}
}
