/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/kept/log_open.h"

#include "tests/fixtures/unit.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/xattr.h>
#include <unistd.h>

static char top[] = "/tmp/dist-train-test-log.XXXXXX";

/* In a folder of one's own: "own"; in one that all may write to: "pub", or that
 * a group may write to: "grp". */
static int set_up(void **state)
{
	(void)state;
	umask(022);
	return !mkdtemp(top) || chdir(top) < 0 || mkdir("own", 0755) < 0 ||
	       mkdir("pub", 0777) < 0 || chmod("pub", 01777) < 0 ||
	       mkdir("grp", 0775) < 0 || chmod("grp", 02775) < 0;
}

static int tear_down(void **state)
{
	char command[sizeof(top) + 16];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf %s", top);
	return chdir("/") < 0 || system(command) != 0;
}

static void opens(const char *path)
{
	struct err err = {.text = ""};
	int fd = log_open("log-dir", path, &err), flags;

	if (fd < 0)
		fail_msg("%s", err.text);
	flags = fcntl(fd, F_GETFL);
	assert_int_equal(flags & O_NONBLOCK, 0);
	assert_int_equal(flags & O_APPEND, O_APPEND);
	assert_int_equal(fcntl(fd, F_GETFD), FD_CLOEXEC);
	assert_int_equal(write(fd, "x", 1), 1);
	close(fd);
}

static void refuses(const char *path, const char *why)
{
	struct err err = {.text = ""};
	int fd = log_open("log-dir", path, &err);

	if (fd >= 0)
		close(fd);
	assert_int_equal(fd, -1);
	if (strncmp(err.text, "log-dir: ", 9) != 0 || !strstr(err.text, why))
		fail_msg("%s isn't in '%s'", why, err.text);
}

static long size_of(const char *path)
{
	struct stat st;

	return stat(path, &st) < 0 ? -1 : (long)st.st_size;
}

static void makes_folders_and_appends(void **state)
{
	char path[512];

	(void)state;
	opens("own/a//b/./log");
	opens("own/a/b/log");
	assert_int_equal(size_of("own/a/b/log"), 2);
	opens("pub/a/b/log");
	opens("pub/a/b/log");
	assert_int_equal(size_of("pub/a/b/log"), 2);
	opens("here");
	snprintf(path, sizeof(path), "%s/own/deep/log", top);
	opens(path);
	assert_int_equal(size_of("own/deep/log"), 1);
	opens("/dev/null");
}

static void errors(void **state)
{
	(void)state;
	opens("own/file");
	refuses("own/file/log", "the folder own/file: Not a directory");
	refuses("own", "can't open own: Is a directory");
	refuses("own/", "Is a directory");
	refuses("", "Is a directory");
}

/* A pipe never makes the launcher wait, with or without a reader. */
static void no_pipes(void **state)
{
	struct sockaddr_un at = {.sun_family = AF_UNIX,
				 .sun_path = "own/socket"};
	int reader, fd = socket(AF_UNIX, SOCK_STREAM, 0);

	(void)state;
	assert_return_code(mkfifo("own/pipe", 0666), errno);
	refuses("own/pipe", "own/pipe is a pipe or a socket, not a file");
	reader = open("own/pipe", O_RDONLY | O_NONBLOCK);
	refuses("own/pipe", "is a pipe, not a file");
	close(reader);
	assert_return_code(bind(fd, (void *)&at, sizeof(at)), errno);
	refuses("own/socket", "is a pipe or a socket, not a file");
	close(fd);
}

static void links(void **state)
{
	(void)state;
	opens("own/target");
	assert_return_code(symlink("../own/target", "own/link"), errno);
	assert_return_code(symlink("../own/target", "pub/link"), errno);
	assert_return_code(symlink("../own/none", "pub/none"), errno);
	assert_return_code(symlink("../own", "own/folder"), errno);
	assert_return_code(symlink("../own", "pub/folder"), errno);
	opens("own/link");
	opens("own/folder/target");
	assert_int_equal(size_of("own/target"), 3);
	refuses("pub/link", "pub/link is a symbolic link");
	refuses("pub/none", "is a symbolic link");
	refuses("pub/folder/target", "pub/folder is a symbolic link");
	assert_return_code(link("own/target", "pub/second"), errno);
	refuses("pub/second", "has a second name");
	opens("own/target");
	assert_int_equal(size_of("own/target"), 4);
	assert_int_equal(size_of("own/none"), -1);
}

#define IN_SHARED "is a symbolic link in a folder that others may write to"

static void reads(const char *path, bool good)
{
	struct err err = {.text = ""};
	int fd = log_open_to_read("progress-file", path, &err);
	char byte;

	if (good) {
		assert_int_equal(read(fd, &byte, 1), 1);
		close(fd);
	} else {
		assert_int_equal(fd, -1);
		assert_int_equal(strncmp(err.text, "progress-file: ", 15), 0);
	}
}

/* Who may write to `folder` has put links to what is the user's there. */
static void is_shared(const char *folder)
{
	char path[64];
	struct err err;
	const char *name;
	long size;

	opens("own/target");
	size = size_of("own/target");
	snprintf(path, sizeof(path), "%s/link", folder);
	assert_return_code(symlink("../own/target", path), errno);
	refuses(path, IN_SHARED);
	reads(path, false);
	assert_int_equal(size_of("own/target"), size);
	snprintf(path, sizeof(path), "%s/folder", folder);
	assert_return_code(symlink("../own", path), errno);
	assert_int_equal(log_folder_open("record", path, &err), -1);
	assert_non_null(strstr(err.text, IN_SHARED));
	snprintf(path, sizeof(path), "%s/folder/steps", folder);
	assert_int_equal(log_folder_of("progress-file", path, &name, &err), -1);
	assert_non_null(strstr(err.text, IN_SHARED));
	refuses(path, IN_SHARED);
	assert_int_equal(size_of("own/steps"), -1);
	snprintf(path, sizeof(path), "%s/target", folder);
	if (access(path, F_OK) < 0)
		opens(path);
	reads(path, true);
}

static void folder_of_a_group(void **state)
{
	(void)state;
	is_shared("grp");
}

/* An ACL that lets one more user write shows in the group's bits. */
static void folder_with_acl(void **state)
{
	static const struct {
		uint32_t version;
		struct {
			uint16_t tag, rights;
			uint32_t id;
		} entry[5];
	} acl = {
		2,
		{{0x01, 7, UINT32_MAX},
		 {0x02, 7, 65534},
		 {0x04, 5, UINT32_MAX},
		 {0x10, 7, UINT32_MAX},
		 {0x20, 5, UINT32_MAX}},
	};

	(void)state;
	assert_return_code(mkdir("acl", 0755), errno);
	if (setxattr("acl", "system.posix_acl_access", &acl, sizeof(acl), 0) <
	    0)
		skip(); /* the file system has none */
	is_shared("acl");
}

/* Nothing is made for who reads. */
static void only_what_is_there(void **state)
{
	const char *name;
	struct err err;
	int fd;

	(void)state;
	reads("own/new/steps", false);
	assert_int_equal(log_folder_of("record", "own/new/x", &name, &err), -1);
	assert_int_equal(size_of("own/new"), -1);
	fd = log_folder_of("record", "own/steps", &name, &err);
	assert_true(fd >= 0);
	assert_string_equal(name, "steps");
	close(fd);
	fd = log_folder_of("record", "steps", &name, &err);
	assert_true(fd >= 0);
	assert_string_equal(name, "steps");
	close(fd);
	reads("own", false);
	reads("/dev/zero", false);
}

/* What only root can prepare. */
static void files_of_others(void **state)
{
	(void)state;
	if (geteuid() != 0)
		skip();
	opens("own/theirs");
	opens("pub/theirs");
	assert_return_code(chown("own/theirs", 65534, 65534), errno);
	assert_return_code(chown("pub/theirs", 65534, 65534), errno);
	opens("own/theirs");
	refuses("pub/theirs", "belongs to another user");
	assert_int_equal(size_of("pub/theirs"), 1);
}

/* Nobody but its owner may write to it: that is who makes the links. */
static void folder_of_another(void **state)
{
	(void)state;
	if (geteuid() != 0)
		skip();
	assert_return_code(mkdir("bobs", 0755), errno);
	assert_return_code(chown("bobs", 65534, 65534), errno);
	is_shared("bobs");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(makes_folders_and_appends),
		cmocka_unit_test(errors),
		cmocka_unit_test(no_pipes),
		cmocka_unit_test(links),
		cmocka_unit_test(folder_of_a_group),
		cmocka_unit_test(folder_with_acl),
		cmocka_unit_test(only_what_is_there),
		cmocka_unit_test(files_of_others),
		cmocka_unit_test(folder_of_another),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
