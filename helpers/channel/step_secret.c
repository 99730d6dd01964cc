/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/channel/step_secret.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static int read_pipe(int fd, struct handover_secret *secret)
{
	ssize_t n = read(fd, secret, sizeof(*secret));

	close(fd);
	return n == sizeof(*secret) ? 0 : -1;
}

void step_secret_read(struct handover_secret *ret, char *why, size_t size)
{
	const char *text = getenv(HANDOVER_SECRET);
	char *end;
	long fd = text ? strtol(text, &end, 10) : -1;

	if (!text)
		snprintf(why, size, "srun made no secret");
	else if (end == text || *end || fd < 3)
		snprintf(why, size, "%s", text);
	else if (read_pipe((int)fd, ret) < 0)
		snprintf(why, size, "the secret is lost");
}
