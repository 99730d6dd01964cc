/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The cores and NUMA nodes among the CPUs on which this process may run.
 *
 * From sysfs and not by hwloc 2.9, which opens all of its plugins, OpenCL, GL
 * and libxml2 among them, on each load: 12 to 30 ms on a machine of two CPUs,
 * where this takes 0.05 ms, and 0.3 ms for 256 CPUs.
 */
#ifndef DT_HELPERS_NODE_CPU_CORES_H
#define DT_HELPERS_NODE_CPU_CORES_H

#include "core/base/err.h"
#include "core/base/idset.h"
#include "core/facts/share_cores.h"

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

#endif
