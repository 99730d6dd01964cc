/* SPDX-License-Identifier: Apache-2.0 */
#include "task/task.h"

#include "core/base/idset.h"

#include <fcntl.h>
#include <sched.h>
#include <stdio.h>

/* Documentation/ABI/testing/sysfs-devices-system-cpu: 0 or 1, since 4.19 */
bool cores_are_single(void)
{
	cleanup_close int fd = open("/sys/devices/system/cpu/smt/active",
				    O_RDONLY | O_CLOEXEC);
	char active;

	return fd >= 0 && read(fd, &active, 1) == 1 && active == '0';
}

/* How many of the CPUs are threads of the first one's core. One file is read
 * and not one for each core, because every task pays for it. Not inlined: most
 * nodes' tasks needn't touch the stack for its text. */
__attribute__((noinline)) static unsigned
threads_per_core(const struct idset *cpus)
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

unsigned cores_of_self(bool single)
{
	struct idset cpus = {{0}};
	unsigned n, threads;

	if (sched_getaffinity(0, sizeof(cpus), (cpu_set_t *)&cpus) < 0)
		return 0;
	n = idset_count(&cpus);
	threads = single ? 1 : threads_per_core(&cpus);
	return n < threads ? 1 : n / threads;
}
