/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/early/early_listener.h"

#include "tests/fixtures/unit.h"

#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define PATIENCE_MS 10000
#define LATER	    8
#define HELLO	    "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"

static struct sockaddr_in address(unsigned port)
{
	return (struct sockaddr_in){
		.sin_family = AF_INET,
		.sin_port = htons((unsigned short)port),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
}

static int new_socket(void)
{
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	assert_true(fd >= 0);
	return fd;
}

/* A free port below those that the kernel gives: none of the programs beside
 * us has it next, unless it asks for it. */
static unsigned free_port(void)
{
	static unsigned tried;
	int fd, rc;

	for (unsigned n = 0; n < 1000; n++) {
		unsigned port = 10000 + ((unsigned)getpid() + tried++) % 20000;
		struct sockaddr_in a = address(port);

		a.sin_addr.s_addr = htonl(INADDR_ANY);
		fd = new_socket();
		rc = bind(fd, (struct sockaddr *)&a, sizeof(a));
		close(fd);
		if (rc == 0)
			return port;
	}
	fail_msg("no free port");
	return 0;
}

/* A child that a failed test doesn't leave behind. */
static pid_t new_child(void)
{
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (pid == 0)
		prctl(PR_SET_PDEATHSIG, SIGKILL);
	return pid;
}

/* A server at all addresses, as gRPC's; or -1 with errno. */
static int serve(unsigned port, bool shares)
{
	struct sockaddr_in6 v6 = {.sin6_family = AF_INET6,
				  .sin6_port = htons((unsigned short)port)};
	int fd = socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0), why;
	int off = 0, one = 1;

	if (fd < 0)
		skip(); /* no IPv6 here */
	setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof(off));
	if (shares)
		setsockopt(fd, SOL_SOCKET, SO_REUSEPORT, &one, sizeof(one));
	if (bind(fd, (struct sockaddr *)&v6, sizeof(v6)) == 0 &&
	    listen(fd, 16) == 0)
		return fd;
	why = errno;
	close(fd);
	errno = why;
	return -1;
}

static int call(unsigned port)
{
	struct sockaddr_in a = address(port);
	int fd = new_socket();

	assert_int_equal(connect(fd, (struct sockaddr *)&a, sizeof(a)), 0);
	assert_int_equal(send(fd, HELLO, strlen(HELLO), MSG_NOSIGNAL),
			 strlen(HELLO));
	return fd;
}

/* The next n bytes, or as many as come before the end. */
static size_t receive(int fd, char *buf, size_t n)
{
	struct pollfd p = {.fd = fd, .events = POLLIN};
	size_t got = 0;

	while (got < n) {
		ssize_t some;

		assert_int_equal(poll(&p, 1, PATIENCE_MS), 1);
		some = recv(fd, buf + got, n - got, 0);
		assert_true(some >= 0); /* not reset */
		if (!some)
			break;
		got += (size_t)some;
	}
	return got;
}

static pid_t hold(int fd, unsigned port, pid_t owner)
{
	pid_t pid = new_child();

	if (pid == 0) {
		early_listener_hold(fd, port, owner);
		_exit(0);
	}
	close(fd);
	return pid;
}

static void assert_ends(pid_t pid)
{
	int status = -1;

	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

/* What a client gets, and when. */
static void clients_wait(void **state)
{
	static const char settings[9] = {0, 0, 0, 4};
	static const char goaway[17] = {0, 0, 8, 7};
	unsigned port = free_port();
	char buf[64];
	int fd = early_listener_open(port), client[3], server;
	int later[LATER];
	struct pollfd called;
	pid_t holder;

	(void)state;
	assert_true(fd >= 0);
	holder = hold(fd, port, getpid());
	for (int i = 0; i < 3; i++) {
		client[i] = call(port);
		assert_int_equal(receive(client[i], buf, 9), 9);
		assert_memory_equal(buf, settings, 9);
	}
	server = serve(port, true);
	assert_true(server >= 0);
	/* From now on the server gets them all */
	for (int i = 0; i < LATER; i++)
		later[i] = call(port);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(receive(client[i], buf, sizeof(buf)), 17);
		assert_memory_equal(buf, goaway, 17);
		close(client[i]);
	}
	assert_ends(holder);
	assert_int_equal(who_listens(port, server), 0);
	for (int i = 0; i < LATER; i++) {
		called = (struct pollfd){.fd = server, .events = POLLIN};
		assert_int_equal(poll(&called, 1, PATIENCE_MS), 1);
		close(accept(server, NULL, NULL));
		close(later[i]);
	}
	close(server);
}

/* One that doesn't share its port can listen when the owner has ended. */
static void owner_ends(void **state)
{
	unsigned port = free_port();
	int fd = early_listener_open(port), server;
	pid_t owner = new_child(), holder;

	(void)state;
	if (owner == 0) {
		pause();
		_exit(0);
	}
	assert_true(fd >= 0);
	holder = hold(fd, port, owner);
	close(call(port));
	assert_int_equal(serve(port, false), -1);
	assert_int_equal(errno, EADDRINUSE);
	kill(owner, SIGKILL);
	waitpid(owner, NULL, 0);
	assert_ends(holder);
	server = serve(port, false);
	assert_true(server >= 0);
	close(server);
}

static void taken(void **state)
{
	unsigned port = free_port();
	int server = serve(port, true);

	(void)state;
	assert_true(server >= 0);
	assert_int_equal(who_listens(port, -1), 1);
	assert_int_equal(who_listens(port, server), 0);
	assert_int_equal(early_listener_open(port), -1);
	close(server);
	assert_int_equal(who_listens(port, -1), 0);
}

/* One that has left meanwhile, and one that sends a lot. */
static void odd_clients(void **state)
{
	unsigned port = free_port();
	int fd = early_listener_open(port), loud, server;
	char much[32768] = "";
	pid_t holder;

	(void)state;
	assert_true(fd >= 0);
	holder = hold(fd, port, getpid());
	close(call(port));
	loud = call(port);
	assert_int_equal(send(loud, much, sizeof(much), MSG_NOSIGNAL),
			 sizeof(much));
	assert_int_equal(receive(loud, much, 9), 9);
	server = serve(port, true);
	assert_int_equal(receive(loud, much, sizeof(much)), 17);
	assert_ends(holder);
	close(loud);
	close(server);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(clients_wait),
		cmocka_unit_test(owner_ends),
		cmocka_unit_test(taken),
		cmocka_unit_test(odd_clients),
	};

	if (getenv("EMULATED"))
		return 0; /* qemu has no sock_diag, so nobody listens early */
	alarm(120);	  /* nothing here waits for so long */
	return cmocka_run_group_tests(tests, NULL, NULL);
}
