/* SPDX-License-Identifier: Apache-2.0 */
/* The phase that finds what only this node knows: which NPUs the processes
 * have (l->npus). */
#include "helpers/ending/ending.h"
#include "helpers/launch/launch.h"
#include "helpers/part/launch_tell.h"
#include "helpers/part/phase.h"
#include "helpers/round/round.h"

#include <string.h>

/* Fails when the address must be sent and the launchers can't be reached. */
static int address_check(const struct launch *l, struct err *err)
{
	const char *why = launch_no_channel(l);

	if (!why || !l->plan.resolved.address_is_told)
		return 0;
	return err_printf(
		err,
		"addr=nic:%s: rank 0's node can't send its address to the "
		"other nodes (%s); addr=ip uses that of NodeAddr",
		request_text(&l->request, KEY_ADDR), why);
}

int address_learn(struct launch *l, const char *addr, struct err *err)
{
	if (l->job.nic_addr || !l->plan.resolved.address_is_told)
		return 0;
	l->job.nic_addr = strdup(addr);
	return l->job.nic_addr ? launch_plan_again(l, err) : err_memory(err);
}

static int show(struct launch *l, struct err *err)
{
	struct as_placed placed;
	int rc = 0;

	if (!l->plan.resolved.npu)
		return 0;
	if (round_as_placed(l, &placed, err) < 0)
		return -1;
	rc = npu_task_find(&placed.plan, &l->npus, err);
	round_as_placed_clear(&placed);
	return rc;
}

static enum phase_state begin(struct launch *l, struct err *err)
{
	if (show(l, err) < 0)
		return PHASE_FAILED;
	if (address_check(l, err) == 0)
		return PHASE_DONE;
	common_fault_say(l, err);
	return PHASE_WAITS;
}

const struct phase facts_phase = {
	.name = "facts",
	.show = show,
	.begin = begin,
	.of_spares = true,
};
