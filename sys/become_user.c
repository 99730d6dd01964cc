/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/subprocess.h"

#include <fcntl.h>
#include <grp.h>
#include <linux/keyctl.h>
#include <pwd.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define FILES_MAX 1024

/* What programs of Slurm and MUNGE are found by, and how they print; none of
 * them is a secret. "LC_" stands for all that begin so. */
static const char *const kept[] = {
	"PATH=",       "LD_LIBRARY_PATH=",
	"SLURM_CONF=", "SLURM_CLUSTERS=",
	"TZ=",	       "LANG=",
	"LANGUAGE=",   "LC_",
	"TERM=",       "COLORTERM=",
	"NO_COLOR=",   "COLUMNS=",
	"LINES=",
};

#define NKEPT (sizeof(kept) / sizeof(*kept))

static bool is_kept(const char *entry)
{
	for (size_t i = 0; i < NKEPT; i++)
		if (!strncmp(entry, kept[i], strlen(kept[i])))
			return true;
	return false;
}

static int clean_environment(const char *home)
{
	size_t n = 0;
	char **left;

	while (environ && environ[n])
		n++;
	left = calloc(n + 1, sizeof(*left));
	if (!left)
		return -1;
	n = 0;
	for (char **e = environ; e && *e; e++)
		if (is_kept(*e))
			left[n++] = *e;
	clearenv();
	for (size_t i = 0; i < n; i++)
		putenv(left[i]);
	free(left);
	return setenv("HOME", home, 1);
}

/* What a shell has handed to us, and what is open here. */
static void close_on_exec(void)
{
	for (int fd = STDERR_FILENO + 1; fd < FILES_MAX; fd++)
		fcntl(fd, F_SETFD, FD_CLOEXEC);
}

int become_user(uid_t uid, gid_t gid, struct err *err)
{
	const struct passwd *user = getpwuid(uid);

	if (clean_environment(user ? user->pw_dir : "/") < 0)
		return err_memory(err);
	close_on_exec();
	syscall(SYS_keyctl, KEYCTL_JOIN_SESSION_KEYRING, NULL);
	/* what the kernel makes of PR_SET_DUMPABLE by itself depends on
	 * fs.suid_dumpable */
	if ((user ? initgroups(user->pw_name, gid) : setgroups(0, NULL)) < 0 ||
	    setgid(gid) < 0 || setuid(uid) < 0 || prctl(PR_SET_DUMPABLE, 0) < 0)
		return err_printf(err, "can't become user %u", (unsigned)uid);
	return 0;
}
