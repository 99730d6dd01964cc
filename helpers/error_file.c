/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/error_file.h"

#include "core/cleanup.h"

#include <cjson/cJSON.h>
#include <ctype.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FILE_MAX (1U << 20)

/* The job wrote it: no link, no device, not too long. */
static char *read_whole(const char *path)
{
	cleanup_close int fd =
		open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	struct stat st;
	char *text;
	ssize_t n;

	if (fd < 0 || fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) ||
	    st.st_size > FILE_MAX)
		return NULL;
	text = malloc((size_t)st.st_size + 1);
	if (!text)
		return NULL;
	n = read(fd, text, (size_t)st.st_size);
	text[n > 0 ? n : 0] = '\0';
	return text;
}

/* {"message": TEXT} or {"message": {"message": TEXT, ...}} */
static const char *find_message(const cJSON *root)
{
	const cJSON *m = cJSON_GetObjectItemCaseSensitive(root, "message");

	if (cJSON_IsObject(m))
		m = cJSON_GetObjectItemCaseSensitive(m, "message");
	return cJSON_GetStringValue(m);
}

const char *error_file_read(const char *path, char *buf, size_t size)
{
	cleanup_free char *text = read_whole(path);
	cJSON *root = text ? cJSON_Parse(text) : NULL;
	const char *message = root ? find_message(root) : NULL;
	size_t n = 0;

	for (; message && message[n] && message[n] != '\n' && n + 1 < size; n++)
		buf[n] = isprint((unsigned char)message[n]) ? message[n] : '?';
	buf[n] = '\0';
	cJSON_Delete(root);
	return buf;
}
