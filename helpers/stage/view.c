/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/stage/view.h"

#include "sys/subprocess.h"
#include "sys/user_namespace.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

#define READY  "ready"
#define END_MS 1000

/* What a file system was mounted with stays locked in a namespace below. */
static const struct {
	unsigned long has, means;
} kept_flags[] = {
	{ST_NOEXEC, MS_NOEXEC},
	{ST_NOATIME, MS_NOATIME},
	{ST_NODIRATIME, MS_NODIRATIME},
	{ST_RELATIME, MS_RELATIME},
};

struct making {
	const struct view_spec *spec;
	const struct overlay *overlay;
};

/* The new mount at `path`, which is on top of what was opened before. */
static int protect(const char *path, const struct stat *copy)
{
	cleanup_close int fd = open(path, O_PATH | O_CLOEXEC);
	unsigned long flags = MS_RDONLY | MS_NOSUID | MS_NODEV;
	struct statvfs vfs;
	struct stat st;
	char at[64];

	if (fd < 0 || fstat(fd, &st) < 0 || st.st_dev != copy->st_dev ||
	    st.st_ino != copy->st_ino || fstatvfs(fd, &vfs) < 0)
		return -1;
	for (size_t i = 0; i < sizeof(kept_flags) / sizeof(*kept_flags); i++)
		if (vfs.f_flag & kept_flags[i].has)
			flags |= kept_flags[i].means;
	snprintf(at, sizeof(at), "/proc/self/fd/%d", fd);
	return mount(NULL, at, NULL, MS_REMOUNT | MS_BIND | flags, NULL);
}

/* A descriptor of another mount namespace can't be mounted: the folder is
 * opened again, and must be what is held. */
static int open_again(const char *path, int held)
{
	int fd = open(path, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	struct stat there, here;

	if (fd < 0 ||
	    (fstat(fd, &here) == 0 && fstat(held, &there) == 0 &&
	     here.st_dev == there.st_dev && here.st_ino == there.st_ino))
		return fd;
	close(fd);
	errno = ESTALE;
	return -1;
}

/* A single file has no layer. */
static bool is_folder(int fd)
{
	struct stat st;

	return fstat(fd, &st) == 0 && S_ISDIR(st.st_mode);
}

static int show_layered(const struct making *m, unsigned i, int copy,
			int target)
{
	char path[PATH_MAX];
	cleanup_close int at = -1;

	snprintf(path, sizeof(path), "%s/%s.part", m->spec->path,
		 m->overlay->id);
	at = open_again(path, m->overlay->at);
	return at < 0 ? -1 : overlay_mount(at, i, copy, target);
}

static int show_read_only(const struct view_mount *m, int copy, int target)
{
	char from[64], to[64];
	struct stat st;

	if (fstat(copy, &st) < 0)
		return -1;
	snprintf(from, sizeof(from), "/proc/self/fd/%d", copy);
	snprintf(to, sizeof(to), "/proc/self/fd/%d", target);
	if (mount(from, to, NULL, MS_BIND, NULL) < 0)
		return -1;
	return protect(m->path, &st);
}

static int show_one(const struct making *making, unsigned i)
{
	const struct view_mount *m = &making->spec->mount[i];
	cleanup_close int folder = open_again(m->from, m->fd);
	cleanup_close int copy = -1;
	cleanup_close int target =
		open(m->path, O_PATH | O_NOFOLLOW | O_CLOEXEC);

	if (folder < 0 || target < 0)
		return -1;
	copy = openat(folder, m->name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	if (copy < 0)
		return -1;
	return making->spec->writes && is_folder(copy)
		       ? show_layered(making, i, copy, target)
		       : show_read_only(m, copy, target);
}

static int tell(int fd, const char *text)
{
	ssize_t n = write(fd, text, strlen(text));

	return n < 0;
}

static int failed(int fd, const struct view_spec *spec, const char *path)
{
	char text[512];

	snprintf(text, sizeof(text), "%.300s: %s%s", path, strerror(errno),
		 spec->writes ? "; an overlay needs Linux 5.11" : "");
	return tell(fd, text);
}

/* In the fork: it stays until the launcher ends it, or has ended. */
static int make(const int fd[2], const void *arg)
{
	const struct making *m = arg;
	struct err err;
	char end;

	if (user_namespace_enter(&err) < 0)
		return tell(fd[1], err.text);
	for (unsigned i = 0; i < m->spec->nmounts; i++)
		if (show_one(m, i) < 0)
			return failed(fd[1], m->spec, m->spec->mount[i].path);
	close_others(fd, 2); /* or connections and locks would stay open */
	if (tell(fd[1], READY))
		return 1;
	return (int)read(fd[0], &end, 1);
}

static int open_namespace(pid_t pid, const char *name)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/ns/%s", (int)pid, name);
	return open(path, O_RDONLY | O_CLOEXEC);
}

static int open_both(pid_t pid, struct child_view *ret)
{
	ret->user = open_namespace(pid, "user");
	ret->mounts = open_namespace(pid, "mnt");
	if (ret->user >= 0 && ret->mounts >= 0)
		return 0;
	child_view_close(ret);
	return -1;
}

static unsigned long number_of(int ns)
{
	struct stat st;

	return fstat(ns, &st) < 0 ? 0 : (unsigned long)st.st_ino;
}

/* --- of several launchers --- */

/* PID USER MOUNTS ID: of who has made them, their numbers, since another
 * process may have his by now, and the layer's; "-": there is none. */
static int join(int file, const struct view_spec *spec, struct view *ret)
{
	char text[128] = "", id[OVERLAY_ID_SIZE];
	unsigned long user, mounts;
	int pid;

	if (pread(file, text, sizeof(text) - 1, 0) <= 0 ||
	    sscanf(text, "%d %lu %lu %32s", &pid, &user, &mounts, id) != 4 ||
	    open_both(pid, &ret->ns) < 0)
		return -1;
	if (number_of(ret->ns.user) == user &&
	    number_of(ret->ns.mounts) == mounts &&
	    (!spec->writes ||
	     overlay_join(spec->folder, id, &ret->overlay) == 0))
		return 0;
	child_view_close(&ret->ns);
	return -1;
}

static void invite(int file, const struct view *view)
{
	const char *id = view->overlay.id;
	char text[128];
	int n = snprintf(text, sizeof(text), "%d %lu %lu %s\n",
			 (int)view->maker.pid, number_of(view->ns.user),
			 number_of(view->ns.mounts), *id ? id : "-");

	if (ftruncate(file, 0) < 0 || pwrite(file, text, (size_t)n, 0) != n)
		return; /* each has its own */
}

/* --- of one --- */

static void end_maker(struct view *view)
{
	if (!view->maker.pid)
		return;
	subprocess_kill(&view->maker, SIGKILL);
	subprocess_wait(&view->maker, END_MS, NULL);
	subprocess_close(&view->maker);
	view->maker.pid = 0;
}

static int take(struct view *view, struct err *err)
{
	char text[512];
	ssize_t n = read(view->maker.out, text, sizeof(text) - 1);

	text[n > 0 ? n : 0] = '\0';
	if (strcmp(text, READY) != 0)
		return err_printf(err, "%s",
				  *text ? text : "no user namespace");
	if (open_both(view->maker.pid, &view->ns) < 0)
		return err_printf(err, "no user namespace: %s",
				  strerror(errno));
	return 0;
}

static int make_own(const struct view_spec *spec, struct view *view,
		    struct err *err)
{
	const struct making making = {
		.spec = spec,
		.overlay = &view->overlay,
	};
	const struct subprocess_spec child = {
		.run = make,
		.arg = &making,
		.flags = SUBPROCESS_IN | SUBPROCESS_OUT,
	};

	if (spec->writes &&
	    overlay_open(spec->folder, spec->nmounts, &view->overlay, err) < 0)
		return -1;
	if (subprocess_start(&child, &view->maker, err) == 0) {
		if (take(view, err) == 0)
			return 0;
		end_maker(view);
	}
	overlay_close(&view->overlay);
	return -1;
}

/* Locked against others who look at it. One that was left is removed by who
 * finds it (helpers/copies/cache.c), perhaps at this moment. */
static int open_file(const struct view_spec *spec)
{
	struct stat st;
	int fd;

	for (;;) {
		fd = openat(spec->folder, spec->name,
			    O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
		if (fd < 0 || (flock(fd, LOCK_EX) == 0 && fstat(fd, &st) == 0 &&
			       st.st_nlink))
			return fd;
		close(fd);
	}
}

/* From now on others may look at it, and find that it is somebody's. */
static void keep_file(int file, struct view *view)
{
	struct flock held = {.l_type = F_RDLCK, .l_whence = SEEK_SET};

	fcntl(file, F_OFD_SETLK, &held);
	flock(file, LOCK_UN);
	view->file = file;
}

int view_open(const struct view_spec *spec, struct view *ret, struct err *err)
{
	int file = open_file(spec);

	*ret = (struct view){
		.ns = {-1, -1}, .folder = spec->folder, .file = -1};
	if (file < 0)
		return err_printf(err, "%s: %s", spec->name, strerror(errno));
	if (join(file, spec, ret) == 0) {
		close(file);
		return 0;
	}
	if (make_own(spec, ret, err) < 0) {
		unlinkat(spec->folder, spec->name, 0);
		close(file);
		return -1;
	}
	snprintf(ret->name, sizeof(ret->name), "%s", spec->name);
	invite(file, ret);
	keep_file(file, ret);
	return 0;
}

void view_close(struct view *view)
{
	child_view_close(&view->ns);
	end_maker(view);
	if (*view->name) {
		unlinkat(view->folder, view->name, 0);
		close(view->file);
	}
	*view->name = '\0';
	overlay_close(&view->overlay);
}
