/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/proc_file.h"

#include <sched.h>
#include <unistd.h>

unsigned cpus_if_bound(void)
{
	struct idset cpus = {{0}};
	long n, all = sysconf(_SC_NPROCESSORS_ONLN);

	if (sched_getaffinity(0, sizeof(cpus), (cpu_set_t *)&cpus) < 0)
		return 0;
	n = idset_count(&cpus);
	return n < all ? (unsigned)n : 0;
}
