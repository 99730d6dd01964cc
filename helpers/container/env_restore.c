/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/container/env_restore.h"

#include "core/facts/handover.h"
#include "paths.h"
#include "sys/child.h"
#include "sys/interfaces.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define LAUNCHER PKGLIBEXECDIR "/dist-train-launch"
#define FDS	 "/proc/self/fd"
#define FILE_IS	 "/memfd:" HANDOVER_ENV_NAME " "

static bool is_ours(int dir, const char *name)
{
	char target[PATH_MAX];
	ssize_t n = readlinkat(dir, name, target, sizeof(target) - 1);

	if (n < 0)
		return false;
	target[n] = '\0';
	return !strncmp(target, FILE_IS, strlen(FILE_IS)) &&
	       fcntl(atoi(name), F_GET_SEALS) & F_SEAL_WRITE;
}

static int find_file(void)
{
	DIR *d = opendir(FDS);
	struct dirent *e;
	int fd = -1;

	while (d && fd < 0 && (e = readdir(d)))
		if (is_ours(dirfd(d), e->d_name))
			fd = atoi(e->d_name);
	if (d)
		closedir(d);
	return fd;
}

static bool is_root(const char *text)
{
	char here[64];
	struct stat root;

	if (stat("/", &root) < 0)
		return false;
	snprintf(here, sizeof(here), "%ju:%ju", (uintmax_t)root.st_dev,
		 (uintmax_t)root.st_ino);
	return !strcmp(here, text);
}

struct orders {
	bool launcher, outside;
	char *node; /* the file's text; NULL: there is no other node */
};

static void follow(char *string, struct orders *orders)
{
	char *text = string + 1, *value = strchr(text, '=');

	switch (*string) {
	case HANDOVER_ENV_SET:
		if (!value)
			break;
		*value = '\0';
		setenv(text, value + 1, 1);
		break;
	case HANDOVER_ENV_UNSET:
		unsetenv(text);
		break;
	case HANDOVER_ENV_ROOT:
		orders->outside = is_root(text);
		break;
	case HANDOVER_ENV_LAUNCHER:
		orders->launcher = true;
		break;
	case HANDOVER_ENV_NODE:
		orders->node = text;
		break;
	}
}

static int read_orders(int fd, struct orders *orders, struct err *err)
{
	off_t size = lseek(fd, 0, SEEK_END);
	cleanup_free char *text = size > 0 ? calloc(1, (size_t)size + 1) : NULL;

	if (!text || pread(fd, text, (size_t)size, 0) != (ssize_t)size)
		return err_printf(err, "the data that the plugin has handed "
				       "over can't be read");
	for (char *p = text, *next; p < text + size; p = next) {
		next = p + strlen(p) + 1;
		follow(p, orders);
	}
	if (orders->node && !orders->outside)
		return interfaces_reach_nodes(orders->node, err);
	return 0;
}

static int start_program(int argc, char **argv, int *ret_status,
			 struct err *err)
{
	char *name = getenv(HANDOVER_ARGV0), file[PATH_MAX];
	char **program = name ? argv : argv + 2;

	if (!name && argc < 3)
		return err_printf(err, "there is no program to start");
	if (name)
		argv[0] = strdup(name);
	unsetenv(HANDOVER_ARGV0);
	if (child_find(program[0], getenv("PATH"), file, sizeof(file)) == 0)
		program[0] = file;
	execv(program[0], program);
	*ret_status = errno;
	return err_printf(err, "%s: %s", program[0], strerror(errno));
}

int env_restore(int argc, char **argv, int *ret_status, struct err *err)
{
	struct orders orders = {.launcher = false};
	int fd = find_file();

	*ret_status = EXIT_FAILURE;
	if (fd < 0)
		return 0;
	if (read_orders(fd, &orders, err) < 0)
		return -1;
	close(fd);
	if (!orders.launcher)
		return start_program(argc, argv, ret_status, err);
	if (orders.outside) {
		argv[0] = (char *)LAUNCHER;
		execv(argv[0], argv);
	}
	return 0;
}
