/* SPDX-License-Identifier: Apache-2.0 */
/* What slurmstepd's process removes for the job's user, and what it leaves. */
#include "spank/node/step_cleanup.h"

#include "spank/slurm/step_job.h"
#include "sys/folder.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#define ALICE	 61001
#define BOB	 61002
#define OWN	 "dist-train-7.0.0-n0-abcdef"
#define LEVELS	 20000
#define FILES	 100000
#define MEMORY_K 8192 /* kB that the process may use more than this one */

static char base[64];
static struct step_cleanup job;

/* --- what stands in for Slurm -------------------------------------------- */

int job_owner(spank_t sp, struct step_owner *ret)
{
	(void)sp;
	(void)ret;
	return -1;
}

int job_ended_task(spank_t sp, pid_t *ret_pid, bool *ret_killed)
{
	(void)sp;
	(void)ret_pid;
	(void)ret_killed;
	return -1;
}

/* --- what the process is like when it becomes the user, and at its end ---- */

static struct seen {
	bool user;		    /* it has become the user */
	int files_at_setuid, files; /* descriptors below 64 */
	int dumpable;
	bool blocked, at_root;
	struct rlimit core, data, open;
	unsigned seconds; /* until SIGALRM */
} * seen;

static int count_files(void)
{
	int n = 0;

	for (int fd = 0; fd < 64; fd++)
		n += fcntl(fd, F_GETFD) >= 0;
	return n;
}

int setuid(uid_t uid)
{
	seen->files_at_setuid = count_files();
	seen->user = syscall(SYS_setuid, uid) == 0;
	return seen->user ? 0 : -1;
}

void _exit(int code)
{
	char cwd[16] = "";
	sigset_t set;

	if (seen && seen->user) {
		sigprocmask(SIG_BLOCK, NULL, &set);
		seen->blocked = sigismember(&set, SIGALRM) ||
				sigismember(&set, SIGTERM);
		seen->files = count_files();
		seen->dumpable = prctl(PR_GET_DUMPABLE);
		seen->at_root = getcwd(cwd, sizeof(cwd)) && !strcmp(cwd, "/");
		getrlimit(RLIMIT_CORE, &seen->core);
		getrlimit(RLIMIT_DATA, &seen->data);
		getrlimit(RLIMIT_NOFILE, &seen->open);
		seen->seconds = alarm(0);
	}
	for (;;)
		syscall(SYS_exit_group, code);
}

/* --- a folder of run folders ---------------------------------------------- */

static const char *at(const char *name)
{
	static char path[2][256];
	static int i;

	i = !i;
	snprintf(path[i], sizeof(path[i]), "%s/%s", base, name);
	return path[i];
}

static bool is_there(const char *name)
{
	struct stat st;

	return lstat(at(name), &st) == 0;
}

static void make(uid_t user, const char *name, mode_t mode)
{
	assert_int_equal(mkdir(at(name), 0700), 0);
	assert_int_equal(chmod(at(name), mode), 0);
	assert_int_equal(chown(at(name), user, user), 0);
}

static void touch(uid_t user, const char *name)
{
	int fd = open(at(name), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);

	assert_true(fd >= 0);
	assert_int_equal(fchown(fd, user, user), 0);
	close(fd);
}

/* The process's end; nobody else waits for it. */
static struct rusage end_of_process(void)
{
	struct rusage use;
	int status;

	assert_true(wait4(-1, &status, 0, &use) > 0);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
	return use;
}

static long run(void)
{
	struct rusage own;
	long used;

	memset(seen, 0, sizeof(*seen));
	step_cleanup_run(&job);
	used = end_of_process().ru_maxrss;
	getrusage(RUSAGE_SELF, &own);
	assert_true(seen->user);
	return used - own.ru_maxrss;
}

static int begin(void **state)
{
	(void)state;
	strcpy(base, "/tmp/test_step_cleanup.XXXXXX");
	if (!mkdtemp(base) || chmod(base, 01777) < 0)
		return -1;
	job = (struct step_cleanup){.on = true,
				    .folder = true,
				    .uid = ALICE,
				    .gid = ALICE,
				    .nleft = 1};
	strcpy(job.base, base);
	strcpy(job.prefix, "dist-train-7.0.");
	return 0;
}

static int end(void **state)
{
	char command[128];

	(void)state;
	umount2(at(OWN "/m"), MNT_DETACH);
	snprintf(command, sizeof(command), "rm -rf %s", base);
	return system(command) != 0;
}

/* --- the cases --------------------------------------------------------------
 */

static void removes_run_folder(void **state)
{
	(void)state;
	make(ALICE, OWN, 0700);
	make(ALICE, OWN "/d", 0755);
	make(ALICE, OWN "/d/e", 0700);
	touch(ALICE, OWN "/f");
	touch(ALICE, OWN "/d/e/f");
	make(ALICE, "dist-train-7.1.0-n0-abcdef", 0700);
	make(ALICE, "dist-train-7.0.0-n1-abcdef", 0700);
	run();
	assert_false(is_there(OWN));
	assert_true(is_there("dist-train-7.1.0-n0-abcdef"));
	assert_true(is_there("dist-train-7.0.0-n1-abcdef"));
}

/* Bob gives a folder of his a name of alice's launchers. */
static void leaves_folder_of_another(void **state)
{
	(void)state;
	make(BOB, OWN, 0777);
	make(ALICE, OWN "/r", 0755);
	touch(ALICE, OWN "/r/f");
	touch(ALICE, OWN "/f");
	run();
	assert_true(is_there(OWN "/r/f"));
	assert_true(is_there(OWN "/f"));
}

/* Ray lets everybody write to the folder: what bob has put there stays. */
static void leaves_folder_of_another_inside(void **state)
{
	(void)state;
	make(ALICE, OWN, 0777);
	touch(ALICE, OWN "/f");
	make(BOB, OWN "/pub", 0777);
	touch(ALICE, OWN "/pub/f");
	run();
	assert_true(is_there(OWN "/pub/f"));
	assert_false(is_there(OWN "/f"));
}

static void removes_folder_open_to_others(void **state)
{
	(void)state;
	make(ALICE, OWN, 0777);
	make(ALICE, OWN "/d", 0777);
	touch(ALICE, OWN "/d/f");
	run();
	assert_false(is_there(OWN));
}

/* Where bob can rename alice's own folders, it is left whatever its name. */
static void leaves_folder_that_others_can_rename(void **state)
{
	static const struct {
		uid_t owner;
		mode_t mode;
	} open[] = {{0, 0777}, {0, 0775}, {BOB, 01777}, {BOB, 0755}};

	(void)state;
	make(ALICE, OWN, 0700);
	touch(ALICE, OWN "/f");
	for (size_t i = 0; i < sizeof(open) / sizeof(*open); i++) {
		assert_int_equal(chown(base, open[i].owner, 0), 0);
		assert_int_equal(chmod(base, open[i].mode), 0);
		run();
		assert_true(is_there(OWN "/f"));
	}
	assert_int_equal(chown(base, ALICE, 0), 0);
	assert_int_equal(chmod(base, 0700), 0);
	run();
	assert_false(is_there(OWN));
}

static void follows_no_link(void **state)
{
	(void)state;
	make(ALICE, "data", 0700);
	touch(ALICE, "data/f");
	assert_int_equal(symlink("data", at(OWN)), 0);
	assert_int_equal(lchown(at(OWN), ALICE, ALICE), 0);
	make(ALICE, OWN "2", 0700);
	assert_int_equal(symlink("../data", at(OWN "2/link")), 0);
	run();
	assert_true(is_there("data/f"));
	assert_false(is_there(OWN "2"));
}

static void stays_on_file_system(void **state)
{
	(void)state;
	make(ALICE, OWN, 0700);
	make(ALICE, OWN "/m", 0700);
	if (unshare(CLONE_NEWNS) < 0 ||
	    mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0 ||
	    mount("tmpfs", at(OWN "/m"), "tmpfs", 0, "mode=777") < 0) {
		print_message("may not mount a file system\n");
		skip();
	}
	touch(ALICE, OWN "/m/f");
	run();
	assert_true(is_there(OWN "/m/f"));
}

/* As a task can make them: each folder in the one before. */
static void make_levels(void)
{
	int fd = open(at(OWN), O_RDONLY | O_DIRECTORY | O_CLOEXEC), next;

	assert_int_equal(seteuid(ALICE), 0);
	for (int i = 0; i < LEVELS; i++) {
		assert_int_equal(mkdirat(fd, "d", 0700), 0);
		next = openat(fd, "d", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		assert_true(next >= 0);
		close(fd);
		fd = next;
	}
	close(fd);
	assert_int_equal(seteuid(0), 0);
}

static void is_bounded_by_depth(void **state)
{
	long used;

	(void)state;
	make(ALICE, OWN, 0700);
	make_levels();
	touch(ALICE, OWN "/f");
	used = run();
	print_message("%d levels: %ld kB more than the test\n", LEVELS, used);
	assert_true(used < MEMORY_K);
	assert_false(is_there(OWN "/f"));
	assert_true(is_there(OWN "/d"));
}

static void is_bounded_by_number(void **state)
{
	char name[64];
	long used;

	(void)state;
	make(ALICE, OWN, 0700);
	for (int i = 0; i < FILES; i++) {
		snprintf(name, sizeof(name), OWN "/%d", i);
		assert_int_equal(mknod(at(name), S_IFREG | 0600, 0), 0);
	}
	used = run();
	print_message("%d files: %ld kB more than the test\n", FILES, used);
	assert_true(used < MEMORY_K);
	assert_false(is_there(OWN));
}

/* Slurmstepd's descriptors are closed before the user can stop the process, and
 * nothing of slurmstepd's is left in it. */
static void takes_nothing_along(void **state)
{
	sigset_t set, old;
	int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);

	(void)state;
	if (getenv("EMULATED"))
		skip(); /* what is counted is qemu's */
	sigfillset(&set);
	sigprocmask(SIG_BLOCK, &set, &old);
	run();
	sigprocmask(SIG_SETMASK, &old, NULL);
	close(fd);
	assert_int_equal(seen->files_at_setuid, 0);
	assert_int_equal(seen->files, 0);
	assert_false(seen->blocked);
	assert_true(seen->at_root);
	assert_int_equal(seen->dumpable, 0);
	assert_int_equal(seen->core.rlim_max, 0);
	assert_int_equal(seen->data.rlim_max, 0);
	assert_true(seen->open.rlim_max <= 128);
	assert_in_range(seen->seconds, 1, 60);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(removes_run_folder),
		CASE(leaves_folder_of_another),
		CASE(leaves_folder_of_another_inside),
		CASE(removes_folder_open_to_others),
		CASE(leaves_folder_that_others_can_rename),
		CASE(follows_no_link),
		CASE(stays_on_file_system),
		CASE(is_bounded_by_depth),
		CASE(is_bounded_by_number),
		CASE(takes_nothing_along),
	};

	if (geteuid() != 0) {
		print_message("skipped: needs root, to be two users\n");
		return 77;
	}
	seen = mmap(NULL, sizeof(*seen), PROT_READ | PROT_WRITE,
		    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (seen == MAP_FAILED)
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
