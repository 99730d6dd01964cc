/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/recorders/keep.h"

#include "core/base/cleanup.h"
#include "core/base/parse.h"
#include "sys/folder.h"
#include "sys/io_full.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#define AS_FOLDER (O_RDONLY | O_DIRECTORY | O_CLOEXEC)
#define TEMPORARY ".new"

/* --- the folder --- */

/* Below `base`, made if it isn't there; -1: it is no folder of this user's that
 * nobody else can write to. */
static int enter(int base, const char *name)
{
	int fd;

	if (mkdirat(base, name, 0700) < 0 && errno != EEXIST)
		return -1;
	fd = folder_open_own(base, name, geteuid());
	if (fd >= 0 && !folder_keeps_names(fd)) {
		close(fd);
		errno = EPERM;
		return -1;
	}
	return fd;
}

/* The user's own path: it may have links. */
static int open_state(char path[PATH_MAX], const char *state, const char *home,
		      struct err *err)
{
	static const char *const below[] = {"/.local", "/state"};
	size_t n;
	int fd;

	if (!(state && *state == '/') && !(home && *home == '/'))
		return err_printf(err, "dumps aren't kept: neither "
				       "XDG_STATE_HOME nor HOME is a path");
	n = (size_t)snprintf(path, PATH_MAX, "%s",
			     state && *state == '/' ? state : home);
	if (state && *state == '/')
		mkdir(path, 0700);
	for (size_t i = 0; !(state && *state == '/') && i < 2; i++) {
		if (n < PATH_MAX)
			n += (size_t)snprintf(path + n, PATH_MAX - n, "%s",
					      below[i]);
		mkdir(path, 0700);
	}
	fd = n < PATH_MAX ? open(path, AS_FOLDER) : -1;
	if (fd < 0)
		err_printf(err, "dumps aren't kept: %s: %s", path,
			   strerror(errno));
	return fd;
}

/* --- older ones --- */

struct oldest {
	char name[NAME_MAX + 1];
	struct timespec at;
	unsigned n;
};

static void look(void *arg, int fd, const char *name)
{
	struct oldest *o = arg;
	struct stat st;

	if (fstatat(fd, name, &st, AT_SYMLINK_NOFOLLOW) < 0 ||
	    !S_ISDIR(st.st_mode) || st.st_uid != geteuid() ||
	    !is_word(name, ".+_-", NAME_MAX))
		return;
	if (o->n++ && (st.st_mtim.tv_sec > o->at.tv_sec ||
		       (st.st_mtim.tv_sec == o->at.tv_sec &&
			st.st_mtim.tv_nsec >= o->at.tv_nsec)))
		return;
	o->at = st.st_mtim;
	snprintf(o->name, sizeof(o->name), "%s", name);
}

static void remove_old(int dumps)
{
	for (unsigned i = 0; i < KEEP_STEPS; i++) {
		struct oldest o = {.n = 0};
		cleanup_close int fd = -1;

		folder_each(dumps, look, &o);
		if (o.n <= KEEP_STEPS)
			return;
		fd = folder_open_own(dumps, o.name, geteuid());
		if (fd < 0)
			return;
		folder_empty(fd);
		unlinkat(dumps, o.name, AT_REMOVEDIR);
	}
}

int keep_open(struct keep *keep, const char *state, const char *home,
	      const char *step, size_t limit, struct err *err)
{
	char path[PATH_MAX];
	cleanup_close int base = open_state(path, state, home, err);
	cleanup_close int own = -1, dumps = -1;
	int fd;

	if (base < 0)
		return -1;
	own = enter(base, "dist-train");
	dumps = own < 0 ? -1 : enter(own, "dumps");
	fd = dumps < 0 ? -1 : enter(dumps, step);
	if (fd < 0)
		return err_printf(err,
				  "dumps aren't kept: %s/dist-train/dumps/%s: "
				  "%s",
				  path, step, strerror(errno));
	*keep = (struct keep){.fd = fd, .left = limit};
	if (snprintf(keep->path, sizeof(keep->path), "%s/dist-train/dumps/%s",
		     path, step) >= (int)sizeof(keep->path))
		*keep->path = '\0';
	remove_old(dumps);
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
