/* SPDX-License-Identifier: Apache-2.0 */
/* The coordinator's address, where only rank 0's node can know it: its launcher
 * says it with MSG_READY, and MSG_GO brings it to the others. */
#include "helpers/launch/launch.h"

#include <stdlib.h>
#include <string.h>

static bool is_told(const struct launch *l)
{
	return coordinator_is_told(&l->request, &l->job);
}

void launch_ready(struct launch *l)
{
	bool tells = is_told(l) && l->job.procid == 0;

	launch_send(l, MSG_READY, tells ? l->job.nic_addr : "");
}

bool launch_cannot_learn(const struct launch *l, struct err *err)
{
	const char *why;

	if (!is_told(l) || !session_no_channel(l->session, &why))
		return false;
	err_printf(err,
		   "addr=nic:%s: rank 0's node can't tell the others its "
		   "address (%s); addr=ip takes that of NodeAddr",
		   request_text(&l->request, KEY_ADDR), why);
	return true;
}

int launch_learn_address(struct launch *l, const char *addr, struct err *err)
{
	if (l->job.nic_addr || !is_told(l))
		return 0;
	l->job.nic_addr = strdup(addr + strspn(addr, " "));
	return l->job.nic_addr ? launch_plan_again(l, err) : err_memory(err);
}
