/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/launch/launch.h"

#include "helpers/part/launch_tell.h"

#include <string.h>

int address_check(const struct launch *l, struct err *err)
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
