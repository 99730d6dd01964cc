/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/proc_file.h"

#include "core/base/err.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

__attribute__((format(printf, 4, 0))) static int
vread(char *buf, size_t size, const char *root, const char *fmt, va_list ap)
{
	cleanup_close int fd = -1;
	char path[PATH_MAX];
	size_t used = strlen(root);
	ssize_t n;
	int len;

	if (used >= sizeof(path))
		return -1;
	memcpy(path, root, used);
	len = vsnprintf(path + used, sizeof(path) - used, fmt, ap);
	if (len < 0 || (size_t)len >= sizeof(path) - used)
		return -1;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	n = fd < 0 ? -1 : read(fd, buf, size - 1);
	if (n < 0)
		return -1;
	buf[n] = '\0';
	return 0;
}

int sysfs_read(char *buf, size_t size, const char *root, const char *fmt, ...)
{
	va_list ap;
	int rc;

	va_start(ap, fmt);
	rc = vread(buf, size, root, fmt, ap);
	va_end(ap);
	return rc;
}

int sysfs_number(const char *root, const char *fmt, ...)
{
	char text[32];
	va_list ap;
	int rc, n;

	va_start(ap, fmt);
	rc = vread(text, sizeof(text), root, fmt, ap);
	va_end(ap);
	return rc == 0 && sscanf(text, "%d", &n) == 1 && n >= 0 ? n : -1;
}

int sysfs_set(struct idset *ret, const char *root, const char *fmt, ...)
{
	char text[4096];
	va_list ap;
	int rc;

	va_start(ap, fmt);
	rc = vread(text, sizeof(text), root, fmt, ap);
	va_end(ap);
	return rc == 0 ? idset_parse(text, ret) : -1;
}

void sysfs_each(const char *root, const char *folder,
		void (*visit)(void *arg, const char *root, const char *name),
		void *arg)
{
	char path[PATH_MAX];
	struct dirent *e;
	DIR *dir;

	snprintf(path, sizeof(path), "%s%s", root, folder);
	dir = opendir(path);
	while (dir && (e = readdir(dir)))
		if (*e->d_name != '.')
			visit(arg, root, e->d_name);
	if (dir)
		closedir(dir);
}
