/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/output/line_writer.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* One write. Returns how much, 0 to try again, or -1. */
static ssize_t write_some(int fd, const char *data, size_t n)
{
	struct pollfd p = {.fd = fd, .events = POLLOUT};
	ssize_t done = write(fd, data, n);

	if (done >= 0 || errno == EINTR)
		return done > 0 ? done : 0;
	if (errno != EAGAIN)
		return -1;
	poll(&p, 1, -1);
	return 0;
}

void outfile_write(struct outfile *target, const void *data, size_t n)
{
	const char *p = data;

	while (n && !target->error) {
		ssize_t done = write_some(target->fd, p, n);

		if (done < 0) {
			target->error = errno;
			break;
		}
		p += done;
		n -= (size_t)done;
	}
	target->lost += n;
}

bool outfile_loss(const struct outfile *target, char *buf, size_t size)
{
	if (!target->error)
		return false;
	snprintf(buf, size,
		 "dist-train: %s: %s; %" PRIu64 " bytes of output lost\n",
		 target->name, strerror(target->error), target->lost);
	return true;
}
