/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Words of other tools where one of ours is expected, and texts whose
 * punctuation isn't ours: what an error proposes instead.
 */
#ifndef DT_REGISTRY_OTHER_WORDS_H
#define DT_REGISTRY_OTHER_WORDS_H

#include <stdbool.h>
#include <stddef.h>

enum other_kind { OTHER_FRAMEWORK, OTHER_KEY };

struct other_word {
	enum other_kind kind;
	const char *words; /* blank-separated, in small letters, with '-' */
	const char *ours;  /* a framework's or key's name; NULL: none is like
			      it */
	const char *cure;  /* what to do; NULL: write `ours` */
};

/* The n-th of them; NULL after the last. */
const struct other_word *other_word_nth(size_t n);

/* What is said to who has written `word`, "write restarts=N", into buf; any
 * case, '_' for '-', and "--" before it are all the same. False: nothing is
 * known of it. */
#define OTHER_CURE_SIZE 160
bool other_word_cure(enum other_kind kind, const char *word,
		     char buf[OTHER_CURE_SIZE]);

/* How the option's text was probably meant: full-width and curly punctuation
 * as ASCII, quotes left out, and a comma where ';', ':', '+' or blanks stand
 * before a key. *ret_wide: there was some that isn't ASCII. False: it is as it
 * was, or doesn't fit into `size`. */
bool option_meant(const char *text, char *buf, size_t size, bool *ret_wide);

#endif
