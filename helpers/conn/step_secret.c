/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/conn/step_secret.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/uio.h>
#include <unistd.h>

/* The plugin has written all of it at once. */
static int read_pipe(int fd, struct handover_secret *secret,
		     char credential[CREDENTIAL_SIZE])
{
	const struct iovec parts[] = {
		{secret, sizeof(*secret)},
		{credential, CREDENTIAL_SIZE - 1},
	};
	ssize_t n = readv(fd, parts, 2);

	close(fd);
	if (n < (ssize_t)sizeof(*secret))
		return -1;
	credential[(size_t)n - sizeof(*secret)] = '\0';
	return 0;
}

bool step_secret_read(struct handover_secret *ret,
		      char ret_credential[CREDENTIAL_SIZE], char *why,
		      size_t size)
{
	const char *text = getenv(HANDOVER_SECRET);
	struct auth auth;
	char *end;
	long fd = text ? strtol(text, &end, 10) : -1;

	*ret_credential = '\0';
	if (text && auth_read(text, &auth)) {
		snprintf(ret_credential, CREDENTIAL_SIZE, "%s", text);
		return false;
	}
	if (!text)
		snprintf(why, size, "srun made no secret");
	else if (end == text || *end || fd < 3)
		snprintf(why, size, "%s", text);
	else if (read_pipe((int)fd, ret, ret_credential) < 0)
		snprintf(why, size, "the secret is lost");
	return true;
}
