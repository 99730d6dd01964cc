/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/log.h"

#include "sys/text_file.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

void log_text(int fd, const char *text)
{
	write_full(fd, text, strlen(text));
}

void log_line(const char *fmt, ...)
{
	char line[1536] = "dist-train: ";
	size_t used = strlen(line);
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(line + used, sizeof(line) - used - 1, fmt, ap);
	va_end(ap);
	strcat(line, "\n");
	log_text(STDERR_FILENO, line);
}
