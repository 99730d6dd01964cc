/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/recorders/recorders.h"

#include "sys/kept/state_folder.h"
#include "sys/text_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define KEY	  "dumps aren't kept"
#define TEMPORARY ".new"

/* The folder for all steps' dumps: its path into keep->path. */
static int open_dumps(struct keep *keep, struct err *err)
{
	cleanup_free char *state = state_folder_path();
	cleanup_close int fd = -1;

	if (!state)
		return err_printf(err, KEY ": neither XDG_STATE_HOME nor HOME "
					   "is a path");
	fd = state_folder_open(KEY, state, err);
	snprintf(keep->path, sizeof(keep->path), "%s/dumps", state);
	return fd < 0 ? -1 : state_folder_enter(KEY, fd, keep->path, err);
}

int keep_open(struct keep *keep, const char *step, size_t limit,
	      struct err *err)
{
	struct keep k = {.left = limit};
	cleanup_close int dumps = open_dumps(&k, err);
	size_t n = strlen(k.path);

	if (dumps < 0)
		return -1;
	state_folder_prune(dumps, "", KEEP_STEPS - 1);
	snprintf(k.path + n, sizeof(k.path) - n, "/%s", step);
	k.fd = state_folder_enter(KEY, dumps, k.path, err);
	if (k.fd < 0)
		return -1;
	*keep = k;
	return 0;
}

void keep_close(struct keep *keep)
{
	close(keep->fd);
}

/* --- files --- */

static int write_new(int folder, const char *name, const void *data, size_t n)
{
	cleanup_close int fd = -1;

	unlinkat(folder, name, 0);
	fd = openat(folder, name,
		    O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	return fd < 0 ? -1 : write_full(fd, data, n);
}

int keep_file(struct keep *keep, const char *name, const void *data, size_t n,
	      struct err *err)
{
	char temporary[NAME_MAX + 1];

	if (n > keep->left)
		return err_printf(err,
				  "%s isn't kept: its %zu bytes are more than "
				  "this node's share of the step's 64 MiB",
				  name, n);
	snprintf(temporary, sizeof(temporary), "%.200s" TEMPORARY, name);
	if (write_new(keep->fd, temporary, data, n) < 0 ||
	    renameat(keep->fd, temporary, keep->fd, name) < 0) {
		err_printf(err, "%s/%s: %s", keep->path, name, strerror(errno));
		unlinkat(keep->fd, temporary, 0);
		return -1;
	}
	keep->left -= n;
	keep->nbytes += n;
	keep->nfiles++;
	return 0;
}
