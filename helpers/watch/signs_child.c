/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/watch/signs.h"

#include "core/facts/rows.h"
#include "sys/loop.h"
#include "sys/text_file.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* Longer between two looks: we were stopped (scontrol suspend), and so were the
 * ranks. */
#define STOPPED_MS 10000

struct looker {
	const struct signs_wish *wish;
	struct signs *rank, **all;
	uint64_t looked_ms, listed_ms;
	bool asked;
};

static bool open_all(struct looker *k)
{
	uint64_t now = loop_now_ms();

	k->rank = calloc(k->wish->n, sizeof(*k->rank));
	k->all = calloc(k->wish->n, sizeof(*k->all));
	if (!k->rank || !k->all)
		return false;
	for (unsigned i = 0; i < k->wish->n; i++) {
		k->all[i] = &k->rank[i];
		if (signs_open(&k->rank[i], "", k->wish->pid[i], now) < 0)
			return false;
	}
	k->looked_ms = now;
	return true;
}

/* A debugger is looked for where all would be said to hang. */
static void look_at(struct looker *k, struct signs *s, uint64_t now)
{
	uint64_t limit = k->wish->limit_ms;

	if (k->asked)
		signs_skip(s, now);
	else
		signs_look(s, now, limit / 4);
	if (now - k->looked_ms > k->wish->interval_ms + STOPPED_MS ||
	    (now - s->moved_ms >= limit / 2 && signs_is_held(s)))
		s->moved_ms = now;
}

/* What ranks have started, before they are said to be quiet: a rank that works
 * needs nobody to look at its children. */
static void find_more(struct looker *k, uint64_t now)
{
	uint64_t last = 0, each = k->wish->limit_ms / 4;

	for (unsigned i = 0; i < k->wish->n; i++)
		if (k->rank[i].moved_ms > last)
			last = k->rank[i].moved_ms;
	if (now - last < each || now - k->listed_ms < each)
		return;
	k->listed_ms = now;
	signs_find(k->all, k->wish->n, now);
}

static bool tell(const struct looker *k, int fd)
{
	cleanup_free char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	if (!f)
		return false;
	for (unsigned i = 0; i < k->wish->n; i++) {
		row_begin(f, "sign");
		row_number(f, i);
		row_number(f, (long long)k->rank[i].moved_ms);
		row_number(f, signs_is_busy(&k->rank[i]));
		row_number(f, k->rank[i].n);
		row_end(f);
	}
	return fclose(f) == 0 && write_full(fd, text, size) == 0;
}

static bool look(struct looker *k, int fd)
{
	uint64_t now = loop_now_ms();

	for (unsigned i = 0; i < k->wish->n; i++)
		look_at(k, &k->rank[i], now);
	find_more(k, now);
	k->looked_ms = now;
	return tell(k, fd);
}

/* Until the next look, or a word. Returns false at the launcher's end. */
static bool wait_for_word(struct looker *k, int fd)
{
	struct pollfd p = {.fd = fd, .events = POLLIN};
	char word;

	if (poll(&p, 1, (int)k->wish->interval_ms) <= 0)
		return true;
	if (read(fd, &word, 1) != 1)
		return false;
	if (word == SIGNS_ASKED) {
		k->asked = true;
		return true;
	}
	for (unsigned i = 0; i < k->wish->n; i++)
		signs_skip(&k->rank[i], loop_now_ms());
	k->asked = false;
	return true;
}

int signs_child(const int fd[2], const void *wish)
{
	struct looker k = {.wish = wish};

	if (!open_all(&k))
		return EXIT_FAILURE;
	while (look(&k, fd[1]) && wait_for_word(&k, fd[0]))
		;
	return EXIT_SUCCESS;
}
