/* SPDX-License-Identifier: Apache-2.0 */
#include "task/task_cores.h"

#include "core/base/cleanup.h"
#include "core/base/idset.h"

#include <fcntl.h>
#include <sched.h>
#include <stdio.h>

/* How many of the CPUs are threads of the first one's core. One file is read
 * and not one for each core, because every task pays for it. */
static unsigned threads_per_core(const struct idset *cpus)
{
	cleanup_close int fd = -1;
	struct idset siblings;
	char text[4096];
	unsigned n;
	ssize_t len;

	snprintf(text, sizeof(text),
		 "/sys/devices/system/cpu/cpu%d/topology/thread_siblings_list",
		 idset_next(cpus, 0));
	fd = open(text, O_RDONLY | O_CLOEXEC);
	len = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
	if (len < 0)
		return 1;
	text[len] = '\0';
	if (idset_parse(text, &siblings) < 0)
		return 1;
	idset_intersect(&siblings, cpus);
	n = idset_count(&siblings);
	return n ? n : 1;
}

unsigned cores_of_self(void)
{
	struct idset cpus = {{0}};
	unsigned n, threads;

	if (sched_getaffinity(0, sizeof(cpus), (cpu_set_t *)&cpus) < 0)
		return 0;
	n = idset_count(&cpus);
	threads = threads_per_core(&cpus);
	return n < threads ? 1 : n / threads;
}
