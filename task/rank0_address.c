/* SPDX-License-Identifier: Apache-2.0 */
#include "task/task.h"

#include "core/base/hostlist.h"
#include "sys/host_address.h"

#include <string.h>

static int towards_another(const char *node, const char *nodes, char *ret,
			   unsigned size)
{
	char other[HOSTLIST_NAME_MAX];
	struct sockaddr_storage addr;

	for (unsigned i = 0; nodes && i < 2; i++)
		if (hostlist_nth(nodes, i, other) == 0 &&
		    strcmp(other, node) != 0 &&
		    host_address(other, &addr) == 0 &&
		    host_address_towards(&addr, ret, size) == 0)
			return 0;
	return -1;
}

int rank0_address(const char *node, const char *nodes, task_ask_node_fn ask,
		  char *ret, unsigned size)
{
	struct sockaddr_storage addr;

	if (host_address(node, &addr) == 0) {
		if (!host_address_is_loopback(&addr))
			return host_address_text(&addr, ret, size);
		if (towards_another(node, nodes, ret, size) == 0)
			return 0;
	}
	if (!ask || ask(node, &addr) < 0 || host_address_is_loopback(&addr))
		return -1;
	return host_address_text(&addr, ret, size);
}
