/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the user reads when processes fail: the culprit in one line, what it
 * wrote last, and how many others were ended because of it.
 */
#ifndef DT_HELPERS_REPORT_H
#define DT_HELPERS_REPORT_H

#include "core/plan.h"
#include "helpers/crew.h"

#include <stdio.h>

/* Lines that begin with "dist-train: " and end in a newline. "rank 3 (worker)
 * on node2, device 1, pid 4711: exit code 3 after 2.1 s". `last_lines` is what
 * it wrote last to stderr, or "". */
void report_first_failure(FILE *f, const struct plan *plan,
			  const struct worker *worker, const char *last_lines);

/* "5 other processes were ended", if any were. */
void report_ended(FILE *f, const struct crew *crew);

#endif
