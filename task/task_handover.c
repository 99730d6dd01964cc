/* SPDX-License-Identifier: Apache-2.0 */
#include "task/task.h"

#include "core/facts/handover.h"

#include <stdio.h>

void task_handover_id(const struct job *job, char ret[HANDOVER_ID_SIZE])
{
	snprintf(ret, HANDOVER_ID_SIZE, "%d:%lu.%lu", HANDOVER_VERSION,
		 job->job_id, job->step_id);
}

int task_hand_over(const struct task *task, const struct job *job,
		   const char *id, struct err *err)
{
	const struct task_env *env = &task->env;
	const struct {
		const char *name, *value;
	} all[] = {
		{HANDOVER_ID, id},
		{HANDOVER_REQUEST, task->option_text},
		{HANDOVER_CONFIG, task->config_text},
		{HANDOVER_OWN, task->config->own_defaults},
		{HANDOVER_NODE, job->rank0_node},
		{HANDOVER_ADDR, job->rank0_addr},
		{HANDOVER_PROCS, job->procs},
		{HANDOVER_NIC, job->nic},
		{HANDOVER_INTERFACES, job->interfaces},
		{HANDOVER_NCCL_CONF, job->nccl_conf},
		{HANDOVER_OWN_ADDR, job->own_addr},
		{HANDOVER_NIC_ADDR, job->nic_addr},
		{HANDOVER_RDMA, job->rdma},
		{HANDOVER_PRELOAD, env->get(env->arg, PRELOAD_VARIABLE)},
		{PRELOAD_VARIABLE, NULL},
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
		if (env->set(env->arg, all[i].name, all[i].value, err) < 0)
			return -1;
	return 0;
}
