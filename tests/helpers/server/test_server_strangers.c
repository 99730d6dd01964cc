/* SPDX-License-Identifier: Apache-2.0 */
/* Who may not come in, and what he can do to those who may. */
#include "config.h"

#include "tests/fixtures/idle_clock.h"
#include "tests/fixtures/server_fixture.h"

#define TEXT(number)  #number
#define VALUE(number) TEXT(number)
#define V	      VALUE(MESSAGE_VERSION)

#include <fcntl.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>

static const unsigned char other_secret[SECRET_SIZE] = "not the step's";

static int call(void)
{
	struct sockaddr_in sa = {.sin_family = AF_INET,
				 .sin_port = htons((uint16_t)first_port)};
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	sa.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	assert_int_equal(connect(fd, (struct sockaddr *)&sa, sizeof(sa)), 0);
	return fd;
}

static bool is_dropped(int fd)
{
	char byte;

	return recv(fd, &byte, 1, MSG_DONTWAIT) == 0;
}

/* Strangers who never speak, or who stop in the middle of their salt: members
 * get in, and no stranger stays for ever. */
static void silent_strangers(void **state)
{
	int fds[64], last = COUNT(fds) - 1;

	(void)state;
	hub_begin(2);
	for (size_t i = 0; i < COUNT(fds); i++) {
		fds[i] = call();
		if (i % 2)
			assert_int_equal(write(fds[i], "abc", 3), 3);
	}
	run_for(20);
	join(1);
	wait_for(1);
	assert_false(is_dropped(fds[0])); /* it may be a slow member */
	for (int i = 0; i < 60 && !is_dropped(fds[last]); i++)
		run_for(1000);
	assert_true(is_dropped(fds[0]) && is_dropped(fds[last]));
	assert_true(server_has(server, 1));
	for (size_t i = 0; i < COUNT(fds); i++)
		close(fds[i]);
	shut();
}

/* --- a flood --- */

#define FLOOD 6000

static void call_from_elsewhere(int epoll)
{
	struct sockaddr_in sa = {.sin_family = AF_INET};
	struct epoll_event ev = {.events = EPOLLIN | EPOLLRDHUP};
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);

	sa.sin_addr.s_addr = htonl(INADDR_LOOPBACK + 1); /* 127.0.0.2 */
	bind(fd, (struct sockaddr *)&sa, sizeof(sa));
	sa.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	sa.sin_port = htons((uint16_t)first_port);
	connect(fd, (struct sockaddr *)&sa, sizeof(sa));
	ev.data.fd = fd;
	epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &ev);
}

/* Hold so many connections, and open a new one for each that is dropped. Say
 * when that has happened often. */
static void flood(unsigned n, int tell)
{
	int epoll = epoll_create1(0);
	unsigned ndropped = 0;
	struct epoll_event ev;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (unsigned i = 0; i < n; i++)
		call_from_elsewhere(epoll);
	while (epoll_wait(epoll, &ev, 1, -1) == 1) {
		close(ev.data.fd);
		call_from_elsewhere(epoll);
		if (++ndropped == n / 4 && write(tell, "", 1) != 1)
			break;
	}
	_exit(1);
}

static unsigned raise_file_limit(void)
{
	struct rlimit files;

	getrlimit(RLIMIT_NOFILE, &files);
	files.rlim_cur = files.rlim_max;
	setrlimit(RLIMIT_NOFILE, &files);
	return files.rlim_cur > FLOOD + 100 ? FLOOD
					    : (unsigned)files.rlim_cur - 100;
}

/* A member from another address gets in, as soon as it comes. */
static void flooded(void **state)
{
	unsigned n = raise_file_limit();
	bool full = false;
	int tell[2];
	pid_t pid;
	char byte;

	(void)state;
	if (n < 2000)
		skip();
	hub_begin(3);
	assert_int_equal(pipe2(tell, O_NONBLOCK | O_CLOEXEC), 0);
	pid = fork();
	if (!pid)
		flood(n, tell[1]);
	for (int i = 0; i < 3 * PATIENCE_MS && !full; i += 10) {
		run_for(10);
		full = read(tell[0], &byte, 1) == 1;
	}
	assert_true(full);
	for (unsigned i = 1; i < 3; i++) {
		join_as(i, &step, 60);
		wait_for(i);
		assert_false(launchers[i].late);
	}
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	close(tell[0]);
	close(tell[1]);
	shut();
}

/* No descriptor is left: a silent connection makes room. */
static void no_descriptors(void **state)
{
	struct rlimit old, low;
	int fds[8], n = 0;

	(void)state;
	hub_begin(2);
	for (; n < 8; n++)
		fds[n] = call();
	getrlimit(RLIMIT_NOFILE, &old);
	low = old;
	low.rlim_cur = (rlim_t)fds[7] + 5; /* the eight need more */
	setrlimit(RLIMIT_NOFILE, &low);
	run_for(1200);
	assert_true(is_dropped(fds[0]));
	setrlimit(RLIMIT_NOFILE, &old);
	join(1);
	wait_for(1);
	while (n)
		close(fds[--n]);
	shut();
}

/* So few that not all members can come: that is said, once. */
static void few_descriptors(void **state)
{
	struct rlimit old, low;
	int fd;

	(void)state;
	hub_begin(4);
	join(1);
	wait_for(1);
	getrlimit(RLIMIT_NOFILE, &old);
	low = old;
	fd = call();
	low.rlim_cur = (rlim_t)fd + 1;
	setrlimit(RLIMIT_NOFILE, &low);
	run_until_so(has_text, said);
	run_for(100);
	setrlimit(RLIMIT_NOFILE, &old);
	assert_true(said == strstr(said, "dist-train: too many open files on "
					 "node1: 2 of 4 launchers are "
					 "connected, the limit is "));
	assert_ptr_equal(strchr(said, '\n'), said + strlen(said) - 1);
	join(2);
	wait_for(2);
	close(fd);
	shut();
}

/* With the step's secret */
static void knock(struct end *e)
{
	end_open_at(e, socket_connect("127.0.0.1", first_port), true,
		    first_port, secret, step.id);
}

static void turned_away(char type, const char *text)
{
	struct end e;

	knock(&e);
	end_send(&e, type, text, strlen(text));
	run_until(&e.lost);
	end_close(&e);
}

/* Who has the secret but says who he is in a way that makes no sense */
static void bad_hello(void **state)
{
	static const char *const hellos[] = {
		"",
		V,
		V " 1",
		V " 3 node4",
		"one 1 node2",
		V " -1 node2",
		V " 4294967295 node2",
	};

	(void)state;
	hub_begin(3);
	for (size_t i = 0; i < COUNT(hellos); i++)
		turned_away(MSG_HELLO, hellos[i]);
	turned_away(MSG_FAILED, "0 3 0 0");
	join(1);
	wait_for(1);
	turned_away(MSG_HELLO, V " 1 node2"); /* is there already */
	assert_true(server_has(server, 1));
	assert_string_equal(launchers[0].log, "");
	shut();
}

/* A launcher of another release is told so, and leaves; once. */
static void foreign(void **state)
{
	struct end e;

	(void)state;
	hub_begin(3);
	join(1);
	strcpy(launchers[1].hello, "99 1 node2 9.9");
	run_until(&launchers[1].left);
	assert_non_null(
		strstr(launchers[1].log,
		       "Zdist-train: node2 9.9 speaks version 99 of the "
		       "launchers' messages, and the step's controller "
		       "version " V " (slurm-dist-train "));
	assert_non_null(strstr(launchers[1].log, "\n L1 "));
	assert_false(server_has(server, 1));
	knock(&e);
	end_send(&e, MSG_HELLO, "99 1 node2", 10);
	end_wait(&e, 3);
	end_send(&e, MSG_HELLO, V " 1 node2", strlen(V " 1 node2"));
	run_until(&e.lost);
	end_close(&e);
	assert_false(server_has(server, 1));
	shut();
}

/* Two of another release that speak the same version: one of them says so. */
static void mixed(void **state)
{
	(void)state;
	hub_begin(3);
	for (unsigned i = 1; i < 3; i++) {
		join(i);
		snprintf(launchers[i].hello, sizeof(launchers[i].hello),
			 V " %u node%u 9.9", i, i + 1);
		wait_for(i);
	}
	run_until_so(has_text, launchers[1].log);
	assert_string_equal(launchers[1].log,
			    "Zdist-train: node2 has slurm-dist-train 9.9, and "
			    "the step's controller " PACKAGE_VERSION ": "
			    "install one release on all hosts\n ");
	server_tell(server, 2, MSG_SAY, "no more", strlen("no more"));
	run_until_so(has_text, launchers[2].log);
	assert_string_equal(launchers[2].log, "Zno more ");
	shut();
}

/* A member that says it is another one, too: it is lost, and a place in the
 * table of neither is left to it. */
static void two_hellos(void **state)
{
	struct end e;

	(void)state;
	hub_begin(4);
	join(1);
	wait_for(1);
	knock(&e);
	end_send(&e, MSG_HELLO, V " 2 node3", strlen(V " 2 node3"));
	wait_for(2);
	end_send(&e, MSG_HELLO, V " 3 node4", strlen(V " 3 node4"));
	run_until(&e.lost);
	end_close(&e);
	assert_false(server_has(server, 2));
	assert_false(server_has(server, 3));
	run_until_so(is_ended, launchers[1].log);
	assert_non_null(strstr(said, "task 2 on node3"));
	shut();
}

/* Another user's launcher at our port, with another secret */
static void wrong_secret(void **state)
{
	struct secure_conn_step other = step;

	(void)state;
	other.secret = other_secret;
	hub_begin(3);
	join_as(1, &other, 1);
	join(2);
	wait_for(2);
	run_until(&launchers[1].late);
	assert_false(client_is_there(launchers[1].member));
	assert_false(server_has(server, 1));
	shut();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(silent_strangers),
		cmocka_unit_test(flooded),
		cmocka_unit_test(few_descriptors),
		cmocka_unit_test(no_descriptors),
		cmocka_unit_test(bad_hello),
		cmocka_unit_test(foreign),
		cmocka_unit_test(mixed),
		cmocka_unit_test(two_hellos),
		cmocka_unit_test(wrong_secret),
	};

	return cmocka_run_group_tests(tests, open_loop, shut_loop);
}
