/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/text_file.h"

#include "core/base/cleanup.h"
#include "sys/io_full.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

char *text_file_read_fd(int fd, const char *name, size_t max, struct err *err)
{
	cleanup_free char *text = NULL;
	struct stat st;
	ssize_t n;
	char *ret;

	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode)) {
		err_printf(err, "%s: not a regular file", name);
		return NULL;
	}
	if ((size_t)st.st_size > max) {
		err_printf(err, "%s: larger than %zu bytes", name, max);
		return NULL;
	}
	text = malloc((size_t)st.st_size + 1);
	if (!text) {
		err_memory(err);
		return NULL;
	}
	n = read_full(fd, text, (size_t)st.st_size);
	if (n < 0 || memchr(text, '\0', (size_t)n)) {
		err_printf(err, "%s: %s", name,
			   n < 0 ? strerror(errno) : "contains a NUL byte");
		return NULL;
	}
	text[n] = '\0';
	ret = text;
	text = NULL;
	return ret;
}

char *text_file_read(const char *path, size_t max, struct err *err)
{
	cleanup_close int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	if (fd < 0) {
		err_printf(err, "%s: %s", path, strerror(errno));
		return NULL;
	}
	return text_file_read_fd(fd, path, max, err);
}
