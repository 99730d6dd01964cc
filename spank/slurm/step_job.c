/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Facts about the step, its owner and its tasks, from SPANK's items and from
 * the task's environment. The only file that calls spank_get_item().
 */
#include "spank/slurm/step_job.h"

#include "core/base/envset.h"
#include "core/base/parse.h"
#include "core/facts/handover.h"

#include <limits.h>
#include <slurm/slurm.h>
#include <stdint.h>
#include <string.h>
#include <sys/wait.h>

/* A look at the array itself: spank_getenv() needs a buffer of the right size,
 * is tried again with larger ones, and copies into each. */
const char *job_getenv(void *sp, const char *name)
{
	return env_array_value(job_env(sp), name);
}

bool job_hasenv(spank_t sp, const char *name)
{
	return env_array_value(job_env(sp), name);
}

int job_setenv(spank_t sp, const char *name, const char *value, struct err *err)
{
	if (!value) {
		if (job_hasenv(sp, name))
			spank_unsetenv(sp, name);
		return 0;
	}
	if (strlen(name) + strlen(value) + 2 > ENV_STRING_MAX ||
	    spank_setenv(sp, name, value, 1) != ESPANK_SUCCESS)
		return err_printf(err, "%s has %zu bytes, but Slurm allows %zu",
				  name, strlen(value),
				  ENV_STRING_MAX - 2 - strlen(name));
	return 0;
}

int job_of_srun(spank_t sp, struct srun_step *ret, struct err *err)
{
	uint32_t job_id, step_id, nnodes, ntasks;

	if (spank_get_item(sp, S_JOB_ID, &job_id) != ESPANK_SUCCESS ||
	    spank_get_item(sp, S_JOB_STEPID, &step_id) != ESPANK_SUCCESS ||
	    spank_get_item(sp, S_JOB_NNODES, &nnodes) != ESPANK_SUCCESS ||
	    spank_get_item(sp, S_JOB_TOTAL_TASK_COUNT, &ntasks) !=
		    ESPANK_SUCCESS)
		return err_printf(
			err, "Slurm doesn't provide the ids of srun's step");
	*ret = (struct srun_step){job_id, step_id, nnodes, ntasks};
	return 0;
}

bool job_is_srun_step(spank_t sp)
{
	uint32_t step_id;

	if (spank_get_item(sp, S_JOB_STEPID, &step_id) != ESPANK_SUCCESS)
		return false;
	return step_id != SLURM_BATCH_SCRIPT &&
	       step_id != SLURM_INTERACTIVE_STEP &&
	       step_id != SLURM_EXTERN_CONT && step_id != SLURM_PENDING_STEP;
}

/* The job of the tasks' SLURM_JOB_ID, which srun names and launchers name their
 * folders by: in a component of a heterogeneous job that is the first one's,
 * and S_JOB_ID the component's own. */
static int job_of_tasks(spank_t sp, uint32_t *ret)
{
	const char *id = env_array_value(job_env(sp), "SLURM_JOB_ID");
	unsigned long number;

	if (!id || digits_read(&id, UINT_MAX, &number) < 0)
		return -1;
	*ret = (uint32_t)number;
	return 0;
}

bool job_was_handed_over(spank_t sp)
{
	const char *id = env_array_value(job_env(sp), HANDOVER_ID);
	const char *het = env_array_value(job_env(sp), HANDOVER_HET);
	unsigned long version;
	uint32_t job_id, step_id;

	if (het)
		return digits_read(&het, INT_MAX, &version) == 0 &&
		       version == HANDOVER_VERSION;
	return id && job_of_tasks(sp, &job_id) == 0 &&
	       spank_get_item(sp, S_JOB_STEPID, &step_id) == ESPANK_SUCCESS &&
	       job_handover_version(id, job_id, step_id) == HANDOVER_VERSION;
}

const char *job_handed(spank_t sp, const char *name)
{
	return job_was_handed_over(sp) ? job_getenv(sp, name) : NULL;
}

int job_owner(spank_t sp, struct step_owner *ret)
{
	uint32_t job_id, step_id, ntasks;

	if (spank_get_item(sp, S_JOB_UID, &ret->uid) != ESPANK_SUCCESS ||
	    spank_get_item(sp, S_JOB_GID, &ret->gid) != ESPANK_SUCCESS ||
	    job_of_tasks(sp, &job_id) < 0 ||
	    spank_get_item(sp, S_JOB_STEPID, &step_id) != ESPANK_SUCCESS ||
	    spank_get_item(sp, S_JOB_LOCAL_TASK_COUNT, &ntasks) !=
		    ESPANK_SUCCESS)
		return -1;
	ret->job_id = job_id;
	ret->step_id = step_id;
	ret->ntasks = ntasks;
	return 0;
}

int job_ended_task(spank_t sp, struct ended_task *ret)
{
	int status;

	if (spank_get_item(sp, S_TASK_PID, &ret->pid) != ESPANK_SUCCESS ||
	    spank_get_item(sp, S_TASK_ID, &ret->localid) != ESPANK_SUCCESS ||
	    spank_get_item(sp, S_TASK_EXIT_STATUS, &status) != ESPANK_SUCCESS)
		return -1;
	ret->killed = WIFSIGNALED(status);
	return 0;
}

/* In a heterogeneous step SPANK's items count one component's tasks, while the
 * environment counts all. */
static bool is_het(spank_t sp)
{
	const char *total =
		env_array_value(job_env(sp), "SLURM_STEP_NUM_TASKS");
	uint32_t component;
	unsigned long all;

	return total &&
	       spank_get_item(sp, S_JOB_TOTAL_TASK_COUNT, &component) ==
		       ESPANK_SUCCESS &&
	       digits_read(&total, ULONG_MAX / 10 - 1, &all) == 0 &&
	       all != component;
}

int job_node_name(spank_t sp, char ret[HOSTLIST_NAME_MAX])
{
	const char *nodes = env_array_value(job_env(sp), "SLURM_STEP_NODELIST");
	uint32_t index;

	if (nodes && !is_het(sp) &&
	    spank_get_item(sp, S_JOB_NODEID, &index) == ESPANK_SUCCESS)
		return hostlist_nth(nodes, index, ret);
	return -1;
}

int job_of_task(spank_t sp, struct job *ret, struct err *err)
{
	uint32_t id, n;

	if (job_read(job_getenv, sp, is_het(sp), ret, err) < 0)
		return -1;
	if (!ret->het ||
	    spank_get_item(sp, S_TASK_GLOBAL_ID, &id) != ESPANK_SUCCESS ||
	    spank_get_item(sp, S_JOB_TOTAL_TASK_COUNT, &n) != ESPANK_SUCCESS ||
	    id > ret->procid)
		return 0;
	ret->first = ret->procid - id;
	ret->component_tasks = n;
	return 0;
}

char **job_env(spank_t sp)
{
	char **env;

	if (spank_get_item(sp, S_JOB_ENV, &env) != ESPANK_SUCCESS)
		return NULL;
	return env;
}

int job_argv(spank_t sp, int *ret_argc, char ***ret, struct err *err)
{
	if (spank_get_item(sp, S_JOB_ARGV, ret_argc, ret) != ESPANK_SUCCESS ||
	    *ret_argc < 1)
		return err_printf(err,
				  "Slurm doesn't provide the task's command");
	return 0;
}
