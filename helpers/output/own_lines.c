/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/output/output.h"

#include <stdio.h>
#include <stdlib.h>

#define CLOSE_WAIT_MS 10000

static void start(struct own_lines *own)
{
	struct err unused;

	own->thread = calloc(1, sizeof(*own->thread));
	if (!own->thread || io_thread_start(own->thread, &unused) == 0)
		return;
	io_thread_close(own->thread, 0);
	free(own->thread);
	own->thread = NULL;
}

void own_lines_say(struct own_lines *own, const char *lines)
{
	if (!own->thread)
		start(own);
	if (own->thread)
		io_thread_say(own->thread, lines);
	else
		fputs(lines, stderr);
}

void own_lines_close(struct own_lines *own)
{
	if (own->thread && io_thread_close(own->thread, CLOSE_WAIT_MS))
		free(own->thread);
	own->thread = NULL;
}
