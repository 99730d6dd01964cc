/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/ranktable/ranktable_shared.h"

#include "core/facts/handover.h"
#include "tests/fixtures/unit.h"

#include <poll.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static int make_memory(size_t size)
{
	int fd = memfd_create("node", MFD_CLOEXEC);

	assert_true(fd >= 0 && ftruncate(fd, (off_t)size) == 0);
	return fd;
}

static void folder(void **state)
{
	int fd = make_memory(sizeof(struct node_memory));
	char found[PATH_MAX] = "as before", longest[PATH_MAX];

	(void)state;
	assert_int_equal(node_memory_folder(fd, found), -1);
	assert_string_equal(found, "as before");
	node_memory_tell(fd, "/tmp/dist-train.x1");
	assert_int_equal(node_memory_folder(fd, found), 0);
	assert_string_equal(found, "/tmp/dist-train.x1");

	memset(longest, 'x', sizeof(longest));
	longest[PATH_MAX - 1] = '\0';
	node_memory_tell(fd, longest);
	assert_int_equal(node_memory_folder(fd, found), 0);
	assert_string_equal(found, longest);
	close(fd);
}

/* Whatever the user's other processes have written there */
static void nonsense(void **state)
{
	const struct node_memory never_ends = {.told = ~0U};
	int fd = make_memory(sizeof(never_ends));
	struct node_memory copy = never_ends;
	char found[PATH_MAX];

	(void)state;
	memset(copy.folder, 'y', sizeof(copy.folder));
	assert_int_equal(pwrite(fd, &copy, sizeof(copy), 0), sizeof(copy));
	assert_int_equal(node_memory_folder(fd, found), 0);
	assert_int_equal(strlen(found), PATH_MAX - 1);
	close(fd);
}

static void none(void **state)
{
	int small = make_memory(sizeof(struct node_memory) - 1);
	char found[PATH_MAX];

	(void)state;
	node_memory_tell(-1, "/tmp");
	node_memory_tell(small, "/tmp");
	node_memory_wait(-1, 2);
	node_memory_wait(small, 2);
	assert_int_equal(node_memory_folder(-1, found), -1);
	assert_int_equal(node_memory_folder(small, found), -1);
	close(small);
}

#define SOON_MS 50

/* The first one waits until the second one has come. */
static void waiting(void **state)
{
	int fd = make_memory(sizeof(struct node_memory)), end[2], status;
	struct pollfd waits;
	char done;
	pid_t child;

	(void)state;
	assert_int_equal(pipe(end), 0);
	waits = (struct pollfd){.fd = end[0], .events = POLLIN};
	child = fork();
	assert_true(child >= 0);
	if (!child) {
		node_memory_wait(fd, 2);
		_exit(write(end[1], "", 1) != 1);
	}
	close(end[1]);
	assert_int_equal(poll(&waits, 1, SOON_MS), 0);
	node_memory_wait(fd, 2);
	assert_int_equal(read(end[0], &done, 1), 1);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	close(end[0]);
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(folder),
		cmocka_unit_test(nonsense),
		cmocka_unit_test(none),
		cmocka_unit_test(waiting),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
