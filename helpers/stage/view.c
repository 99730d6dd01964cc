/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/stage/view.h"

#include "sys/subprocess.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
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
	const struct view_mount *mounts;
	unsigned n;
	uid_t uid;
	gid_t gid;
};

static int write_line(const char *path, const char *line)
{
	cleanup_close int fd = open(path, O_WRONLY | O_CLOEXEC);
	ssize_t n = (ssize_t)strlen(line);

	return fd >= 0 && write(fd, line, (size_t)n) == n ? 0 : -1;
}

/* The user stays who he is; a process of his may map nobody else. */
static int be_oneself(const struct making *m)
{
	char uid[64], gid[64];

	snprintf(uid, sizeof(uid), "%u %u 1\n", m->uid, m->uid);
	snprintf(gid, sizeof(gid), "%u %u 1\n", m->gid, m->gid);
	if (write_line("/proc/self/setgroups", "deny") < 0 && errno != ENOENT)
		return -1;
	return write_line("/proc/self/uid_map", uid) < 0 ||
			       write_line("/proc/self/gid_map", gid) < 0
		       ? -1
		       : 0;
}

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

/* A descriptor of another mount namespace can't be mounted: the copy is opened
 * again, and must be what is held. */
static int open_copy(const struct view_mount *m)
{
	cleanup_close int folder =
		open(m->from, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	struct stat held, here;

	if (folder < 0 || fstat(folder, &here) < 0 || fstat(m->fd, &held) < 0)
		return -1;
	if (here.st_dev != held.st_dev || here.st_ino != held.st_ino) {
		errno = ESTALE;
		return -1;
	}
	return openat(folder, m->name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
}

static int show_one(const struct view_mount *m)
{
	cleanup_close int copy = open_copy(m);
	cleanup_close int target =
		open(m->path, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	char from[64], to[64];
	struct stat st;

	if (copy < 0 || target < 0 || fstat(copy, &st) < 0)
		return -1;
	snprintf(from, sizeof(from), "/proc/self/fd/%d", copy);
	snprintf(to, sizeof(to), "/proc/self/fd/%d", target);
	if (mount(from, to, NULL, MS_BIND, NULL) < 0)
		return -1;
	return protect(m->path, &st);
}

static int tell(int fd, const char *text)
{
	ssize_t n = write(fd, text, strlen(text));

	return n < 0;
}

static int failed(int fd, const char *what)
{
	char text[512];

	snprintf(text, sizeof(text), "%.300s: %s", what, strerror(errno));
	return tell(fd, text);
}

/* In the fork: it stays until the launcher ends it, or has ended. */
static int make(const int fd[2], const void *arg)
{
	const struct making *m = arg;
	char end;

	if (unshare(CLONE_NEWUSER | CLONE_NEWNS) < 0)
		return failed(fd[1], "no user namespace");
	if (be_oneself(m) < 0)
		return failed(fd[1], "no user in the user namespace");
	for (unsigned i = 0; i < m->n; i++)
		if (show_one(&m->mounts[i]) < 0)
			return failed(fd[1], m->mounts[i].path);
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

/* PID USER MOUNTS: of who has made them, and their numbers, since another
 * process may have his by now. */
static int join(int file, struct child_view *ret)
{
	char text[128] = "";
	unsigned long user, mounts;
	int pid;

	if (pread(file, text, sizeof(text) - 1, 0) <= 0 ||
	    sscanf(text, "%d %lu %lu", &pid, &user, &mounts) != 3 ||
	    open_both(pid, ret) < 0)
		return -1;
	if (number_of(ret->user) == user && number_of(ret->mounts) == mounts)
		return 0;
	child_view_close(ret);
	return -1;
}

static void invite(int file, const struct view *view)
{
	char text[128];
	int n = snprintf(text, sizeof(text), "%d %lu %lu\n",
			 (int)view->maker.pid, number_of(view->ns.user),
			 number_of(view->ns.mounts));

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

static int make_own(const struct view_mount *mounts, unsigned n,
		    struct view *view, struct err *err)
{
	const struct making making = {
		.mounts = mounts,
		.n = n,
		.uid = geteuid(),
		.gid = getegid(),
	};
	const struct subprocess_spec spec = {
		.run = make,
		.arg = &making,
		.flags = SUBPROCESS_IN | SUBPROCESS_OUT,
	};

	if (subprocess_start(&spec, &view->maker, err) < 0)
		return -1;
	if (take(view, err) == 0)
		return 0;
	end_maker(view);
	return -1;
}

int view_open(int folder, const char *name, const struct view_mount *mounts,
	      unsigned n, struct view *ret, struct err *err)
{
	cleanup_close int file = openat(
		folder, name, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);

	*ret = (struct view){.ns = {-1, -1}, .folder = folder};
	if (file < 0 || flock(file, LOCK_EX) < 0)
		return err_printf(err, "%s: %s", name, strerror(errno));
	if (join(file, &ret->ns) == 0)
		return 0;
	if (make_own(mounts, n, ret, err) < 0) {
		unlinkat(folder, name, 0);
		return -1;
	}
	snprintf(ret->name, sizeof(ret->name), "%s", name);
	invite(file, ret);
	return 0;
}

void view_close(struct view *view)
{
	child_view_close(&view->ns);
	end_maker(view);
	if (*view->name)
		unlinkat(view->folder, view->name, 0);
	*view->name = '\0';
}
