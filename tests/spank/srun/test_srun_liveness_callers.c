/* SPDX-License-Identifier: Apache-2.0 */
/* Who is let in at srun's port: the launcher, once, and whatever strangers do.
 */
#include "tests/fixtures/srun_port.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

static const struct srun_liveness_options options = {
	.token = "0123456789abcde", .lease_s = 15, .grace_s = 600};
static atomic_uint accepts;

/* --- what stands in for Slurm, and for libc --------------------------------
 */

void slurmctld_give_up(int code)
{
	(void)code;
}

void slurmctld_exit_zero(void)
{
}

int accept4(int fd, struct sockaddr *addr, socklen_t *len, int flags)
{
	accepts++;
	return (int)syscall(SYS_accept4, fd, addr, len, flags);
}

/* ---------------------------------------------------------------------------
 */

static int begin(void **state)
{
	(void)state;
	port = srun_liveness_open(&options);
	return port == 0;
}

static int caller(void)
{
	int fd = new_socket();

	assert_int_equal(try_connect(fd), 0);
	return fd;
}

static void send_token(int fd, const unsigned char *token)
{
	send(fd, token, TOKEN_SIZE, MSG_NOSIGNAL);
}

static void wrong_token(void **state)
{
	unsigned char token[TOKEN_SIZE];
	int fd;

	(void)state;
	for (int i = 0; i < TOKEN_SIZE; i += TOKEN_SIZE - 1) {
		memcpy(token, options.token, TOKEN_SIZE);
		token[i]++;
		fd = caller();
		send_token(fd, token);
		assert_int_equal(answer(fd), '-');
		close(fd);
	}
	fd = caller();
	send_token(fd, options.token);
	assert_int_equal(answer(fd), *SRUN_THERE);
	close(fd);
}

/* The launcher comes after the end has changed, and says its last words while
 * srun ends. */
static void end_of_the_job(void **state)
{
	static const char words[] =
		SRUN_TOLD SRUN_OUTCOME "N" SRUN_OUTCOME "\3" SRUN_ALL_WELL;
	char text[1 + SRUN_END_SIZE];
	struct srun_end ended;
	int fd = caller();

	(void)state;
	srun_liveness_end_time(0x0102030405060708);
	send_token(fd, options.token);
	assert_int_equal(answer(fd), *SRUN_THERE);
	assert_int_equal(recv(fd, text, sizeof(text), MSG_WAITALL),
			 sizeof(text));
	assert_memory_equal(text, SRUN_END_TIME "\1\2\3\4\5\6\7\10",
			    sizeof(text));
	srun_liveness_end_time(0);
	assert_int_equal(recv(fd, text, sizeof(text), MSG_WAITALL),
			 sizeof(text));
	assert_memory_equal(text, SRUN_END_TIME "\0\0\0\0\0\0\0\0",
			    sizeof(text));
	send(fd, words, sizeof(words) - 1, MSG_NOSIGNAL);
	assert_true(srun_liveness_close(&ended));
	assert_true(ended.heard.told);
	assert_true(ended.heard.has_outcome);
	assert_int_equal(ended.heard.outcome, 3);
	assert_false(ended.node_lost);
	close(fd);
}

/* Who has read the token on its way isn't let in after the launcher. */
static void token_only_once(void **state)
{
	int waits = caller(), fd = caller(), late = new_socket();

	(void)state;
	send_token(fd, options.token);
	assert_int_equal(answer(fd), *SRUN_THERE);
	close(fd);
	send_token(waits, options.token);
	assert_int_equal(answer(waits), '-');
	assert_int_equal(try_connect(late), -1);
	close(waits);
	close(late);
}

/* No new descriptor can be opened in this process until the limit is back. */
static struct rlimit use_up_files(void)
{
	struct rlimit old, none;
	int fd = dup(0);

	assert_true(fd >= 0);
	close(fd);
	getrlimit(RLIMIT_NOFILE, &old);
	none = (struct rlimit){.rlim_cur = (rlim_t)fd,
			       .rlim_max = old.rlim_max};
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
	return old;
}

static void wait_for_accept(unsigned before)
{
	while (accepts == before)
		usleep(1000);
}

static void no_descriptor_left(void **state)
{
	int fd = new_socket();
	struct rlimit old = use_up_files();
	unsigned before = accepts;

	(void)state;
	assert_int_equal(try_connect(fd), 0);
	wait_for_accept(before);
	usleep(300000);
	assert_true(accepts - before < 100);
	setrlimit(RLIMIT_NOFILE, &old);
	send_token(fd, options.token);
	assert_int_equal(answer(fd), *SRUN_THERE);
	close(fd);
}

static void strangers_have_the_last_descriptors(void **state)
{
	int stranger = new_socket(), fd = new_socket();
	unsigned before = accepts;
	struct rlimit old;

	(void)state;
	assert_int_equal(try_connect(stranger), 0);
	wait_for_accept(before);
	old = use_up_files();
	assert_int_equal(try_connect(fd), 0);
	send_token(fd, options.token);
	assert_int_equal(answer(fd), *SRUN_THERE);
	setrlimit(RLIMIT_NOFILE, &old);
	assert_int_equal(answer(stranger), '-');
	close(stranger);
	close(fd);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(wrong_token),
		CASE(token_only_once),
		CASE(end_of_the_job),
		CASE(no_descriptor_left),
		CASE(strangers_have_the_last_descriptors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
