/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What all processes of a step are to run, where a script says so while it
 * runs: a program with its arguments, in a folder, with variables that the
 * script has set. As text: words that end with NUL each.
 *
 *	number of arguments, how the script asked for them, the folder,
 *	the arguments, then NAME=value to set or NAME to unset
 */
#pragma once

#include "core/base/err.h"

#include <stddef.h>

#define EXEC_REQUEST_MAX (8UL << 20) /* bytes of a text */

struct exec_request {
	char *text;	   /* owned; all others point into it */
	const char *asked; /* "-np 8 -H localhost:8", or "" */
	const char *folder;
	char **argv; /* owned list, ends with NULL */
	char **env;  /* the same */
};

/* The text for the caller to free; NULL when out of memory. `env` is a whole
 * environment, or the changes to one. */
char *exec_request_text(const char *asked, const char *folder,
			char *const argv[], char *const env[], size_t *ret_n);

/* Takes over `text` of n bytes and a NUL, also on failure. Fails when it isn't
 * the text of an order. Free with exec_request_clear(). */
int exec_request_parse(char *text, size_t n, struct exec_request *ret,
		       struct err *err);

/* What the environment `env` of an order changes of `base`: set or unset, but
 * for names that are a step's (SLURM_, DIST_TRAIN_) or a shell's own business,
 * and for those of `without`, which are put into `dropped` if they changed
 * (as long as the list has; ends with NULL). In PATH the folder `dir` is left
 * out. The list and its words are the caller's, exec_request_free_words(); NULL
 * when out of memory. */
char **exec_request_changes(char *const env[], char *const base[],
			    const char *dir, const char *const without[],
			    const char *dropped[]);
void exec_request_free_words(char **words);

/* The value of NAME in such a list, or NULL. */
const char *exec_request_value(char *const env[], const char *name);

/* Change this process's environment and folder. Fails when the folder can't be
 * entered. */
int exec_request_apply(const struct exec_request *order, struct err *err);

void exec_request_clear(struct exec_request *order);
