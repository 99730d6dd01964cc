/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/inherited_fd.h"

#include "core/base/parse.h"

#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>

static bool is_sealed(int fd, int seal)
{
	int seals = fcntl(fd, F_GET_SEALS);

	return seals >= 0 && (seals & seal);
}

int inherited_fd_take(const char *name, int seal)
{
	const char *text = getenv(name);
	bool ours;
	long fd;

	if (!text)
		return -1;
	ours = parse_number(text, 3, INT_MAX, &fd) == 0 &&
	       is_sealed((int)fd, seal);
	unsetenv(name);
	if (!ours || fcntl((int)fd, F_SETFD, FD_CLOEXEC) < 0)
		return -1;
	return (int)fd;
}
