/* SPDX-License-Identifier: Apache-2.0 */
/* What processes see: a shell that is started in the view. */
#include "helpers/stage/view.h"

#include "sys/child.h"
#include "sys/folder.h"
#include "tests/fixtures/unit.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char dir[] = "/tmp/test_view.XXXXXX";
static char shared[64], held[64], ns_before[64];
static int base, copy;
static struct view view = {.ns = {-1, -1}};

static void put(const char *path, const char *text)
{
	int fd = openat(base, path, O_WRONLY | O_CREAT, 0644);

	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
}

static int begin(void **state)
{
	(void)state;
	assert_non_null(mkdtemp(dir));
	base = open(dir, O_RDONLY | O_DIRECTORY);
	assert_int_equal(mkdirat(base, "shared", 0755), 0);
	assert_int_equal(mkdirat(base, "held", 0700), 0);
	assert_int_equal(mkdirat(base, "held/shared", 0755), 0);
	put("shared/file", "shared");
	put("held/shared/file", "copy");
	snprintf(shared, sizeof(shared), "%s/shared", dir);
	snprintf(held, sizeof(held), "%s/held", dir);
	copy = openat(base, "held", O_RDONLY | O_DIRECTORY);
	child_remember_signals();
	return readlink("/proc/self/ns/mnt", ns_before, 60) > 0 ? 0 : -1;
}

static int end(void **state)
{
	(void)state;
	view_close(&view);
	close(copy);
	folder_empty(base);
	close(base);
	return rmdir(dir);
}

static struct view_mount mount_of(const char *from)
{
	return (struct view_mount){
		.fd = copy,
		.from = from,
		.name = "shared",
		.path = shared,
	};
}

static int open_view(const char *name, const struct view_mount *m, bool writes,
		     struct view *ret)
{
	const struct view_spec spec = {
		.folder = base,
		.path = dir,
		.name = name,
		.writes = writes,
		.mount = m,
		.nmounts = 1,
	};
	struct err err;
	int rc = view_open(&spec, ret, &err);

	if (rc < 0)
		print_message("%s\n", err.text);
	return rc;
}

/* The exit status of a shell script, in the view or without it. */
static int run(const char *script, const struct child_view *with)
{
	char *const argv[] = {"sh", "-c", (char *)script, NULL};
	const struct child child = {
		.file = "/bin/sh",
		.argv = argv,
		.env = environ,
		.in = -1,
		.out = -1,
		.err = -1,
		.view = with,
	};
	struct err err;
	pid_t pid = child_start(&child, &err);
	int status;

	assert_true(pid > 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void make(void)
{
	const struct view_mount m = mount_of(held);

	if (view.ns.user < 0 && open_view("step.view", &m, false, &view) < 0)
		skip();
}

static void the_copy_is_at_the_path(void **state)
{
	char script[256];

	(void)state;
	make();
	snprintf(script, sizeof(script), "[ \"$(cat %s/file)\" = copy ]",
		 shared);
	assert_int_equal(run(script, &view.ns), 0);
	assert_int_equal(run(script, NULL), 1);
	/* twice: the namespaces stay */
	assert_int_equal(run(script, &view.ns), 0);
}

static void it_is_read_only(void **state)
{
	char script[256];

	(void)state;
	make();
	snprintf(script, sizeof(script),
		 "! touch %s/new 2> /dev/null && touch %s/new", shared, dir);
	assert_int_equal(run(script, &view.ns), 0);
	assert_int_equal(unlinkat(base, "new", 0), 0);
	snprintf(script, sizeof(script),
		 "! mount -o remount,rw %s 2> /dev/null && "
		 "! umount %s 2> /dev/null",
		 shared, shared);
	if (geteuid())
		assert_int_equal(run(script, &view.ns), 0);
}

static void the_user_is_himself(void **state)
{
	char script[256];

	(void)state;
	make();
	snprintf(script, sizeof(script),
		 "[ $(id -u) = %u ] && [ $(id -g) = %u ]", geteuid(),
		 getegid());
	assert_int_equal(run(script, &view.ns), 0);
}

/* Also where that is seen otherwise. */
static void the_current_folder_stays(void **state)
{
	char script[256], old[512];

	(void)state;
	make();
	assert_non_null(getcwd(old, sizeof(old)));
	assert_int_equal(chdir(shared), 0);
	snprintf(script, sizeof(script),
		 "[ \"$PWD\" = %s ] && [ \"$(cat file)\" = copy ]", shared);
	setenv("PWD", shared, 1);
	assert_int_equal(run(script, &view.ns), 0);
	assert_int_equal(chdir(old), 0);
}

static void a_copy_that_was_replaced_isnt_shown(void **state)
{
	struct view none;
	const struct view_mount m = mount_of(held);

	(void)state;
	make();
	assert_int_equal(renameat(base, "held", base, "moved"), 0);
	assert_int_equal(mkdirat(base, "held", 0755), 0);
	assert_int_equal(mkdirat(base, "held/shared", 0755), 0);
	assert_int_equal(open_view("other", &m, false, &none), -1);
	assert_int_equal(none.ns.user, -1);
	assert_int_equal(unlinkat(base, "held/shared", AT_REMOVEDIR), 0);
	assert_int_equal(unlinkat(base, "held", AT_REMOVEDIR), 0);
	assert_int_equal(symlinkat("moved", base, "held"), 0);
	assert_int_equal(open_view("other", &m, false, &none), -1);
	assert_int_equal(unlinkat(base, "held", 0), 0);
	assert_int_equal(renameat(base, "moved", base, "held"), 0);
}

static unsigned long number(int ns)
{
	struct stat st;

	assert_int_equal(fstat(ns, &st), 0);
	return st.st_ino;
}

/* Several launchers of a node: ranks may look into each other. */
static void a_second_one_joins_the_first(void **state)
{
	const struct view_mount m = mount_of(held);
	struct view second;

	(void)state;
	make();
	assert_int_equal(open_view("step.view", &m, false, &second), 0);
	assert_int_equal(number(second.ns.user), number(view.ns.user));
	assert_int_equal(number(second.ns.mounts), number(view.ns.mounts));
	view_close(&second);
	assert_int_equal(faccessat(base, "step.view", F_OK, 0), 0);
	/* but no stranger's, and none after it has ended */
	put("forged.view", "1 1 1\n");
	assert_int_equal(open_view("forged.view", &m, false, &second), 0);
	assert_int_not_equal(number(second.ns.user), number(view.ns.user));
	view_close(&second);
	assert_int_equal(faccessat(base, "forged.view", F_OK, 0), -1);
}

/* How many folders of layers there are. */
static void count_part(void *arg, int fd, const char *name)
{
	(void)fd;
	*(int *)arg += strlen(name) > 5 && strstr(name, ".part");
}

static int layers(void)
{
	int n = 0;

	folder_each(base, count_part, &n);
	return n;
}

/* What is written is a layer's, which goes with the last one who has it. */
static void a_layer_is_written_to(void **state)
{
	const struct view_mount m = mount_of(held);
	struct view first, second;
	char script[512];

	(void)state;
	if (open_view("layer.view", &m, true, &first) < 0)
		skip();
	snprintf(script, sizeof(script),
		 "cd %s && [ \"$(cat file)\" = copy ] && echo other > file && "
		 "mkdir new && rm -r new && mkdir new && chmod 0 new",
		 shared);
	assert_int_equal(run(script, &first.ns), 0);
	assert_int_equal(open_view("layer.view", &m, true, &second), 0);
	assert_int_equal(number(second.ns.mounts), number(first.ns.mounts));
	view_close(&first);
	assert_int_equal(layers(), 1);
	snprintf(script, sizeof(script), "[ \"$(cat %s/file)\" = other ]",
		 shared);
	assert_int_equal(run(script, &second.ns), 0);
	view_close(&second);
	assert_int_equal(layers(), 0);
	snprintf(script, sizeof(script),
		 "[ \"$(cat %s/shared/file)\" = copy ] && ! ls %s/*.lock "
		 "2> /dev/null",
		 held, dir);
	assert_int_equal(run(script, NULL), 0);
}

/* Else the copies' clean-up would take it for what a dead one has left. */
static void its_file_is_held(void **state)
{
	struct flock any = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
	int fd = openat(base, "step.view", O_RDWR);

	(void)state;
	if (view.ns.user < 0)
		skip();
	assert_int_equal(fcntl(fd, F_OFD_GETLK, &any), 0);
	assert_int_equal(any.l_type, F_RDLCK);
	close(fd);
}

static void we_see_what_we_saw(void **state)
{
	char ns[64] = "";

	(void)state;
	assert_true(readlink("/proc/self/ns/mnt", ns, 60) > 0);
	assert_string_equal(ns, ns_before);
	assert_int_equal(faccessat(base, "shared/new", F_OK, 0), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_copy_is_at_the_path),
		cmocka_unit_test(it_is_read_only),
		cmocka_unit_test(the_user_is_himself),
		cmocka_unit_test(the_current_folder_stays),
		cmocka_unit_test(a_copy_that_was_replaced_isnt_shown),
		cmocka_unit_test(a_second_one_joins_the_first),
		cmocka_unit_test(a_layer_is_written_to),
		cmocka_unit_test(its_file_is_held),
		cmocka_unit_test(we_see_what_we_saw),
	};

	return cmocka_run_group_tests(tests, begin, end);
}
