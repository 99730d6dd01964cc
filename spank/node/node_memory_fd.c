/* SPDX-License-Identifier: Apache-2.0 */
#include "spank/node/node.h"

#include "core/facts/handover.h"
#include "spank/slurm/step_job.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define SEALS (F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW)

int node_memory_make(const struct resolved *resolved)
{
	int fd;

	if (!resolved->exchange)
		return -1;
	fd = memfd_create("node", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (fd < 0)
		return -1;
	if (ftruncate(fd, sizeof(struct node_memory)) == 0 &&
	    fcntl(fd, F_ADD_SEALS, SEALS) == 0)
		return fd;
	close(fd);
	return -1;
}

int node_memory_hand_over(spank_t sp, int fd, struct err *err)
{
	char number[16];

	if (fd < 0)
		return job_setenv(sp, HANDOVER_MEMORY, NULL, err);
	if (fcntl(fd, F_SETFD, 0) < 0)
		return err_printf(
			err, "can't pass the node's memory to the task: %s",
			strerror(errno));
	snprintf(number, sizeof(number), "%d", fd);
	return job_setenv(sp, HANDOVER_MEMORY, number, err);
}
