/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What comes from a step's launchers, before anybody sees it. All that is known
 * of who answers a visitor is that it is of the job's user: it may be any
 * program of his, and the command may be root's. So nothing gets to a terminal
 * that isn't text, and a question has so much of an answer and no more.
 */
#ifndef DT_HELPERS_VISIT_WORDS_HEARD_H
#define DT_HELPERS_VISIT_WORDS_HEARD_H

#include "core/base/err.h"

#include <stddef.h>

#define WORDS_MEMBERS_MAX (1U << 20)

/* Since the question. */
struct words_heard {
	size_t bytes, max;
	unsigned char member[WORDS_MEMBERS_MAX / 8]; /* a bit for each */
};

/* It is asked, or asked again: a step of so many nodes. */
void words_heard_begin(struct words_heard *heard, unsigned nnodes);

/* A copy of a message's text, in which what doesn't print is '?', into *ret,
 * which the caller frees. NULL there: it isn't to be heard, for it is of a
 * member that has told already, or of none. Returns 0, or -1: there is no
 * memory, or they tell too much. */
int words_heard_take(struct words_heard *heard, char type, const char *text,
		     size_t n, char **ret, struct err *err);

#endif
