/* SPDX-License-Identifier: Apache-2.0 */
/* With what each source of facts is asked: below which root, for how long. */
#include "helpers/npu/devinfo.h"

#include "sys/loop.h"

#include <stdio.h>
#include <stdlib.h>

const char *devinfo_root(void)
{
	const char *root = getenv(DEVINFO_ROOT_VARIABLE);

	return root ? root : "";
}

static int call_ms(uint64_t left)
{
	return left / 2 < DEVINFO_CALL_MS ? (int)(left / 2) : DEVINFO_CALL_MS;
}

int devinfo_call_ms(const struct devinfo_query *query)
{
	uint64_t now = loop_now_ms();

	return call_ms(query->deadline_ms > now ? query->deadline_ms - now : 0);
}

int devinfo_library_ms(const struct devinfo_options *options)
{
	return call_ms(options->timeout_s * 1000ULL);
}

int devinfo_path(const char *root, const char *path, char *buf, size_t size)
{
	int n = snprintf(buf, size, "%s%s", root, path);

	return n < 0 || (size_t)n >= size ? -1 : 0;
}
