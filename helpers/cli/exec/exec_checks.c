/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/cli/exec/exec.h"

#include "core/base/envset.h"
#include "core/base/parse.h"
#include "core/plan/framework.h"
#include "sys/child.h"

#include <stdlib.h>
#include <string.h>

/* From here on the numbers are those of batch scripts, interactive and other
 * steps that srun didn't make (slurm.h, SLURM_MAX_NORMAL_STEP_ID). */
#define SPECIAL_STEPS 0xfffffff0

int exec_check_place(struct err *err)
{
	const char *step = getenv("SLURM_STEP_ID");
	long n;

	if (step && getenv("SLURM_PROCID") && getenv("SLURM_STEP_NUM_TASKS") &&
	    parse_number(step, 0, SPECIAL_STEPS - 1, &n) == 0)
		return 0;
	return err_printf(
		err, "exec: this isn't a task of srun; write: srun -K -N2 "
		     "--ntasks-per-node=1 --gpus-per-node=8 dist-train exec "
		     "ddp -- python3 train.py");
}

int exec_check_first(const struct job *job, struct err *err)
{
	const char *found = getenv("DIST_TRAIN_STEP");

	if (!found || job_is_stale(job, found))
		return 0;
	return err_printf(err,
			  "exec: this step is a distributed one already, by "
			  "srun --dist-train or by another dist-train exec; "
			  "use one of them");
}

/* The variables of PMIx, PMI-1 and PMI-2. */
static bool has_pmi(void)
{
	return getenv("PMIX_RANK") || getenv("PMI_RANK") || getenv("PMI_FD");
}

int exec_check_request(const struct request *r, const struct resolved *w,
		       struct err *err)
{
	const struct framework *fw = r->framework;

	if (w->recovery)
		return err_printf(err,
				  "exec: spares, and on-node-loss with replace "
				  "or shrink, need the plugin in srun, which "
				  "sees which node is left");
	if (w->requeue || request_text(r, KEY_REQUEUE))
		return err_printf(err,
				  "exec: %s needs the plugin in srun; without "
				  "it sbatch --requeue and Slurm's own rules "
				  "requeue the job",
				  request_text(r, KEY_REQUEUE)
					  ? "requeue"
					  : "on-node-loss=requeue");
	if (w->pmi && !has_pmi())
		return err_printf(err,
				  "%s finds its ranks through PMI, which this "
				  "step doesn't have; use srun --mpi=pmix, or "
				  "--mpi=pmi2; srun --mpi=list shows which "
				  "exist",
				  fw->name);
	return fw->check_user ? fw->check_user(r, own_env, NULL, err) : 0;
}

int exec_env_set(void *unused, const char *name, const char *value,
		 struct err *err)
{
	(void)unused;
	if (!value)
		return unsetenv(name) < 0 ? err_memory(err) : 0;
	if (strlen(name) + strlen(value) + 2 > ENV_STRING_MAX)
		return err_printf(
			err, "%s has %zu bytes, but the kernel allows %zu",
			name, strlen(value), ENV_STRING_MAX - 2 - strlen(name));
	return setenv(name, value, 1) < 0 ? err_memory(err) : 0;
}
