/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The step's secret on a node: opened in slurmstepd, once for all tasks, which
 * inherit it. MUNGE opens it for the job's user alone, so that one thread acts
 * as this user for as long as munged needs.
 */
#ifndef DT_SPANK_NODE_NODE_SECRET_H
#define DT_SPANK_NODE_NODE_SECRET_H

#include <slurm/spank.h>

/* As root, before the tasks are. Waits for munged, as slurmstepd itself does
 * for each message. A failure is the launcher's to say. */
void node_secret_open(spank_t sp);

#endif
