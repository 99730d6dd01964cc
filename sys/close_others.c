/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/subprocess.h"

#include "sys/folder.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#define FIRST 3U /* behind the standard streams */

struct kept {
	const int *fd;
	unsigned n;
};

static bool is_kept(const struct kept *kept, int fd)
{
	for (unsigned i = 0; i < kept->n; i++)
		if (kept->fd[i] == fd)
			return true;
	return false;
}

static void visit(void *arg, int folder, const char *name)
{
	int fd = atoi(name);

	if (fd >= (int)FIRST && fd != folder && !is_kept(arg, fd))
		close(fd);
}

/* Kernels before 5.9 have no close_range(). */
static void close_each(const struct kept *kept)
{
	cleanup_close int fd =
		open("/proc/self/fd", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd >= 0)
		folder_each(fd, visit, (void *)kept);
}

static int close_range_of(unsigned first, unsigned last)
{
#ifdef SYS_close_range
	return (int)syscall(SYS_close_range, first, last, 0U);
#else
	(void)first;
	(void)last;
	errno = ENOSYS;
	return -1;
#endif
}

/* The lowest one that is kept, from `from` on; ~0U: none. */
static unsigned next_kept(const struct kept *kept, unsigned from)
{
	unsigned next = ~0U;

	for (unsigned i = 0; i < kept->n; i++)
		if (kept->fd[i] >= (int)from && (unsigned)kept->fd[i] < next)
			next = (unsigned)kept->fd[i];
	return next;
}

void close_others(const int *kept, unsigned n)
{
	const struct kept all = {kept, n};
	unsigned from = FIRST;

	for (;;) {
		unsigned next = next_kept(&all, from);

		if (next > from &&
		    close_range_of(from, next == ~0U ? next : next - 1) < 0) {
			close_each(&all);
			return;
		}
		if (next == ~0U)
			return;
		from = next + 1;
	}
}
