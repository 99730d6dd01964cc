/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A record as a picture: a row for each rank, time to the right; where the
 * start-up is short beside the whole, once more by itself.
 */
#ifndef DT_HELPERS_CLI_TIMELINE_TIMELINE_SVG_H
#define DT_HELPERS_CLI_TIMELINE_TIMELINE_SVG_H

#include "helpers/cli/report/timeline_facts.h"

#include <stdio.h>

struct timeline_picture {
	const struct record *record;
	const struct facts *facts;
	struct record rows; /* where there are many ranks, several in a row */
	unsigned per_row;
	bool page; /* HTML that can be searched, with every rank */
};

/* Both are borrowed. Fails when out of memory. Free with
 * timeline_picture_clear(). */
int timeline_picture_make(const struct record *record,
			  const struct facts *facts, bool page,
			  struct timeline_picture *ret, struct err *err);
void timeline_picture_clear(struct timeline_picture *picture);

/* For picture_write(); `arg` is a struct timeline_picture. */
void timeline_svg(FILE *f, void *arg);

#endif
