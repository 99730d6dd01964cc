/* SPDX-License-Identifier: Apache-2.0 */
#include "spank/srun/srun_listen.h"

#include "core/facts/port.h"
#include "spank/slurm/slurmctld.h"
#include "sys/socket.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

struct range {
	unsigned min, max;
};

static unsigned port_in_range(const void *arg, unsigned try)
{
	const struct range *r = arg;

	return port_beside_srun((unsigned)getpid(), r->min, r->max, try);
}

static int listen_at_one(const struct srun_ports *ports, int backlog)
{
	unsigned port;
	int fd = -1;

	for (unsigned i = 0; fd < 0 && (port = ports->port(ports->arg, i)) != 0;
	     i++)
		fd = socket_listen(NULL, port, backlog);
	return fd;
}

int srun_listen(const struct srun_ports *ports, int backlog, unsigned *ret_port)
{
	struct sockaddr_in6 any = {0};
	socklen_t len = sizeof(any);
	struct range range;
	struct srun_ports in_range = {.port = port_in_range, .arg = &range};
	int fd;

	if (slurmctld_srun_ports(&range.min, &range.max))
		ports = &in_range;
	fd = ports ? listen_at_one(ports, backlog)
		   : socket_listen(NULL, 0, backlog);
	if (fd >= 0)
		getsockname(fd, (struct sockaddr *)&any, &len);
	*ret_port = ntohs(any.sin6_port); /* at its place in both families */
	return fd;
}
