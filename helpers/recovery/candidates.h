/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the centre of a step tells all others, so that one of them can go on
 * when it is lost: the text of MSG_CANDIDATES. Pure.
 */
#ifndef DT_HELPERS_RECOVERY_CANDIDATES_H
#define DT_HELPERS_RECOVERY_CANDIDATES_H

#include "core/base/err.h"
#include "core/facts/places.h"

#define CANDIDATES_MAX 8

struct candidates {
	unsigned term, nrestarts;
	unsigned centre;    /* the number of its node */
	struct places here; /* the nodes that are here, in any order; owned */
	unsigned n;
	struct candidate {
		unsigned node; /* its number */
		unsigned port;
		char ip[64];
	} list[CANDIDATES_MAX]; /* the first one first */
};

/* "TERM RESTARTS CENTRE HERE [NODE:PORT:IP]...", for the caller to free; NULL:
 * memory. */
char *candidates_text(const struct candidates *candidates);

/* Read it, of a step of `nnodes` nodes. Returns 0, or -1 when it isn't such a
 * text. candidates_clear() afterwards. */
int candidates_parse(const char *text, unsigned nnodes, struct candidates *ret);

void candidates_clear(struct candidates *candidates);

#endif
