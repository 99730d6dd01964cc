/* SPDX-License-Identifier: Apache-2.0 */
/* What a record comes to, on one page. */
#ifndef DT_HELPERS_CLI_WHY_WHY_PAGE_H
#define DT_HELPERS_CLI_WHY_WHY_PAGE_H

#include "core/base/err.h"
#include "helpers/cli/report/record_reader.h"
#include "helpers/cli/report/why_now.h"

#include <stdio.h>

struct why {
	const struct record *record; /* NULL: there is none */
	const char *path;	     /* of the record */
	const struct why_now *now;
	/* found by why_read(): */
	const struct node_mark *end;	 /* NULL: the record has none */
	const struct node_mark *stopped; /* that the step ended of; NULL */
	const struct node_mark *failure; /* of the last round that has one */
	const struct node_mark *report;	 /* of its process; NULL */
	const struct node_mark *hang;	 /* the last one */
	const struct node_mark *stacks;
	unsigned nfailures;
};

/* Find what the page begins with. */
void why_read(struct why *why);

/* For a person. */
void why_page(FILE *f, const struct why *why);

/* The same as one JSON object in one line. Fails when out of memory. */
int why_json(FILE *f, const struct why *why, struct err *err);

/* The step has ended, as far as its record or Slurm says. */
bool why_has_ended(const struct why *why);

#endif
