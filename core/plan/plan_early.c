/* SPDX-License-Identifier: Apache-2.0 */
#include "core/plan/plan.h"

#include "core/facts/step_command.h"
#include "core/option/option.h"
#include "core/plan/framework.h"

bool plan_listens_early(const struct plan *plan, const struct process *process,
			const struct envset *set, const char *program)
{
	const char *address = plan->request->framework->grpc_address;
	const struct env_entry *e = address ? envset_find(set, address) : NULL;

	return e && e->state != ENV_KEPT && process->rank == 0 &&
	       !process->added && plan->world_size > 1 &&
	       plan->coordinator.port_kind != PORT_ASKED &&
	       !plan->resolved.run_first && step_command_is_python(program);
}
