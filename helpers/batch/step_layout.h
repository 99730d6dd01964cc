/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From srun's options to nodes, tasks and devices. Arithmetic alone: what
 * depends on the cluster is assumed, and said in a note.
 */
#ifndef DT_HELPERS_BATCH_STEP_LAYOUT_H
#define DT_HELPERS_BATCH_STEP_LAYOUT_H

#include "core/base/err.h"
#include "helpers/batch/srun_line.h"

#include <stdbool.h>
#include <stdio.h>

struct step_layout {
	char *nodes;	       /* their number, or names as a host list */
	char *tasks, *devices; /* by node, run-length: "2(x3),1" */
	bool cyclic;	       /* tasks are dealt out over the nodes in turn */
	unsigned plane;	       /* so many at once; 0: not said */
	unsigned task_devices; /* bound to each task; 0: it sees the node's */
	bool npu;
};

/* Lay the step out. A line in `notes` for each assumption. Fails when a value
 * isn't understood, or when srun would refuse the sum of them. Free with
 * step_layout_clear() in both cases. */
int step_layout_make(const struct step_ask *ask, FILE *notes,
		     struct step_layout *ret, struct err *err);
void step_layout_clear(struct step_layout *layout);

#endif
