/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DT_HELPERS_CLI_EXEC_EXEC_FACTS_H
#define DT_HELPERS_CLI_EXEC_EXEC_FACTS_H

#include "core/base/err.h"
#include "core/facts/job.h"
#include "core/option/option.h"

#include <stdbool.h>

/* What the launchers have to learn from each other (HANDOVER_LEARN). */
struct exec_learn {
	bool counts, addrs, taskmap;
};

static inline bool exec_learns(const struct exec_learn *learn)
{
	return learn->counts || learn->addrs || learn->taskmap;
}

/* Read the step's facts from this task's environment, and put there what srun
 * and slurmstepd would have handed over: the step's devices, rank 0's node,
 * which task is where, the profiles' text. A count of devices stands for all
 * nodes until the launchers have learned the others'. What another step has
 * left is removed first. Fails when this is no task, and when the step's layout
 * can't be known. Free *ret with job_clear(). */
int exec_facts(const struct request *request, struct job *ret,
	       struct exec_learn *ret_learn, struct err *err);

/* Remove all that was put. */
void exec_facts_remove(void);

#endif
