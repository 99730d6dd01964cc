/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/text_file.h"

#include "core/base/cleanup.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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

/* Up to `max` bytes and one, with room for a NUL after them. */
static char *read_all(int fd, size_t max, size_t *ret_len)
{
	size_t size = 0, len = 0;
	char *text = NULL;
	ssize_t n = 1;

	while (n && len <= max) {
		if (len + 1 >= size) {
			char *more = realloc(text, size = 2 * size + 65536);

			if (!more)
				break;
			text = more;
		}
		n = read(fd, text + len, size - len - 1);
		if (n < 0 && errno != EINTR)
			break;
		len += n > 0 ? (size_t)n : 0;
	}
	if (n && len <= max) {
		free(text);
		return NULL;
	}
	text[len] = '\0';
	*ret_len = len;
	return text;
}

char *text_stream_read(const char *path, size_t max, struct err *err)
{
	bool input = !strcmp(path, "-");
	cleanup_close int file =
		input ? -1 : open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	int fd = input ? STDIN_FILENO : file;
	const char *name = input ? "standard input" : path;
	char *text = NULL;
	size_t len = 0;

	if (fd >= 0)
		text = read_all(fd, max, &len);
	if (!text)
		err_printf(err, "%s: %s", name, strerror(errno));
	else if (len > max)
		err_printf(err, "%s: larger than %zu bytes", name, max);
	else if (memchr(text, '\0', len))
		err_printf(err, "%s: contains a NUL byte", name);
	else
		return text;
	free(text);
	return NULL;
}
