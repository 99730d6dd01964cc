/* SPDX-License-Identifier: Apache-2.0 */
/* Who comes to the launcher, where that isn't a keeper or can't be one. */
#include "tests/fixtures/keepers_fixture.h"

#include <fcntl.h>
#include <sys/resource.h>

static void send_end(const char *text, int fd)
{
	struct iovec part = {(void *)text, strlen(text) + 1};
	union {
		struct cmsghdr head;
		char room[CMSG_SPACE(sizeof(int))];
	} control = {.head = {CMSG_LEN(sizeof(int)), SOL_SOCKET, SCM_RIGHTS}};
	struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};

	memcpy(CMSG_DATA(&control.head), &fd, sizeof(fd));
	if (fd >= 0) {
		message.msg_control = &control;
		message.msg_controllen = sizeof(control.room);
	}
	assert_true(sendmsg(node_end, &message, 0) > 0);
}

/* From other processes of the user: of no effect, but on that connection. */
static void nonsense(void **state)
{
	int ends[2], file = open("/dev/null", O_RDONLY | O_CLOEXEC);
	unsigned first;

	(void)state;
	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends), 0);
	send_end("1", -1);
	send_end("0", ends[1]);
	send_end("3", ends[1]);
	send_end("x", ends[1]);
	send_end("1", file); /* it is taken for a connection that ends */
	send_end("2", ends[1]);
	send_end("2", ends[1]); /* there is one already */
	assert_true(send(ends[0], "R-5", 4, 0) > 0);
	close(ends[1]);
	hear(2);
	assert_int_equal(heard.nlost, 2);
	assert_int_equal(keepers_absent(keepers, &first), 0);
	close(ends[0]);
	close(file);
}

/* The kernel drops the file of a message for which there is no room. */
static void too_few_files(void **state)
{
	struct rlimit was, none;
	int ends[2], next;

	(void)state;
	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends), 0);
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &was), 0);
	none = was;
	next = dup(ends[0]);
	close(next);
	none.rlim_cur = (rlim_t)next;
	send_end("1", ends[1]);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
	hear(1);
	setrlimit(RLIMIT_NOFILE, &was);
	assert_int_equal(heard.nlost, 1);
	assert_non_null(strstr(heard.why[1], "ulimit -n"));
	send_end("1", ends[1]); /* one that tries again is too late */
	send_end("2", ends[1]);
	close(ends[1]);
	close(ends[0]);
	hear(2);
	assert_string_equal(heard.why[2], "gone");
}

#define KEEPERS_TEST(f) cmocka_unit_test_setup_teardown(f, open_all, close_all)
int main(void)
{
	const struct CMUnitTest tests[] = {
		KEEPERS_TEST(nonsense),
		KEEPERS_TEST(too_few_files),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
