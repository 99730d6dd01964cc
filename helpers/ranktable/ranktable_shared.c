/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/ranktable/ranktable_shared.h"

#include "core/ascend/ranktable.h"
#include "core/facts/handover.h"
#include "sys/child.h"
#include "sys/folder.h"
#include "sys/text_file.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define FOLDER "folder "

char *ranktable_shared_facts(const char *dir, const char *rows, size_t n,
			     size_t *ret_n)
{
	size_t line = strlen(FOLDER) + strlen(dir) + 1;
	char *text = malloc(line + n + 1);

	if (!text)
		return NULL;
	sprintf(text, FOLDER "%s\n", dir);
	memcpy(text + line, rows, n);
	text[line + n] = '\0';
	*ret_n = line + n;
	return text;
}

char *ranktable_shared_rows(char *facts, const char **ret_dir)
{
	char *end = strchr(facts, '\n');

	*ret_dir = NULL;
	if (!end || strncmp(facts, FOLDER, strlen(FOLDER)) != 0)
		return facts;
	*end = '\0';
	*ret_dir = facts + strlen(FOLDER);
	return end + 1;
}

bool ranktable_shared_is_here(const char *dir)
{
	cleanup_close int fd = folder_open_own(AT_FDCWD, dir, geteuid());

	return fd >= 0 && folder_is_private(fd);
}

int ranktable_shared_of_node(int memory_fd, const char *task0_dir,
			     char ret[PATH_MAX])
{
	if (task0_dir && ranktable_shared_is_here(task0_dir)) {
		snprintf(ret, PATH_MAX, "%s", task0_dir);
		return 0;
	}
	return node_memory_folder(memory_fd, ret) == 0 &&
			       ranktable_shared_is_here(ret)
		       ? 0
		       : -1;
}

int ranktable_shared_check(const char *path, const char *text, size_t len,
			   const char *node, struct err *err)
{
	struct err why;
	cleanup_free char *found =
		text_file_read(path, RANKTABLE_TEXT_MAX, &why);

	if (!found)
		return err_printf(err,
				  "node %s: %s; task 0 has written the rank "
				  "table into rundir=, which must be the same "
				  "folder on all nodes or another on each",
				  node, why.text);
	if (strlen(found) == len && !memcmp(found, text, len))
		return 0;
	return err_printf(err,
			  "node %s: %s isn't the table that task 0 has "
			  "written; let rundir= be a folder of each node's own",
			  node, path);
}

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
