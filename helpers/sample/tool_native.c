/* SPDX-License-Identifier: Apache-2.0 */
/* The readers of native stacks. */
#include "helpers/sample/tool_text.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* "#0  0x00007f57 in f (x=1) at f.c:48": what stands after the number and the
 * address, or NULL. */
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

/* The last place of `word` in `text`, or NULL. */
static char *last_of(char *text, const char *word)
{
	char *last = NULL;

	for (char *at = text; (at = strstr(at, word)); at++)
		last = at;
	return last;
}

/* --- gdb --- */

/* Thread 1 (Thread 0x7f5725d12040 (LWP 28339) "python3"): */
static struct tool_thread *gdb_thread(char *line, struct tool_stacks *s)
{
	char *lwp = strstr(line, "(LWP "), *name = strchr(line, '"'), *end;

	if (!lwp)
		return NULL;
	end = name ? strchr(name + 1, '"') : NULL;
	if (end)
		*end = '\0';
	return tool_thread_add(s, strtol(lwp + 5, NULL, 10),
			       end ? name + 1 : "");
}

/* in __GI___clock_nanosleep (clock_id=1) at ../clock_nanosleep.c:48
 * in ?? () from /lib/libfoo.so */
static void gdb_frame(char *at, struct tool_thread *t)
{
	char *place, *args;
	long number = 0;

	if (!strncmp(at, "in ", 3))
		at += 3;
	args = strstr(at, " (");
	if (!args)
		return;
	*args++ = '\0';
	place = last_of(args, ") at ");
	if (place)
		number = tool_cut_line(place += strlen(") at "));
	else if ((place = last_of(args, ") from ")))
		place += strlen(") from ");
	tool_frame_add(t, at, place ? place : "", number);
}

void gdb_read(char *text, struct tool_stacks *ret)
{
	struct tool_thread *t = NULL;
	char *line, *at;

	ret->n = 0;
	while ((line = tool_line(&text))) {
		if (!strncmp(line, "Thread ", 7))
			t = gdb_thread(line, ret);
		else if ((at = after_number(line)))
			gdb_frame(at, t);
	}
}

/* --- eu-stack --- */

/* clock_nanosleep@GLIBC_2.2.5 - /lib/libc.so.6 */
static void eustack_frame(char *at, struct tool_thread *t)
{
	char *file = strstr(at, " - ");

	if (file) {
		*file = '\0';
		file += 3;
	}
	at[strcspn(at, "@")] = '\0';
	tool_frame_add(t, *at ? at : "??", file ? file : "", 0);
}

void eustack_read(char *text, struct tool_stacks *ret)
{
	struct tool_thread *t = NULL;
	char *line, *at;

	ret->n = 0;
	while ((line = tool_line(&text))) {
		if (!strncmp(line, "TID ", 4))
			t = tool_thread_add(ret, strtol(line + 4, NULL, 10),
					    "");
		else if ((at = after_number(line)))
			eustack_frame(at, t);
	}
}
