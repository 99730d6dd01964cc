/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DT_HELPERS_METRICS_METRICS_ENV_H
#define DT_HELPERS_METRICS_METRICS_ENV_H

#include "core/base/envset.h"

/* The name of a rank's file. */
#define METRICS_FILE	  "progress-%u"
#define METRICS_FILE_SIZE 24

/* Where a launcher's processes may report. */
struct metrics_places {
	const char *dir;	  /* of their files */
	unsigned port;		  /* of the endpoint; 0: there is none */
	const char *cert, *token; /* its files */
};

/* Add the variables of a rank to the set. Returns 0, or -1 when out of memory.
 */
int metrics_env(const struct metrics_places *places, unsigned rank,
		struct envset *set, struct err *err);

#endif
