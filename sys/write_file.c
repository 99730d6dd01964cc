/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/text_file.h"

#include "core/base/cleanup.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* "DIR/.NAME.", and what mkostemp() replaces */
static char *temporary_name(const char *path)
{
	const char *slash = strrchr(path, '/');
	int dir = slash ? (int)(slash - path) + 1 : 0;
	char *name;
	int n = asprintf(&name, "%.*s.%s.%6s", dir, path, path + dir, "");

	if (n < 0)
		return NULL;
	memset(name + n - 6, 'X', 6);
	return name;
}

static int write_and(int (*keep)(int fd), const char *path, const char *text,
		     size_t len, mode_t mode, struct err *err)
{
	cleanup_free char *temporary = temporary_name(path);
	bool good;
	int fd;

	if (!temporary)
		return err_memory(err);
	fd = mkostemp(temporary, O_CLOEXEC);
	if (fd < 0)
		return err_printf(err, "can't create %s: %s", path,
				  strerror(errno));
	good = write_full(fd, text, len) == 0 && fchmod(fd, mode) == 0 &&
	       (!keep || keep(fd) == 0);
	/* A shared file system may say only now that it is full */
	if (close(fd) == 0 && good && rename(temporary, path) == 0)
		return 0;
	err_printf(err, "can't write %s: %s", path, strerror(errno));
	unlink(temporary);
	return -1;
}

int write_file(const char *path, const char *text, size_t len, mode_t mode,
	       struct err *err)
{
	return write_and(NULL, path, text, len, mode, err);
}

int write_file_durable(const char *path, const char *text, size_t len,
		       mode_t mode, struct err *err)
{
	return write_and(fsync, path, text, len, mode, err);
}
