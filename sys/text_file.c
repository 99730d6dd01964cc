/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/text_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
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
	if (!text)
		return err_memory_null(err);
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

char *read_to_end(int fd, size_t max, size_t *ret_len)
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
		text = read_to_end(fd, max, &len);
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

ssize_t read_full(int fd, char *buf, size_t size)
{
	size_t used = 0;

	while (used < size) {
		ssize_t n = pread(fd, buf + used, size - used, (off_t)used);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -1;
		if (n == 0)
			break;
		used += (size_t)n;
	}
	return (ssize_t)used;
}

int write_full(int fd, const char *data, size_t size)
{
	while (size) {
		ssize_t n = write(fd, data, size);

		if (n < 0 && errno == EINTR)
			continue;
		if (n == 0)
			errno = EIO;
		if (n <= 0)
			return -1;
		data += n;
		size -= (size_t)n;
	}
	return 0;
}

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
