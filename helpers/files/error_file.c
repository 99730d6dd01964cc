/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/files/files.h"

#include "sys/json_text.h"
#include "sys/text_file.h"

#include <ctype.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define FILE_MAX (1U << 20)

const char *error_file_path(const char *dir, unsigned rank, unsigned round,
			    char buf[ERROR_FILE_SIZE])
{
	snprintf(buf, ERROR_FILE_SIZE, "%s/error-%u-%u.json", dir, rank, round);
	return buf;
}

/* The job wrote it: no link, no device, not too long. */
static char *read_whole(const char *path)
{
	cleanup_close int fd =
		open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	struct err unused;

	return fd < 0 ? NULL : text_file_read_fd(fd, path, FILE_MAX, &unused);
}

static bool find_message(struct json_text *t, bool inner, char *buf,
			 size_t size);

/* Behind its name: TEXT, or an object in which there is one. */
static bool take_message(struct json_text *t, bool inner, char *buf,
			 size_t size)
{
	char c = json_text_next(t);

	if (c == '"')
		return json_text_string(t, buf, size);
	if (c == '{' && !inner)
		return find_message(t, true, buf, size);
	return json_text_skip(t);
}

/* {"message": TEXT} or {"message": {"message": TEXT, ...}}, whole */
static bool find_message(struct json_text *t, bool inner, char *buf,
			 size_t size)
{
	char name[sizeof("message") + 1];

	if (!json_text_take(t, '{'))
		return false;
	if (json_text_take(t, '}'))
		return true;
	do {
		if (!json_text_string(t, name, sizeof(name)) ||
		    !json_text_take(t, ':'))
			return false;
		if (strcmp(name, "message") != 0
			    ? !json_text_skip(t)
			    : !take_message(t, inner, buf, size))
			return false;
	} while (json_text_take(t, ','));
	return json_text_take(t, '}');
}

const char *error_file_read(const char *path, char *buf, size_t size)
{
	cleanup_free char *text = read_whole(path);
	struct json_text t = {.at = text};
	size_t n = 0;

	*buf = '\0';
	if (!text || !find_message(&t, false, buf, size) || json_text_next(&t))
		*buf = '\0';
	for (; buf[n] && buf[n] != '\n'; n++)
		if (!isprint((unsigned char)buf[n]))
			buf[n] = '?';
	buf[n] = '\0';
	return buf;
}
