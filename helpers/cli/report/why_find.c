/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/cli/report/why_find.h"

#include "core/base/cleanup.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

struct newest {
	char *name; /* NULL: none */
	struct timespec at;
	bool failed; /* out of memory */
};

static bool is_newer(const struct newest *n, const struct timespec *t)
{
	if (t->tv_sec != n->at.tv_sec)
		return t->tv_sec > n->at.tv_sec;
	return t->tv_nsec > n->at.tv_nsec;
}

static void found(void *arg, const struct record_file *file)
{
	struct newest *n = arg;

	if (n->name && !is_newer(n, &file->changed))
		return;
	free(n->name);
	n->name = strdup(file->name);
	n->failed |= !n->name;
	n->at = file->changed;
}

static int find(const struct why_wish *wish, struct record_folder *folder,
		char **ret_path, char **ret_text, struct err *err)
{
	struct record_wish wanted = {.job = 0};
	struct newest newest = {.name = NULL};
	char *path = NULL;

	if (record_folder_open(wish->folder, folder, err) < 0)
		return -1;
	if (wish->step)
		wanted = record_wish_of(wish->step);
	wanted.also = wish->job;
	record_folder_each(folder, &wanted, found, &newest);
	if (!newest.name)
		return newest.failed ? err_memory(err) : 1;
	*ret_text = record_folder_read(folder, newest.name, &path, err);
	free(newest.name);
	if (path)
		*ret_path = path;
	return *ret_text ? 0 : -1;
}

int why_find(const struct why_wish *wish, char **ret_path, char **ret_text,
	     struct err *err)
{
	struct record_folder folder;
	int rc;

	*ret_path = *ret_text = NULL;
	rc = find(wish, &folder, ret_path, ret_text, err);
	if (!*ret_path) {
		*ret_path = folder.path;
		folder.path = NULL;
	}
	record_folder_close(&folder);
	return rc;
}
