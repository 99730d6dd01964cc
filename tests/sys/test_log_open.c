/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/log_open.h"

#include "tests/fixtures/unit.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

static char top[] = "/tmp/dist-train-test-log.XXXXXX";

/* In a folder of one's own: "own"; in one that all may write to: "pub". */
static int set_up(void **state)
{
	(void)state;
	umask(022);
	return !mkdtemp(top) || chdir(top) < 0 || mkdir("own", 0755) < 0 ||
	       mkdir("pub", 0777) < 0 || chmod("pub", 01777) < 0;
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(makes_folders_and_appends),
		cmocka_unit_test(errors),
		cmocka_unit_test(no_pipes),
		cmocka_unit_test(links),
		cmocka_unit_test(files_of_others),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
