/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/shim/shim_server.h"

#include "tests/fixtures/tree.h"

#include <fcntl.h>
#include <sys/socket.h>

static struct tree tree;
static struct loop loop;
static struct shim_server server;
static char *request;

static void on_request(void *arg, char *text, size_t n)
{
	(void)arg;
	(void)n;
	request = text;
	loop_stop(&loop);
}

static void on_close(void *arg)
{
	(void)arg;
	loop_stop(&loop);
}

static int begin(void **state)
{
	struct err err;

	(void)state;
	tree_open(&tree);
	request = NULL;
	server = (struct shim_server){
		.loop = &loop, .on_request = on_request, .on_close = on_close};
	return loop_open(&loop, &err) < 0 ||
	       shim_server_open(&server, tree.root, &err) < 0;
}

static int end(void **state)
{
	(void)state;
	shim_server_close(&server);
	loop_close(&loop);
	free(request);
	tree_close(&tree);
	return 0;
}

static int count_files(void)
{
	int n = 0;

	for (int fd = 0; fd < 256; fd++)
		n += fcntl(fd, F_GETFD) >= 0;
	return n;
}

/* One byte, with `n` descriptors */
static void send_byte(int to, int n)
{
	union {
		struct cmsghdr align;
		char room[CMSG_SPACE(4 * sizeof(int))];
	} control = {.room = ""};
	const int files[4] = {1, 2, 1, 2};
	struct iovec part = {.iov_base = (char[]){"x"}, .iov_len = 1};
	struct msghdr msg = {.msg_iov = &part, .msg_iovlen = 1};
	struct cmsghdr *c = &control.align;

	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN((size_t)n * sizeof(int));
	memcpy(CMSG_DATA(c), files, (size_t)n * sizeof(int));
	if (n) {
		msg.msg_control = &control;
		msg.msg_controllen = CMSG_SPACE((size_t)n * sizeof(int));
	}
	assert_int_equal(sendmsg(to, &msg, MSG_NOSIGNAL), 1);
}

/* The server has `taken` files more than before and the connection, when bytes
 * with that many descriptors have come. */
static void takes(const int *n, size_t bytes, int taken)
{
	struct err err;
	int to = shim_socket_connect(tree.root, &err), before = count_files();

	assert_true(to >= 0);
	for (size_t i = 0; i < bytes; i++)
		send_byte(to, n[i]);
	assert_int_equal(shutdown(to, SHUT_WR), 0);
	assert_int_equal(loop_run(&loop, &err), 0);
	assert_int_equal(strlen(request), bytes);
	assert_int_equal(count_files(), before + 1 + taken);
	assert_int_equal(server.out >= 0, taken > 0);
	close(to);
}

static void output_of_the_command(void **state)
{
	(void)state;
	takes((int[]){2, 0, 0}, 3, 2);
}

static void files_too_late(void **state)
{
	(void)state;
	takes((int[]){2, 2, 1, 0, 2}, 5, 2);
}

static void other_number_of_files(void **state)
{
	(void)state;
	takes((int[]){1, 0}, 2, 0);
}

/* The kernel gives those for which there is room. */
static void too_many_files(void **state)
{
	(void)state;
	if (getenv("EMULATED"))
		skip(); /* qemu keeps what doesn't fit open */
	takes((int[]){4, 3}, 2, 2);
}

/* The command's code, and then nothing keeps who has asked. */
static void answer(void **state)
{
	unsigned char code;
	struct err err;
	int to = shim_socket_connect(tree.root, &err);

	(void)state;
	assert_true(to >= 0);
	send_byte(to, 0);
	assert_int_equal(shutdown(to, SHUT_WR), 0);
	assert_int_equal(loop_run(&loop, &err), 0);
	shim_server_answer(&server, 7);
	assert_int_equal(recv(to, &code, 1, MSG_DONTWAIT), 1);
	assert_int_equal(code, 7);
	assert_int_equal(recv(to, &code, 1, MSG_DONTWAIT), 0);
	close(to);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(output_of_the_command),
		CASE(files_too_late),
		CASE(other_number_of_files),
		CASE(too_many_files),
		CASE(answer),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
