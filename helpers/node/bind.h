/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Cores and memory near each process's device, within what Slurm gave the
 * task.
 */
#ifndef DT_HELPERS_NODE_BIND_H
#define DT_HELPERS_NODE_BIND_H

#include "core/base/err.h"
#include "core/base/idset.h"
#include "core/plan/plan.h"

/* What one process is bound to. */
struct bind_share {
	struct idset cpus;
	struct idset memory; /* preferred NUMA node; may be none */
	unsigned ncores;     /* 0: it isn't bound */
	char text[512];	     /* for a person; "": nothing to say */
};

struct bind {
	struct bind_share *share; /* one for each process, or NULL: none is
				     bound */
	unsigned ncores;	  /* of the whole task; 0: unknown */
};

/* Decide for all processes of the plan. `allowed` are the CPUs that they may
 * have, `root` is "" but in tests. With bind=off, for one process
 * and when there are fewer cores than processes none is bound. Fails only when
 * out of memory. Free with bind_clear(). */
int bind_make(const struct plan *plan, const struct idset *allowed,
	      const char *root, struct bind *ret, struct err *err);

/* The same with the CPUs on which this process may run; where the kernel
 * doesn't tell them, none is bound. */
int bind_here(const struct plan *plan, struct bind *ret, struct err *err);

/* What process `index` is to be bound to; NULL: nothing. */
const struct bind_share *bind_share(const struct bind *bind, unsigned index);

/* Put into the process what it gets: its number of cores, and the text. */
void bind_tell(const struct bind *bind, unsigned index,
	       struct process *process);

void bind_clear(struct bind *bind);

#endif
