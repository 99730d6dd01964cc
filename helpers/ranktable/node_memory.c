/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/ranktable/ranktable_shared.h"

#include "core/facts/handover.h"
#include "sys/inherited_fd.h"

#include <fcntl.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define WAIT_MS 5000
#define LOOK_US 1000

int node_memory_handed(void)
{
	return inherited_fd_take(HANDOVER_MEMORY, F_SEAL_SHRINK);
}

/* For memory_close(); NULL when there is none. */
static struct node_memory *memory_open(int fd)
{
	struct node_memory *memory;
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0 || st.st_size < (off_t)sizeof(*memory))
		return NULL;
	memory = mmap(NULL, sizeof(*memory), PROT_READ | PROT_WRITE, MAP_SHARED,
		      fd, 0);
	return memory == MAP_FAILED ? NULL : memory;
}

static void memory_close(struct node_memory *memory)
{
	munmap(memory, sizeof(*memory));
}

void node_memory_wait(int fd, unsigned n)
{
	struct node_memory *memory = n > 1 ? memory_open(fd) : NULL;

	if (!memory)
		return;
	__atomic_fetch_add(&memory->arrived, 1, __ATOMIC_SEQ_CST);
	for (int ms = 0;
	     __atomic_load_n(&memory->arrived, __ATOMIC_SEQ_CST) < n &&
	     ms < WAIT_MS;
	     ms++)
		usleep(LOOK_US);
	memory_close(memory);
}

void node_memory_tell(int fd, const char *folder)
{
	size_t n = strlen(folder) + 1;
	struct node_memory *memory = n <= PATH_MAX ? memory_open(fd) : NULL;

	if (!memory)
		return;
	memcpy(memory->folder, folder, n);
	__atomic_store_n(&memory->told, 1, __ATOMIC_RELEASE);
	memory_close(memory);
}

int node_memory_folder(int fd, char ret[PATH_MAX])
{
	struct node_memory *memory = memory_open(fd);
	int rc = -1;

	if (!memory)
		return -1;
	if (__atomic_load_n(&memory->told, __ATOMIC_ACQUIRE)) {
		memcpy(ret, memory->folder, PATH_MAX);
		ret[PATH_MAX - 1] = '\0';
		rc = 0;
	}
	memory_close(memory);
	return rc;
}
