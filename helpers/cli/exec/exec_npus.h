/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DT_HELPERS_CLI_EXEC_EXEC_NPUS_H
#define DT_HELPERS_CLI_EXEC_EXEC_NPUS_H

#include "core/base/err.h"
#include "core/base/idlist.h"
#include "core/facts/job.h"

/* Put this node's NPUs into HANDOVER_GRES: those of ASCEND_RT_VISIBLE_DEVICES,
 * else the job's on this node as `scontrol` shows them, which waits for Slurm's
 * controller. Nothing is put when there are none, or when nobody tells. Fails
 * when memory is short, and when the step has fewer of the node's NPUs than its
 * job, for then nobody tells which. */
int exec_npus_put(const struct job *job, struct err *err);

/* The job's NPUs of `node` in what `scontrol -d show job` prints, and by which
 * name Slurm knows them. Returns 0, with an empty list when there are none, or
 * -1 when the text isn't understood. */
int exec_npus_of_node(const char *text, const char *node, struct idlist *ret,
		      const char **ret_name);

/* How many devices of that name the step has on each node, of the job's
 * `available`: what `scontrol show step` prints. */
unsigned long exec_npus_of_step(const char *text, const char *name,
				unsigned available);

#endif
