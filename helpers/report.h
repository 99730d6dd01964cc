/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the user reads when a process fails: the culprit in one line, and what
 * it wrote last.
 */
#ifndef DT_HELPERS_REPORT_H
#define DT_HELPERS_REPORT_H

#include "core/plan.h"
#include "helpers/crew.h"

#include <stdio.h>

/* Lines that begin with "dist-train: " and end in a newline. "rank 3 (worker)
 * on node2, device 1, pid 4711: exit code 3 after 2.1 s". `only_here`: other
 * nodes may have had an earlier one. `last_lines` is what it wrote last to
 * stderr, or "". */
void report_first_failure(FILE *f, const struct plan *plan,
			  const struct worker *worker, bool only_here,
			  const char *last_lines);

#endif
