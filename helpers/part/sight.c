/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/part/sight.h"

#include "core/base/array.h"
#include "helpers/conn/message.h"
#include "helpers/part/launch_view.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ASKERS_MAX (VISITORS_MAX + 4) /* of one sight */

/* Who asks for the same while it is looked at gets the same answer. */
struct sight {
	struct launch_view *v;
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
	return s->v;
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
	LIST_REMOVE(s);
	free(s->words);
	free(s);
}

void sight_answer(const struct launch_view *v, long number, const char *rows)
{
	size_t n = strlen(rows);
	char *text = malloc(n + 32);
	int head;

	if (!text)
		return;
	head = snprintf(text, 32, "%ld ", number);
	memcpy(text + head, rows, n + 1);
	session_send(v->session, MSG_SEEN, text, (size_t)head + n);
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
		sight_answer(s->v, s->number[i], cut ? cut : rows);
	free(cut);
	drop(s);
}

static struct sight *find_sight(const struct launch_view *v,
				const struct sight_kind *kind)
{
	struct sight *s = v->sights;

	while (s && s->kind != kind)
		s = s->next;
	return s;
}

static void begin(struct launch_view *v, const struct sight_kind *kind,
		  const char *words, long number, long ms)
{
	struct sight *s = calloc(1, sizeof(*s));
	char *copy = strdup(words);

	if (!s || !copy) {
		free(s);
		free(copy);
		sight_answer(v, number, "");
		return;
	}
	*s = (struct sight){
		.v = v,
		.kind = kind,
		.words = copy,
		.ms = ms,
		.number = {number},
		.naskers = 1,
	};
	LIST_ADD(&v->sights, s);
	kind->begin(s, copy);
}

void sight_ask(struct launch_view *v, const struct sight_kind *kind,
	       const char *words, long number, long ms)
{
	struct sight *s = find_sight(v, kind);

	if (!s)
		begin(v, kind, words, number, ms);
	else if (strcmp(s->words, words) != 0 || s->naskers == ASKERS_MAX)
		sight_answer(v, number, "busy\n");
	else
		s->number[s->naskers++] = number;
}

void sights_drop(struct launch_view *v)
{
	while (v->sights)
		drop(v->sights);
}
