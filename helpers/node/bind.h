/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Cores and memory near each process's device, within what Slurm gave the
 * task.
 */
#pragma once

#include "core/base/err.h"
#include "core/base/idlist.h"
#include "core/base/idset.h"
#include "core/facts/share_cores.h"
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

/*
 * On which NUMA node a device is, from what its driver shows in /proc and
 * /sys.
 */

/* NUMA nodes by device index: the number in the device file's name, which is
 * Slurm's index. -1: not known. */
struct locality {
	int node[IDLIST_MAX];
};

/* Read them from the first driver that is there, beginning with the one that
 * `variable` (CUDA_VISIBLE_DEVICES and the like; NULL: none is set) limits. */
void locality_read(const char *root, const char *variable,
		   struct locality *ret);

/*
 * The cores and NUMA nodes among the CPUs on which this process may run.
 *
 * From sysfs and not by hwloc 2.9, which opens all of its plugins, OpenCL, GL
 * and libxml2 among them, on each load: 12 to 30 ms on a machine of two CPUs,
 * where this takes 0.05 ms, and 0.3 ms for 256 CPUs.
 */

struct cores {
	struct core *core; /* sorted by NUMA node, then by their first CPU */
	unsigned n;
	struct idset nodes; /* all NUMA nodes of this machine */
};

/* The CPUs on which this process may run. Returns 0, or -1 when the kernel
 * doesn't tell. */
int cores_allowed(struct idset *ret);

/* Read the cores of the allowed CPUs. A file that is missing means no SMT and
 * one NUMA node. Fails only when out of memory. Free with cores_clear(). */
int cores_read(const char *root, const struct idset *allowed, struct cores *ret,
	       struct err *err);
void cores_clear(struct cores *cores);
