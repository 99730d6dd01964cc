/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DT_CORE_PLAN_PLAN_EARLY_H
#define DT_CORE_PLAN_PLAN_EARLY_H

#include "core/base/envset.h"
#include "core/plan/plan.h"

#include <stdbool.h>

/* Whether the program of this process is to start the gRPC server of its
 * framework on the coordinator's port, so that we may listen there until it
 * does (sys/early/early_listener.h). Not where others don't wait for it, where
 * the user has chosen the port, which may be for something else then, and where
 * the program is a script that starts the processes. `set` is resolved.
 * Nor where `program`, the first word of its command, isn't Python: what else
 * uses that port may speak another protocol. */
bool plan_listens_early(const struct plan *plan, const struct process *process,
			const struct envset *set, const char *program);

#endif
