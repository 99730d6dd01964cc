/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/look/look.h"

#include "helpers/conn/message.h"
#include "helpers/launch/part.h"
#include "helpers/launch/step.h"
#include "helpers/look/look_state.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ASKERS_MAX (VISITORS_MAX + 4) /* of one sight */

/* Who asks for the same while it is looked at gets the same answer. */
struct sight {
	struct look *look;
	struct sight *next, **prev;
	const struct sight_kind *kind;
	char *words;
	long ms;
	long number[ASKERS_MAX];
	unsigned naskers;
	void *kept;
};

struct launch_view *sight_view(const struct sight *s)
{
	return s->look->v;
}

long sight_ms(const struct sight *s)
{
	return s->ms;
}

void sight_keep(struct sight *s, void *kept)
{
	s->kept = kept;
}

void *sight_kept(const struct sight *s)
{
	return s->kept;
}

static void drop(struct sight *s)
{
	if (s->kind->end)
		s->kind->end(s);
	*s->prev = s->next;
	if (s->next)
		s->next->prev = s->prev;
	free(s->words);
	free(s);
}

static void answer(struct look *look, long number, const char *rows)
{
	size_t n = strlen(rows);
	char *text = malloc(n + 32);
	int head;

	if (!text)
		return;
	head = snprintf(text, 32, "%ld ", number);
	memcpy(text + head, rows, n + 1);
	session_send(look->v->session, MSG_SEEN, text, (size_t)head + n);
	free(text);
}

/* What is too long ends with its last whole row. */
void sight_tell(struct sight *s, const char *rows)
{
	char *cut = NULL, *end;

	if (strlen(rows) > SIGHT_MAX) {
		cut = strndup(rows, SIGHT_MAX);
		end = cut ? strrchr(cut, '\n') : NULL;
		if (end)
			end[1] = '\0';
	}
	for (unsigned i = 0; i < s->naskers; i++)
		answer(s->look, s->number[i], cut ? cut : rows);
	free(cut);
	drop(s);
}

static const struct sight_kind *find_kind(const char *what, size_t n)
{
	for (const struct sight_kind *k = look_kinds; k->what; k++)
		if (!strncmp(k->what, what, n) && !k->what[n])
			return k;
	return NULL;
}

static struct sight *find_sight(const struct look *look,
				const struct sight_kind *kind)
{
	struct sight *s = look->sights;

	while (s && s->kind != kind)
		s = s->next;
	return s;
}

static void begin(struct look *look, const struct sight_kind *kind,
		  const char *words, long number, long ms)
{
	struct sight *s = calloc(1, sizeof(*s));
	char *copy = strdup(words);

	if (!s || !copy) {
		free(s);
		free(copy);
		answer(look, number, "");
		return;
	}
	*s = (struct sight){
		.look = look,
		.next = look->sights,
		.prev = &look->sights,
		.kind = kind,
		.words = copy,
		.ms = ms,
		.number = {number},
		.naskers = 1,
	};
	if (s->next)
		s->next->prev = &s->next;
	look->sights = s;
	kind->begin(s, copy);
}

/* NUMBER MS WHAT [WORD...] */
static void on_look(struct launch *l, const char *text)
{
	struct look *look = launch_view(l)->look;
	const struct sight_kind *kind;
	struct sight *s;
	long number, ms;
	size_t n;

	if (message_number(&text, 0, LONG_MAX, &number) < 0 ||
	    message_number(&text, 1, LOOK_MS_MAX, &ms) < 0)
		return;
	n = strcspn(text, " ");
	kind = find_kind(text, n);
	text += n + !!text[n];
	s = kind ? find_sight(look, kind) : NULL;
	if (!kind)
		answer(look, number, "unknown\n");
	else if (!s)
		begin(look, kind, text, number, ms);
	else if (strcmp(s->words, text) != 0 || s->naskers == ASKERS_MAX)
		answer(look, number, "busy\n");
	else
		s->number[s->naskers++] = number;
}

static int open_look(struct launch *l, struct err *err)
{
	struct launch_view *v = launch_view(l);

	v->look = calloc(1, sizeof(*v->look));
	if (!v->look)
		return err_memory(err);
	v->look->v = v;
	return 0;
}

static void close_look(struct launch *l)
{
	struct launch_view *v = launch_view(l);

	while (v->look && v->look->sights)
		drop(v->look->sights);
	free(v->look);
	v->look = NULL;
}

const struct part look_part = {
	.name = "look",
	.open = open_look,
	.close = close_look,
	.messages = (const struct part_message[]){{MSG_LOOK, on_look}, {0}},
};
