/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the user reads when a process fails: the culprit in one line, and what
 * it wrote last.
 */
#ifndef DT_HELPERS_PROCS_REPORT_H
#define DT_HELPERS_PROCS_REPORT_H

#include "core/plan/plan.h"
#include "helpers/procs/procs.h"

#include <stdio.h>

/* What besides the worker's own status is known of its end. */
struct report_facts {
	bool only_here;		/* other nodes may have had an earlier one */
	bool out_of_memory;	/* the kernel killed for want of memory */
	const char *last_lines; /* what it wrote last to stderr, or "" */
	const char *exception;	/* what it left in torch's error file, or "" */
};

/* Lines that begin with "dist-train: " and end in a newline. "rank 3 (worker)
 * on node2, device 1, pid 4711: exit code 3 after 2.1 s". */
void report_first_failure(FILE *f, const struct plan *plan,
			  const struct proc *proc,
			  const struct report_facts *facts);

/* "rank 3 (worker) on node2 hasn't ended by SIGTERM: WHAT"; `after` says where
 * its stacks are, or is "". */
void report_hang(FILE *f, const struct plan *plan, const struct proc *proc,
		 const char *what, const char *after);

#endif
