/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/hccn_handed.h"

#include "core/handover.h"
#include "core/parse.h"

#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>

static bool is_sealed(int fd)
{
	int seals = fcntl(fd, F_GET_SEALS);

	return seals >= 0 && (seals & F_SEAL_WRITE);
}

int hccn_handed(void)
{
	const char *text = getenv(HANDOVER_HCCN);
	bool ours;
	long fd;

	if (!text)
		return -1;
	ours = parse_number(text, 3, INT_MAX, &fd) == 0 && is_sealed((int)fd);
	unsetenv(HANDOVER_HCCN);
	if (!ours || fcntl((int)fd, F_SETFD, FD_CLOEXEC) < 0)
		return -1;
	return (int)fd;
}
