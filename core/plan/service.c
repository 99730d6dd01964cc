/* SPDX-License-Identifier: Apache-2.0 */
#include "core/plan/plan.h"

#include <stdio.h>

int service_process(const struct plan *plan, struct process *ret,
		    struct err *err)
{
	struct process p;

	if (plan_process(plan, 0, &p, err) < 0)
		return -1;
	p.role = plan->service.role;
	p.added = p.service = true;
	if (!role_owns_devices(p.role))
		device_none(&plan->job->devices, &p.devices);
	*ret = p;
	return 0;
}

const char *service_name(const struct plan *plan, char buf[SERVICE_NAME_SIZE])
{
	enum role role = plan->service.role;

	if (role == ROLE_WORKER)
		snprintf(buf, SERVICE_NAME_SIZE, "%s-%u", role_name(role),
			 plan->node_rank);
	else
		snprintf(buf, SERVICE_NAME_SIZE, "%s", role_name(role));
	return buf;
}
