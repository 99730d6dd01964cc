/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Words of a file of roles: where they end, and what they come to. As a shell
 * has it, and no more than this: blanks separate words; '...' and "..." make
 * one of several; \ takes what is special from the character behind it, and
 * joins two lines; # at the begin of a word begins a comment.
 */
#pragma once

#include "core/base/argset.h"
#include "core/roles/role_file.h"

/* Where a reader is: begins at the text and line 1, column 1. */
struct role_cursor {
	const char *at;
	struct role_place place;
};

/* Read the next word of the line. Returns 1; 0 at the end of the line, and the
 * cursor is behind it; -1 for a quote that isn't closed. */
int role_text_word(const struct role_file *file, struct role_cursor *cursor,
		   struct role_word *ret, struct err *err);

/* Whether it is written as this text, without quotes. */
bool role_word_is(const struct role_word *word, const char *text);

/* What $NAME stands for: *ret is the caller's to free; NULL: nothing is known
 * of that name. Returns 0, or -1 with the error set. */
typedef int role_value_fn(void *arg, const char *name, char **ret,
			  struct err *err);

struct role_expansion {
	const struct role_file *file;
	role_value_fn *value;
	void *arg;
	const char *known; /* which names there are, for an error */
	bool whole;	   /* values aren't split at blanks */
};

/* Add what a word comes to: one word, or none or several where a value is
 * outside of quotes. Fails with FILE:LINE:COLUMN. */
int role_word_expand(const struct role_expansion *how,
		     const struct role_word *word, struct argset *ret,
		     struct err *err);
