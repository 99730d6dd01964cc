/* SPDX-License-Identifier: Apache-2.0 */
/* Whom a launcher that stages tells, and what it does by children. */
#include "helpers/stage/stage_own.h"

#include <stdio.h>
#include <string.h>

#define FOR_EVER_MS (7ULL * 86400 * 1000) /* the job ends before */

bool stage_speaks(const struct stage *s)
{
	return launch_view(s->l)->step->localid == 0;
}

bool stage_is_alone(const struct stage *s)
{
	return launch_view(s->l)->members->ntasks == 1 ||
	       launch_no_channel(s->l);
}

bool stage_is_strict(const struct stage *s)
{
	return request_yes(launch_view(s->l)->request, KEY_STAGE_STRICT);
}

void stage_tell(struct stage *s, const char *word, const char *more)
{
	char text[WHY_SIZE + 64];

	snprintf(text, sizeof(text), "%s %u%s%s", word, s->at, *more ? " " : "",
		 more);
	if (!stage_is_alone(s))
		launch_send(s->l, MSG_STAGE, text);
}

void stage_say(struct stage *s, const char *text)
{
	cleanup_free char *line = NULL;

	if (asprintf(&line, "dist-train: %s\n", text) >= 0)
		launch_say(s->l, line);
}

void stage_run(struct stage *s, int (*what)(const int fd[2], const void *arg),
	       void (*then)(void *arg, char *text, bool late))
{
	const struct subprocess_spec spec = {
		.run = what,
		.arg = s,
		.flags = SUBPROCESS_OUT,
	};
	struct err err;

	subprocess_text_drop(&s->child);
	s->child = (struct subprocess_text){
		.loop = launch_view(s->l)->loop,
		.max = STAGE_PLAN_MAX,
		.done = then,
		.arg = s,
	};
	if (subprocess_text_begin(&s->child, &spec, FOR_EVER_MS, &err) < 0)
		launch_fail(s->l, err.text);
}

int stage_answer(const int fd[2], const char *word, const char *more)
{
	return dprintf(fd[1], "%s%s%s", word, *more ? " " : "", more) < 0;
}

const char *stage_behind(const char *text, const char *word)
{
	size_t n = strlen(word);

	if (strncmp(text, word, n) != 0 || (text[n] && text[n] != ' '))
		return NULL;
	return text + n + (text[n] == ' ');
}
