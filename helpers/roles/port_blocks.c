/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ports of worlds. A step has as many blocks of the administrator's range as it
 * has worlds, from a place in it that follows from job and step; the next ones
 * where a port of a block is in use. What marks a block as taken is a name
 * without a file (an abstract Unix socket), which ends with this process: two
 * steps that look at the same moment see each other.
 */
#include "helpers/roles/agent.h"
#include "sys/socket.h"

#include <stdio.h>
#include <string.h>
#include <sys/un.h>
#include <unistd.h>

/* Steps of a job that run beside each other begin far from each other, and
 * jobs, too. */
#define JOB_STRIDE     61
#define STEP_STRIDE    17
#define RESTART_STRIDE 7

static bool mark(unsigned first)
{
	struct sockaddr_un at = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	int n = snprintf(at.sun_path + 1, sizeof(at.sun_path) - 1,
			 "dist-train/ports/%u", first);

	if (fd >= 0 && bind(fd, (struct sockaddr *)&at,
			    (socklen_t)(offsetof(struct sockaddr_un, sun_path) +
					1 + (size_t)n)) == 0)
		return true; /* kept open until this process ends */
	if (fd >= 0)
		close(fd);
	return false;
}

static bool is_free(unsigned port)
{
	int fd = socket_listen(NULL, port, 1);

	if (fd < 0)
		return false;
	close(fd);
	return true;
}

static bool all_free(unsigned first)
{
	for (unsigned i = 0; i < ROLE_PORT_BLOCK; i++)
		if (!is_free(first + i))
			return false;
	return true;
}

unsigned port_block_take(const struct agent *a, unsigned world, unsigned n,
			 struct err *err)
{
	const struct job *job = &a->job;
	unsigned min = a->config.port_min, max = a->config.port_max;
	unsigned nblocks = (max - min + 1) / ROLE_PORT_BLOCK;
	unsigned long at = job->job_id * JOB_STRIDE +
			   job->step_id * STEP_STRIDE +
			   job->restart * RESTART_STRIDE + world;

	for (unsigned try = 0; try < nblocks; try += n, at += n) {
		unsigned first =
			min + (unsigned)(at % nblocks) * ROLE_PORT_BLOCK;

		if (mark(first) && all_free(first))
			return first;
	}
	err_printf(err,
		   "node %s has no %u free ports in a row in %u-%u for each of "
		   "the step's %u worlds; the administrator's ports= can name "
		   "more",
		   job->node_name, ROLE_PORT_BLOCK, min, max, n);
	return 0;
}
