/* SPDX-License-Identifier: Apache-2.0 */
#include "spank/srun/srun.h"

#include "core/facts/handover.h"
#include "spank/slurm/slurmctld.h"
#include "sys/log.h"

#include <stdlib.h>
#include <unistd.h>

bool leave_alone_wanted(const struct adapter *a, const struct step_command *c,
			unsigned nnodes)
{
	if (!a->inherited)
		return false;
	switch (c->kind) {
	case COMMAND_MPI_DAEMON:
		return true;
	case COMMAND_SERVER:
		if (!a->request.framework->local_rank)
			return false;
		/* fall through */
	case COMMAND_UTILITY:
		return request_word(&a->request, KEY_EXPLAIN) == EXPLAIN_NO;
	case COMMAND_TORCHRUN:
		return c->nnodes > nnodes;
	default:
		return false;
	}
}

int leave_alone(const struct adapter *a, const struct step_command *c,
		struct err *err)
{
	if (c->kind != COMMAND_MPI_DAEMON && c->kind != COMMAND_TORCHRUN &&
	    isatty(STDERR_FILENO))
		log_line("%.60s can't be training, so it runs without the "
			 "job's --%s; srun --%s=%.60s %.60s runs it with",
			 c->name, a->config.option, a->config.option,
			 a->option_text, c->name);
	slurmctld_undo_kill_on_bad_exit();
	return setenv(HANDOVER_LEAVE, "1", 1) < 0 ? err_memory(err) : 0;
}
