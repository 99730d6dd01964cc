/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Steps of a batch script that aren't its training: the daemons that mpirun
 * starts by srun, `srun hostname`, `srun mkdir`; or only a part of it, one of
 * several torchruns that have all they need from the script. They run as
 * without the option (doc/design/0067-scripts.md).
 *
 * srun_hand_over() calls both, in srun, when the step exists.
 */
#ifndef DT_SPANK_SRUN_LEAVE_ALONE_H
#define DT_SPANK_SRUN_LEAVE_ALONE_H

#include "core/base/err.h"
#include "core/facts/step_command.h"
#include "spank/slurm/adapter.h"

#include <stdbool.h>

/* Whether the step of this command, on so many nodes, is to run as without the
 * option. The option of sbatch and salloc is meant for the training; one that
 * this srun has itself is always obeyed, and so is a wish to see the plan (key
 * explain). */
bool leave_alone_wanted(const struct adapter *adapter,
			const struct step_command *command, unsigned nnodes);

/* Tell the nodes to do nothing, and a person at a terminal why. Not a word in
 * a script, which may read srun's output. Returns 0, or -1 without memory. */
int leave_alone(const struct adapter *adapter,
		const struct step_command *command, struct err *err);

#endif
