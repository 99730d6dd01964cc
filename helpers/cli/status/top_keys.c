/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/cli/status/top.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- what keys do --- */

static void quit(struct top *t)
{
	t->left = true;
	loop_stop(&t->loop);
}

static void scroll(struct top *t, long lines)
{
	long first = (long)t->first + lines;

	/* The screen knows where the end is */
	t->first = first < 0 ? 0 : (unsigned)first;
}

static void up(struct top *t)
{
	scroll(t, -1);
}

static void down(struct top *t)
{
	scroll(t, 1);
}

static void page_up(struct top *t)
{
	scroll(t, -(long)top_page(t));
}

static void page_down(struct top *t)
{
	scroll(t, top_page(t));
}

static void home(struct top *t)
{
	t->first = 0;
}

static void end(struct top *t)
{
	t->first = INT_MAX;
}

static void sort_by(struct top *t, unsigned column)
{
	t->how.column = column;
	t->how.reverse = false;
	t->first = 0;
}

/* To the next one that is known, `by` 1 or -1. */
static void move_column(struct top *t, int by)
{
	unsigned column = t->how.column;

	do
		column = (column + COLUMNS + (unsigned)by) % COLUMNS;
	while (!column_is_known(&t->view, column));
	sort_by(t, column);
}

static void next_column(struct top *t)
{
	move_column(t, 1);
}

static void previous_column(struct top *t)
{
	move_column(t, -1);
}

static void by_cpu(struct top *t)
{
	sort_by(t, COLUMN_CPU);
}

static void by_memory(struct top *t)
{
	sort_by(t, COLUMN_MEMORY);
}

static void by_rank(struct top *t)
{
	sort_by(t, COLUMN_RANK);
}

static void reverse(struct top *t)
{
	t->how.reverse = !t->how.reverse;
	t->first = 0;
}

static void group(struct top *t)
{
	static const char *const note[] = {
		[LINES_RANKS] = "each rank is a line",
		[LINES_ALIKE] = "ranks that are alike are a line",
		[LINES_NODES] = "each node is a line",
	};

	t->how.how = (t->how.how + 1) % (LINES_NODES + 1);
	t->first = 0;
	snprintf(t->note, sizeof(t->note), "%s", note[t->how.how]);
}

static void ask(struct top *t, enum top_mode mode, const char *typed)
{
	t->mode = mode;
	snprintf(t->typed, sizeof(t->typed), "%s", typed);
}

static void ask_node(struct top *t)
{
	ask(t, TOP_ASKS_NODE, "");
}

static void ask_delay(struct top *t)
{
	ask(t, TOP_ASKS_DELAY, "");
}

static void help(struct top *t)
{
	t->mode = TOP_HELP;
}

static const struct {
	int key;
	void (*act)(struct top *top);
	const char *help; /* NULL: of the key before */
} keys[] = {
	{'q', quit, "q, Ctrl-C\tquit"},
	{'Q', quit, NULL},
	{KEY_DOWN, down, "Up Down, k j\tscroll by a line"},
	{'j', down, NULL},
	{KEY_UP, up, NULL},
	{'k', up, NULL},
	{KEY_PAGE_DOWN, page_down, "PgUp PgDn\tscroll by a page"},
	{KEY_PAGE_UP, page_up, NULL},
	{KEY_HOME, home, "Home End\tthe first and the last line"},
	{KEY_END, end, NULL},
	{'>', next_column,
	 "Right Left, > <\tsort by the next column, the one before; s: as >"},
	{'s', next_column, NULL},
	{KEY_RIGHT, next_column, NULL},
	{'<', previous_column, NULL},
	{KEY_LEFT, previous_column, NULL},
	{'P', by_cpu, "P M N\tsort by CPU, memory, rank"},
	{'M', by_memory, NULL},
	{'N', by_rank, NULL},
	{'r', reverse, "r\treverse the order"},
	{'R', reverse, NULL},
	{'g', group, "g\ta line for each rank, for alike ones, for each node"},
	{'f', ask_node, "f\tonly nodes whose name has a text in it"},
	{'d', ask_delay, "d\tseconds between two looks"},
	{' ', top_ask, "Space\tlook now"},
	{'h', help, "h, ?\tthis help"},
	{'?', help, NULL},
};

const char *top_key_help(unsigned i)
{
	for (size_t k = 0; k < sizeof(keys) / sizeof(*keys); k++)
		if (keys[k].help && !i--)
			return keys[k].help;
	return NULL;
}

/* --- a typed line --- */

static void take_delay(struct top *t)
{
	char *end;
	double s = strtod(t->typed, &end);

	if (!*t->typed)
		return;
	if (*end || !(s >= DELAY_MIN && s <= DELAY_MAX)) {
		snprintf(t->note, sizeof(t->note),
			 "'%s' is no time: %.1f to %d seconds", t->typed,
			 DELAY_MIN, DELAY_MAX);
		return;
	}
	t->delay_s = s;
	top_ask(t);
}

static void take(struct top *t)
{
	if (t->mode == TOP_ASKS_NODE) {
		memcpy(t->node, t->typed, sizeof(t->node));
		t->first = 0;
	} else {
		take_delay(t);
	}
	t->mode = TOP_TABLE;
}

static void type(struct top *t, int key)
{
	size_t n = strlen(t->typed);

	if (key == KEY_ENTER)
		take(t);
	else if (key == KEY_ESCAPE)
		t->mode = TOP_TABLE;
	else if (key == KEY_ERASE && n)
		t->typed[n - 1] = '\0';
	else if (key >= ' ' && key < KEY_ERASE && n + 1 < sizeof(t->typed))
		memcpy(t->typed + n, (char[]){(char)key, '\0'}, 2);
}

void top_key(struct top *t, int key)
{
	if (t->mode == TOP_ASKS_NODE || t->mode == TOP_ASKS_DELAY) {
		type(t, key);
		return;
	}
	*t->note = '\0';
	if (t->mode == TOP_HELP) {
		t->mode = TOP_TABLE;
		if (key != 'q')
			return;
	}
	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++)
		if (keys[i].key == key)
			keys[i].act(t);
}
