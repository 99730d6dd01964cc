/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The words of a shell command, without a shell: quotes and backslashes are
 * removed, variables stay as they are written.
 */
#ifndef DT_CORE_COMMAND_SHELL_WORDS_H
#define DT_CORE_COMMAND_SHELL_WORDS_H

#include <stddef.h>

/* Split the text up to the end of its first simple command (a newline, ';',
 * '|', '&', '<', '>', '(' or ')'), or of the text. Words are written into
 * *room, which is moved and must have twice the text's size; their addresses go
 * into `word`, `max` at most with a NULL behind the last. Returns where the
 * rest of the text begins; *ret_n is the number of words. */
const char *shell_words(const char *text, char **room, char *word[], size_t max,
			size_t *ret_n);

#endif
