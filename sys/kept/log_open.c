/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Opens log files, folder by folder: each folder is judged before what is in it
 * is opened (doc/design/sys.md).
 */
#include "sys/kept/log_open.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define SHARED "in a folder that others may write to"

/* A folder on the way to the file. */
struct folder {
	int fd;		 /* AT_FDCWD at the start of a relative path */
	bool is_shared;	 /* others may make names in it */
	bool only_there; /* nothing is made on the way */
};

static void folder_close(struct folder *folder)
{
	close_fd(&folder->fd);
}

static bool is_shared(int fd)
{
	struct stat st;

	return fstatat(fd, ".", &st, 0) < 0 ||
	       (st.st_uid != 0 && st.st_uid != geteuid()) ||
	       (st.st_mode & (S_IWGRP | S_IWOTH));
}

/* The flag for opening what is in the folder. */
static int no_link(const struct folder *folder)
{
	return folder->is_shared ? O_NOFOLLOW : 0;
}

static bool is_link(const struct folder *folder, const char *name)
{
	struct stat st;

	return fstatat(folder->fd, name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
	       S_ISLNK(st.st_mode);
}

/* Go into the folder `name`, which is made if it is missing. Another node may
 * make it at the same time. Returns 0 or -1 with errno. */
static int enter(struct folder *folder, const char *name)
{
	int flags = O_PATH | O_DIRECTORY | O_CLOEXEC | no_link(folder);
	int fd = openat(folder->fd, name, flags);

	if (fd < 0 && errno == ENOENT && !folder->only_there) {
		if (mkdirat(folder->fd, name, 0755) < 0 && errno != EEXIST)
			return -1;
		fd = openat(folder->fd, name, flags);
	}
	if (fd < 0)
		return -1;
	folder_close(folder);
	folder->fd = fd;
	folder->is_shared = is_shared(fd);
	return 0;
}

static int can_not_enter(const struct folder *folder, const char *key,
			 const char *path, const char *name, struct err *err)
{
	int error = errno;

	if (folder->is_shared && is_link(folder, name))
		return err_printf(err,
				  "%s: %s is a symbolic link " SHARED
				  "; name a folder of your own",
				  key, path);
	return err_printf(err,
			  folder->only_there
				  ? "%s: can't open the folder %s: %s"
				  : "%s: can't open or make the folder %s: %s",
			  key, path, strerror(error));
}

/* Go to the file's folder. `path` is cut at each '/' for a moment.
 * *ret_name is where the file's name begins. */
static int enter_all(struct folder *folder, const char *key, char *path,
		     const char **ret_name, struct err *err)
{
	char *name = path;

	for (char *p = strchr(name, '/'); p; p = strchr(name, '/')) {
		int rc;

		*p = '\0';
		rc = p == path ? enter(folder, "/")
		     : *name   ? enter(folder, name)
			       : 0;
		if (rc < 0)
			return can_not_enter(folder, key, path, name, err);
		*p = '/';
		name = p + 1;
	}
	*ret_name = name;
	return 0;
}

/* Why this isn't a file of the user's; NULL: it is. */
static const char *fault(const struct folder *folder, const struct stat *st)
{
	if (S_ISCHR(st->st_mode))
		return folder->only_there ? "is a device, not a file" : NULL;
	if (!S_ISREG(st->st_mode))
		return S_ISDIR(st->st_mode) ? "is a folder, not a file"
					    : "is a pipe, not a file";
	if (!folder->is_shared)
		return NULL;
	if (st->st_uid != geteuid() && st->st_uid != 0)
		return "belongs to another user, " SHARED;
	return st->st_nlink > 1 ? "has a second name (hard link), " SHARED
				: NULL;
}

/* Why the file couldn't be opened. */
static const char *why_not(const struct folder *folder, const char *name,
			   int error)
{
	if (error == ENXIO)
		return "is a pipe or a socket, not a file";
	if (folder->is_shared && is_link(folder, name))
		return "is a symbolic link " SHARED;
	return NULL;
}

static int refuse(const char *key, const char *path, const char *why,
		  struct err *err)
{
	return err_printf(err,
			  "%s: %s %s; remove it, or name a file in a folder of "
			  "your own",
			  key, path, why);
}

/* O_NONBLOCK: a pipe without a reader is no reason to wait. */
static int open_name(const struct folder *folder, const char *name)
{
	int use = folder->only_there ? O_RDONLY : O_WRONLY | O_APPEND | O_CREAT;
	int flags = use | O_CLOEXEC | O_NOCTTY | O_NONBLOCK | no_link(folder);
	int fd;

	if (!*name) {
		errno = EISDIR;
		return -1;
	}
	fd = openat(folder->fd, name, flags, 0666);
	if (fd >= 0)
		fcntl(fd, F_SETFL, use & O_APPEND);
	return fd;
}

static int open_file(const struct folder *folder, const char *key,
		     const char *path, const char *name, struct err *err)
{
	cleanup_close int fd = open_name(folder, name);
	int error = errno, open_fd = fd;
	const char *why = fd < 0 ? why_not(folder, name, error) : NULL;
	struct stat st;

	if (fd >= 0 && fstat(fd, &st) == 0)
		why = fault(folder, &st);
	if (why)
		return refuse(key, path, why, err);
	if (fd < 0)
		return err_printf(err, "%s: can't open %s: %s", key, path,
				  strerror(error));
	fd = -1;
	return open_fd;
}

static struct folder start(bool only_there)
{
	return (struct folder){
		.fd = AT_FDCWD,
		.is_shared = is_shared(AT_FDCWD),
		.only_there = only_there,
	};
}

static int open_path(const char *key, const char *path, bool only_there,
		     struct err *err)
{
	struct folder folder = start(only_there);
	cleanup_free char *copy = strdup(path);
	const char *name;
	int fd = -1;

	if (!copy)
		return err_memory(err);
	if (enter_all(&folder, key, copy, &name, err) == 0)
		fd = open_file(&folder, key, path, name, err);
	folder_close(&folder);
	return fd;
}

int log_open(const char *key, const char *path, struct err *err)
{
	return open_path(key, path, false, err);
}

int log_open_to_read(const char *key, const char *path, struct err *err)
{
	return open_path(key, path, true, err);
}

int log_folder_of(const char *key, const char *path, const char **ret_name,
		  struct err *err)
{
	struct folder folder = start(true);
	cleanup_free char *copy = strdup(path);
	const char *name;

	if (!copy)
		return err_memory(err);
	if (enter_all(&folder, key, copy, &name, err) == 0 &&
	    (folder.fd >= 0 || enter(&folder, ".") == 0)) {
		*ret_name = path + (name - copy);
		return folder.fd;
	}
	folder_close(&folder);
	return -1;
}

int log_folder_open(const char *key, const char *path, struct err *err)
{
	struct folder folder = start(false);
	cleanup_free char *inside = NULL;
	const char *name;

	if (asprintf(&inside, "%s/", path) < 0)
		return err_memory(err);
	if (enter_all(&folder, key, inside, &name, err) == 0)
		return folder.fd;
	folder_close(&folder);
	return -1;
}
