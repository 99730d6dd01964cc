/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/rsh/rsh.h"

#include "core/base/parse.h"
#include "sys/socket.h"

#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

/* The nodes of the step that has the launcher: an inner step has its own in
 * Slurm's variable. */
static const char *step_nodes(void)
{
	const char *list = getenv("DIST_TRAIN_HOSTS");

	if (!list)
		list = getenv("SLURM_STEP_NODELIST");
	return list ? list : getenv("SLURM_JOB_NODELIST");
}

/* The address of the node at `index`: the one that srun has passed on, else the
 * one to which the name resolves. */
static int address_of(const char *name, unsigned index, char *buf,
		      unsigned size)
{
	const char *addrs = getenv("DIST_TRAIN_HOST_ADDRS");
	struct sockaddr_storage found;
	char text[HOSTLIST_NAME_MAX];

	if (addrs && hostlist_nth(addrs, index, text) == 0) {
		snprintf(buf, size, "%s", text);
		return 0;
	}
	if (host_address(name, &found) < 0)
		return -1;
	return host_address_text(&found, buf, size);
}

struct search {
	const char *wanted; /* an address */
	char *found;
};

/* Ends the walk with -1 at the node with the wanted address. */
static int compare(void *arg, const char *name)
{
	struct search *s = arg;
	char addr[NI_MAXHOST];

	if (address_of(name, HOSTLIST_MAX, addr, sizeof(addr)) < 0 ||
	    strcmp(addr, s->wanted) != 0)
		return 0;
	snprintf(s->found, HOSTLIST_NAME_MAX, "%s", name);
	return -1;
}

static bool find_by_address(const char *host, char ret[HOSTLIST_NAME_MAX])
{
	const char *addrs = getenv("DIST_TRAIN_HOST_ADDRS");
	char addr[NI_MAXHOST];
	struct search s = {.wanted = addr, .found = ret};
	unsigned index;

	*ret = '\0';
	if (address_of(host, HOSTLIST_MAX, addr, sizeof(addr)) < 0)
		return false;
	if (addrs)
		return hostlist_find(addrs, addr, &index) == 0 &&
		       hostlist_nth(step_nodes(), index, ret) == 0;
	hostlist_each(step_nodes(), compare, &s);
	return *ret;
}

int rsh_host_find(const char *host, char ret[HOSTLIST_NAME_MAX],
		  struct err *err)
{
	const char *own = getenv("SLURMD_NODENAME");
	char shown[SHOW_SIZE];
	unsigned index;

	if (!step_nodes())
		return err_printf(err, "SLURM_JOB_NODELIST isn't set: this "
				       "works inside a Slurm step only");
	if (own && (!strcmp(host, "localhost") || !strcmp(host, "127.0.0.1") ||
		    !strcmp(host, "::1")))
		host = own;
	if (hostlist_find(step_nodes(), host, &index) == 0 &&
	    hostlist_nth(step_nodes(), index, ret) == 0)
		return 0;
	if (find_by_address(host, ret))
		return 0;
	return err_printf(err, "%s isn't a node of the step (%s)",
			  show(shown, host), step_nodes());
}

int rsh_host_own(char *ret, unsigned size, struct err *err)
{
	const char *own = getenv("SLURMD_NODENAME");
	unsigned index = HOSTLIST_MAX;

	if (own && step_nodes())
		hostlist_find(step_nodes(), own, &index);
	if (own && address_of(own, index, ret, size) == 0)
		return 0;
	return err_printf(err, "the address of this node (%s) isn't known",
			  own ? own : "SLURMD_NODENAME isn't set");
}
