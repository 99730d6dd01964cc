/* SPDX-License-Identifier: Apache-2.0 */
/*
 * This task as a client of the PMIx server that Slurm gave it. The library is
 * opened at run time, so that the launcher also starts where there is none.
 * Everything here may block or, for a moment, print: it is for a child.
 */
#ifndef DT_HELPERS_RANKTABLE_PMIX_CLIENT_H
#define DT_HELPERS_RANKTABLE_PMIX_CLIENT_H

#include "core/base/err.h"

#include <stdbool.h>
#include <stddef.h>

struct pmix_client;

/* Connect. NULL when the library can't be loaded and when the server
 * refuses. */
struct pmix_client *pmix_open(struct err *err);

unsigned pmix_rank(const struct pmix_client *client);

/* Publish what only this rank knows; others see it after a fence. */
int pmix_put(struct pmix_client *client, const void *data, size_t n,
	     struct err *err);

/* Wait for all ranks of the step, for at most so many seconds; with `gather`
 * what they have published is here then. Returns 0, 1 when somebody has not
 * come, or -1. */
int pmix_fence(struct pmix_client *client, bool gather, unsigned timeout_s,
	       struct err *err);

/* What that rank has published, borrowed until pmix_release(). */
struct pmix_piece {
	const char *data;
	size_t n;
	void *value; /* the library's */
};
int pmix_get(struct pmix_client *client, unsigned rank, struct pmix_piece *ret,
	     struct err *err);
void pmix_release(struct pmix_piece *piece);

/* After a fence that not all have come to: whose word isn't there after
 * another moment. missing[i] tells it of rank i, of n. */
void pmix_find_missing(struct pmix_client *client, bool missing[], unsigned n);

/* The node of a rank; "?" when the server doesn't tell. Returns buf. */
const char *pmix_node(struct pmix_client *client, unsigned rank, char *buf,
		      size_t size);

/* Let go of the server, so that the task's program may be its client. */
int pmix_close(struct pmix_client *client, struct err *err);

#endif
