/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/ranktable/node_barrier.h"

#include "core/facts/handover.h"
#include "sys/inherited_fd.h"

#include <fcntl.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define WAIT_MS 5000
#define LOOK_US 1000

int node_barrier_handed(void)
{
	return inherited_fd_take(HANDOVER_BARRIER, F_SEAL_SHRINK);
}

void node_barrier_wait(int fd, unsigned n)
{
	atomic_uint *count;
	struct stat st;

	if (n < 2 || fd < 0 || fstat(fd, &st) < 0 ||
	    st.st_size < (off_t)sizeof(*count))
		return;
	count = mmap(NULL, sizeof(*count), PROT_READ | PROT_WRITE, MAP_SHARED,
		     fd, 0);
	if (count == MAP_FAILED)
		return;
	atomic_fetch_add(count, 1);
	for (int ms = 0; atomic_load(count) < n && ms < WAIT_MS; ms++)
		usleep(LOOK_US);
	munmap(count, sizeof(*count));
}
