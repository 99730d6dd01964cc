/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/record/record_file.h"

#include "core/base/parse.h"
#include "sys/kept/log_open.h"

#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int saved_file_read(const char *path, long *ret_value, int64_t *ret_written_ms)
{
	struct err ignored;
	cleanup_close int fd =
		log_open_to_read("progress-file", path, &ignored);
	char text[64];
	struct stat st;
	ssize_t n;

	if (fd < 0 || fstat(fd, &st) < 0)
		return -1;
	n = read(fd, text, sizeof(text) - 1);
	if (n <= 0)
		return -1;
	text[n] = '\0';
	text[strcspn(text, " \t\r\n")] = '\0';
	if (parse_number(text, 0, LONG_MAX, ret_value) < 0)
		return -1;
	*ret_written_ms = (int64_t)st.st_mtim.tv_sec * 1000 +
			  st.st_mtim.tv_nsec / 1000000;
	return 0;
}
