/* SPDX-License-Identifier: Apache-2.0 */
#include "core/command/wrapped_command.h"

#include <string.h>

/* Copy what is between quotes; returns behind the closing one. */
static const char *copy_quoted(const char *text, char quote, char **room)
{
	for (; *text && *text != quote; text++) {
		if (quote == '"' && *text == '\\' && text[1])
			text++;
		*(*room)++ = *text;
	}
	return text + (*text == quote);
}

/* Copy one word; returns behind it. */
static const char *copy_word(const char *text, char **room)
{
	while (*text && !strchr(" \t\n;|&<>()", *text)) {
		if (*text == '\'' || *text == '"') {
			text = copy_quoted(text + 1, *text, room);
			continue;
		}
		if (*text == '\\' && text[1]) {
			text++;
			if (*text == '\n') {
				text++;
				continue;
			}
		}
		*(*room)++ = *text++;
	}
	*(*room)++ = '\0';
	return text;
}

/* Blanks, and lines that a backslash joins. */
static const char *skip_blanks(const char *text)
{
	for (;;) {
		text += strspn(text, " \t");
		if (strncmp(text, "\\\n", 2) != 0)
			return text;
		text += 2;
	}
}

const char *shell_words(const char *text, char **room, char *word[], size_t max,
			size_t *ret_n)
{
	size_t n = 0;

	for (;;) {
		char *begin = *room;

		text = skip_blanks(text);
		if (*text == '#')
			text += strcspn(text, "\n");
		if (!*text || strchr("\n;|&<>()", *text))
			break;
		text = copy_word(text, room);
		if (n < max)
			word[n++] = begin;
	}
	word[n] = NULL;
	*ret_n = n;
	return text + (*text != '\0');
}
