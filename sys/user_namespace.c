/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/user_namespace.h"

#include "sys/subprocess.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>

#define CHECK_MS 5000

/* What an administrator forbids them with: `forbids` is its value then. */
static const struct {
	const char *file, *name;
	char forbids;
} settings[] = {
	{"/proc/sys/user/max_user_namespaces", "user.max_user_namespaces", '0'},
	{"/proc/sys/kernel/unprivileged_userns_clone",
	 "kernel.unprivileged_userns_clone", '0'},
	{"/proc/sys/kernel/apparmor_restrict_unprivileged_userns",
	 "kernel.apparmor_restrict_unprivileged_userns", '1'},
};

/* The setting that forbids it, with its value; "": none is known to. */
static void find_setting(char ret[80])
{
	*ret = '\0';
	for (size_t i = 0; i < sizeof(settings) / sizeof(*settings); i++) {
		cleanup_close int fd =
			open(settings[i].file, O_RDONLY | O_CLOEXEC);
		char value[2] = "";

		if (fd >= 0 && read(fd, value, 2) == 2 &&
		    value[0] == settings[i].forbids && value[1] == '\n')
			snprintf(ret, 80, "; %s is %c", settings[i].name,
				 *value);
	}
}

static int failed(const char *what, struct err *err)
{
	int why = errno;
	char setting[80];

	find_setting(setting);
	return err_printf(err, "%s: %s%s", what, strerror(why), setting);
}

static int write_line(const char *path, const char *line)
{
	cleanup_close int fd = open(path, O_WRONLY | O_CLOEXEC);
	ssize_t n = (ssize_t)strlen(line);

	return fd >= 0 && write(fd, line, (size_t)n) == n ? 0 : -1;
}

/* A process of the user's may map nobody else. */
static int be_oneself(uid_t user, gid_t group)
{
	char uid[64], gid[64];

	snprintf(uid, sizeof(uid), "%u %u 1\n", user, user);
	snprintf(gid, sizeof(gid), "%u %u 1\n", group, group);
	if (write_line("/proc/self/setgroups", "deny") < 0 && errno != ENOENT)
		return -1;
	return write_line("/proc/self/uid_map", uid) < 0 ||
			       write_line("/proc/self/gid_map", gid) < 0
		       ? -1
		       : 0;
}

/* The mount changes nothing, and isn't valid in a chroot; AppArmor refuses none
 * of the calls before it. */
int user_namespace_enter(struct err *err)
{
	uid_t user = geteuid();
	gid_t group = getegid();

	if (unshare(CLONE_NEWUSER | CLONE_NEWNS) < 0)
		return failed("no user namespace", err);
	if (be_oneself(user, group) < 0)
		return failed("no user in the user namespace", err);
	if (mount(NULL, "/", NULL, MS_REC | MS_SLAVE, NULL) < 0 &&
	    errno != EINVAL)
		return failed("no mount in the user namespace", err);
	return 0;
}

static int try(const int fd[2], const void *arg)
{
	struct err err;

	(void)arg;
	return user_namespace_enter(&err) < 0 &&
	       write(fd[1], err.text, strlen(err.text)) < 0;
}

int user_namespace_check(struct err *err)
{
	char why[512];

	if (subprocess_ask(try, NULL, CHECK_MS, why, sizeof(why), err) < 0)
		return -1;
	return *why ? err_printf(err, "%s", why) : 0;
}
