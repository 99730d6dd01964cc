/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/launch/facts.h"

#include "helpers/launch/address.h"
#include "helpers/launch/common_fault.h"
#include "helpers/launch/launch.h"

int facts_show(struct launch *l, struct err *err)
{
	return l->plan.resolved.npu ? npu_task_find(&l->plan, &l->npus, err)
				    : 0;
}

enum phase_state facts_begin(struct launch *l, struct err *err)
{
	if (facts_show(l, err) < 0)
		return PHASE_FAILED;
	if (address_check(l, err) == 0)
		return PHASE_DONE;
	common_fault_say(l, err);
	return PHASE_WAITS;
}
