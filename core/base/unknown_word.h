/* SPDX-License-Identifier: Apache-2.0 */
/* What is said of a word that a table doesn't have. */
#ifndef DT_CORE_BASE_UNKNOWN_WORD_H
#define DT_CORE_BASE_UNKNOWN_WORD_H

#include "core/base/err.h"

#include <stddef.h>

/* The n-th word of a table, from 0; NULL after the last. */
typedef const char *word_nth_fn(size_t n);

/* "unknown WHAT 'WORD'; did you mean 'NEAR'? known: ...", where NEAR is the
 * word of the table that is nearest to `word` (to what stands before its "=")
 * by insertions, deletions, substitutions and swaps of neighbours. Nothing is
 * said of it where none is near enough to be what was meant. Returns -1. */
int unknown_word(struct err *err, const char *what, const char *word,
		 word_nth_fn *nth);

/* The same where more words are known than one wants to list. */
int unknown_word_of(struct err *err, const char *what, const char *word,
		    word_nth_fn *nth, word_nth_fn *listed);

#endif
