/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/write_file.h"

#include "core/base/cleanup.h"
#include "sys/io_full.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static int finish_file(int fd, const char *temporary, const char *path,
		       mode_t mode)
{
	if (fchmod(fd, mode) < 0 || fsync(fd) < 0)
		return -1;
	return rename(temporary, path);
}

/* What mkostemp() replaces. */
#define PATTERN                                                                \
	"XX"                                                                   \
	"XX"                                                                   \
	"XX"

/* "DIR/.NAME.PATTERN" */
static char *temporary_name(const char *path)
{
	const char *slash = strrchr(path, '/');
	int dir = slash ? (int)(slash - path) + 1 : 0;
	char *name;

	if (asprintf(&name, "%.*s.%s." PATTERN, dir, path, path + dir) < 0)
		return NULL;
	return name;
}

int write_file(const char *path, const char *text, size_t len, mode_t mode,
	       struct err *err)
{
	cleanup_free char *temporary = temporary_name(path);
	cleanup_close int fd = -1;

	if (!temporary)
		return err_memory(err);
	fd = mkostemp(temporary, O_CLOEXEC);
	if (fd < 0)
		return err_printf(err, "can't create %s: %s", path,
				  strerror(errno));
	if (write_full(fd, text, len) == 0 &&
	    finish_file(fd, temporary, path, mode) == 0)
		return 0;
	err_printf(err, "can't write %s: %s", path, strerror(errno));
	unlink(temporary);
	return -1;
}
