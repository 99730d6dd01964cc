/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/metrics/metrics.h"

#include "core/base/cleanup.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static bool is_same(const struct report_file *seen, const struct stat *st)
{
	return seen->inode == st->st_ino && seen->size == st->st_size &&
	       seen->written.tv_sec == st->st_mtim.tv_sec &&
	       seen->written.tv_nsec == st->st_mtim.tv_nsec;
}

static uint64_t age_ms(const struct timespec *written)
{
	struct timespec now;
	long long ms;

	clock_gettime(CLOCK_REALTIME, &now);
	ms = (now.tv_sec - written->tv_sec) * 1000LL +
	     (now.tv_nsec - written->tv_nsec) / 1000000;
	return ms > 0 ? (uint64_t)ms : 0;
}

/* The last line of the text that has more than blanks, in its place; NULL:
 * there is none. */
static char *last_line(char *text)
{
	for (;;) {
		char *line = strrchr(text, '\n');

		line = line ? line + 1 : text;
		if (line[strspn(line, " \t\r")])
			return line;
		if (line == text)
			return NULL;
		line[-1] = '\0';
	}
}

/* The end of the file, as much as the longest line. */
static int read_end(int fd, const struct stat *st, char line[REPORT_LINE_MAX],
		    struct err *err)
{
	char text[REPORT_LINE_MAX + 1], *last;
	off_t at = st->st_size - REPORT_LINE_MAX;
	ssize_t n = pread(fd, text, REPORT_LINE_MAX, at > 0 ? at : 0);

	if (n < 0)
		return err_printf(err, "can't be read: %s", strerror(errno));
	text[n] = '\0';
	last = last_line(text);
	if (!last)
		return 0;
	if (last == text && n == REPORT_LINE_MAX)
		return err_printf(err, "its last line has more than %d bytes",
				  REPORT_LINE_MAX - 1);
	strcpy(line, last);
	return 1;
}

int report_file_read(int dir, const char *name, struct report_file *seen,
		     char ret_line[REPORT_LINE_MAX], uint64_t *ret_age_ms,
		     struct err *err)
{
	cleanup_close int fd = -1;
	struct stat st;

	if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) < 0 ||
	    is_same(seen, &st))
		return 0;
	*seen = (struct report_file){st.st_ino, st.st_size, st.st_mtim};
	if (!S_ISREG(st.st_mode))
		return err_printf(err, "is no regular file");
	fd = openat(dir, name,
		    O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st) < 0)
		return err_printf(err, "can't be read: %s", strerror(errno));
	if (!S_ISREG(st.st_mode))
		return err_printf(err, "is no regular file");
	*ret_age_ms = age_ms(&st.st_mtim);
	return read_end(fd, &st, ret_line, err);
}
