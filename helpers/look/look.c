/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/conn/message.h"
#include "helpers/look/look_state.h"
#include "helpers/part/part.h"

#include <limits.h>
#include <string.h>

static const struct sight_kind *find_kind(const char *what, size_t n)
{
	for (const struct sight_kind *k = look_kinds; k->what; k++)
		if (!strncmp(k->what, what, n) && !k->what[n])
			return k;
	return NULL;
}

/* NUMBER MS WHAT [WORD...] */
static void on_look(struct launch *l, const char *text)
{
	struct launch_view *v = launch_view(l);
	const struct sight_kind *kind;
	long number, ms;
	size_t n;

	if (message_number(&text, 0, LONG_MAX, &number) < 0 ||
	    message_number(&text, 1, LOOK_MS_MAX, &ms) < 0)
		return;
	n = strcspn(text, " ");
	kind = find_kind(text, n);
	text += n + !!text[n];
	if (kind)
		sight_ask(v, kind, text, number, ms);
	else
		sight_answer(v, number, "unknown\n");
}

static void close_look(struct launch *l)
{
	sights_drop(launch_view(l));
}

const struct part look_part = {
	.name = "look",
	.close = close_look,
	.messages = (const struct part_message[]){{MSG_LOOK, on_look}, {0}},
};
