/* SPDX-License-Identifier: Apache-2.0 */
/* Domains that Slurm doesn't tell, such as Ascend's super pods, as the
 * outermost blocks. */
#ifndef DT_CORE_TOPOLOGY_TOPOLOGY_ENCLOSE_H
#define DT_CORE_TOPOLOGY_TOPOLOGY_ENCLOSE_H

#include "core/base/err.h"
#include "core/topology/topology.h"

/* Put a level of blocks around all others: node i of `n` is in domain[i], or
 * with NULL in none; equal texts are one domain, "WHAT TEXT" is its name. `t`
 * has as many nodes, or none yet.
 *
 * Two domains never share a block: one of Slurm's that has nodes of several of
 * them no longer counts for these nodes. So whoever crosses a domain crosses a
 * block. Switches may be shared. Without any domain *t stays as it is.
 *
 * Fails when out of memory; topology_clear(t) in any case. */
int topology_enclose(struct topology *t, const char *what, char *const *domain,
		     unsigned n, struct err *err);

#endif
