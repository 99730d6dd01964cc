/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/part/launch_view.h"

#include "core/plan/framework.h"

#include <stdio.h>
#include <stdlib.h>

void launch_error_file(const struct launch *l, unsigned rank, char *buf,
		       size_t size)
{
	const struct launch_view *v = launch_view(l);
	char path[ERROR_FILE_SIZE];

	*buf = '\0';
	if (*v->run_dir->path && v->plan->resolved.needs & NEEDS_ERROR_FILE)
		snprintf(buf, size, "%s",
			 error_file_path(v->run_dir->path, rank, v->job->round,
					 path));
}

/* Its place; or the first free one, where it has none. */
static struct own *find(const struct launch *l, const void *of)
{
	struct own *at = launch_view(l)->own;

	while (at->of && at->of != of)
		at++;
	return at;
}

void *own_of(const struct launch *l, const void *of)
{
	return find(l, of)->data;
}

int own_make(struct launch *l, const void *of, size_t size, struct err *err)
{
	struct own *at = size ? find(l, of) : NULL;

	if (!at || at->data)
		return 0;
	at->data =
		at < launch_view(l)->own + OWN_MAX - 1 ? calloc(1, size) : NULL;
	if (!at->data)
		return err_memory(err);
	at->of = of;
	return 0;
}

void own_free(struct launch *l)
{
	for (struct own *at = launch_view(l)->own; at->of; at++) {
		free(at->data);
		*at = (struct own){0};
	}
}
