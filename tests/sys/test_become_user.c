/* SPDX-License-Identifier: Apache-2.0 */
/* What is left of root's in programs that a command starts as a job's user. */
#include "sys/subprocess.h"

#include "tests/fixtures/unit.h"

#include <fcntl.h>
#include <grp.h>
#include <linux/keyctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define ALICE	 54321 /* nobody here has that number */
#define GROUP	 54322
#define LIMIT_MS 20000
#define FILE_FD	 50

static char told[8192];

static long session_keyring(void)
{
	return syscall(SYS_keyctl, KEYCTL_GET_KEYRING_ID,
		       KEY_SPEC_SESSION_KEYRING, 0);
}

/* As a program that the user may look into sees itself. */
static int look_as_alice(const int fd[2], const void *arg)
{
	static const char *const argv[] = {
		"/bin/sh", "-c", "env; id -u; id -g; id -G; ls /proc/self/fd",
		NULL};
	long ring = session_keyring();
	struct err err;

	(void)arg;
	if (become_user(ALICE, GROUP, &err) < 0) {
		dprintf(fd[1], "%s", err.text);
		return 1;
	}
	dprintf(fd[1], "dumpable %d\nring %s\n", prctl(PR_GET_DUMPABLE),
		ring > 0 && ring == session_keyring() ? "root's"
						      : "not root's");
	subprocess_ask_program(argv, LIMIT_MS, told, sizeof(told), &err);
	dprintf(fd[1], "%s", told);
	return 0;
}

static void has(const char *part)
{
	if (!strstr(told, part))
		fail_msg("no '%s' in\n%s", part, told);
}

static void has_not(const char *part)
{
	if (strstr(told, part))
		fail_msg("'%s' in\n%s", part, told);
}

static void root_gives(void)
{
	setenv("HOME", "/root", 1);
	setenv("TOKEN", "of root", 1);
	setenv("KRB5CCNAME", "/run/of-root", 1);
	setenv("SLURM_JWT", "of-root", 1);
	setenv("XDG_STATE_HOME", "/root/state", 1);
	setenv("SLURM_CONF", "/cluster/slurm.conf", 1);
	setenv("LC_ALL", "C", 1);
	assert_int_equal(dup2(STDIN_FILENO, FILE_FD), FILE_FD);
}

static void nothing_of_roots(void **state)
{
	struct err err;
	int rc;

	(void)state;
	if (geteuid() != 0)
		skip();
	root_gives();
	rc = subprocess_ask(look_as_alice, NULL, LIMIT_MS, told, sizeof(told),
			    &err);
	close(FILE_FD);
	assert_int_equal(rc, 0);
	has("dumpable 0\n");
	has("ring not root's\n");
	has("\n54321\n54322\n54322\n");
	has("SLURM_CONF=/cluster/slurm.conf\n");
	has("LC_ALL=C\n");
	has("PATH=");
	has("HOME=/\n");
	has_not("of root");
	has_not("of-root");
	has_not("/root/state");
	has_not("\n50\n");
}

static void another_may_not(void **state)
{
	struct err err;

	(void)state;
	if (geteuid() == 0)
		skip();
	assert_int_equal(become_user(geteuid() + 1, getegid(), &err), -1);
	assert_non_null(strstr(err.text, "can't become user"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_of_roots),
		cmocka_unit_test(another_may_not),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
