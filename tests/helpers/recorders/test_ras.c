/* SPDX-License-Identifier: Apache-2.0 */
/* Who listens at the port of NCCL's RAS, and breaks its connections. */
#include "helpers/recorders/recorders.h"

#include "sys/socket.h"
#include "tests/fixtures/unit.h"

#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define NEVER	 1000000
#define SHORT_MS 500
#define LONG_MS	 20000

static const char *report = "SERVER PROTOCOL 2\nall is well\n";
static unsigned *nconnections, port;
static pid_t server;

/* The question is read, and the connection is reset. */
static void take(int fd, unsigned nresets)
{
	const struct linger at_once = {.l_onoff = 1};
	struct pollfd p = {.fd = fd, .events = POLLIN};
	char text[256];

	poll(&p, 1, LONG_MS);
	if (read(fd, text, sizeof(text)) <= 0)
		return;
	if (++*nconnections <= nresets)
		setsockopt(fd, SOL_SOCKET, SO_LINGER, &at_once,
			   sizeof(at_once));
	else if (write(fd, report, strlen(report)) < 0)
		_exit(1);
	close(fd);
}

static void start(unsigned nresets)
{
	int fd = socket_listen("127.0.0.1", 0, 16);
	struct sockaddr_in at;
	socklen_t size = sizeof(at);
	struct pollfd p = {.fd = fd, .events = POLLIN};

	assert_true(fd >= 0);
	assert_int_equal(getsockname(fd, (struct sockaddr *)&at, &size), 0);
	port = ntohs(at.sin_port);
	*nconnections = 0;
	server = fork();
	if (server == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		while (poll(&p, 1, -1) == 1)
			take(accept(fd, NULL, NULL), nresets);
		_exit(0);
	}
	close(fd);
}

static void stop(void)
{
	kill(server, SIGKILL);
	waitpid(server, NULL, 0);
}

/* Again and again, but not as fast as it can. */
static void resets_for_ever(void **state)
{
	struct err err;
	char *text;

	(void)state;
	start(NEVER);
	assert_int_equal(ras_ask(port, SHORT_MS, &text, &err), -1);
	stop();
	assert_in_range(*nconnections, 1, SHORT_MS / 25);
}

/* The next one has the port, too. */
static void another_one_answers(void **state)
{
	struct err err;
	char *text;

	(void)state;
	start(2);
	assert_int_equal(ras_ask(port, LONG_MS, &text, &err), 0);
	stop();
	assert_string_equal(text, "all is well\n");
	free(text);
}

/* A stranger at the port says what a terminal would obey. */
static void only_text(void **state)
{
	struct err err;
	char *text;

	(void)state;
	report = "SERVER PROTOCOL "
		 "2\nr\xc3\xa4nk\t\033[2J\r\n\x9b\xff\033]0;x\a\n";
	start(0);
	assert_int_equal(ras_ask(port, LONG_MS, &text, &err), 0);
	stop();
	assert_string_equal(text, "r\xc3\xa4nk\t?[2J?\n???]0;x?\n");
	free(text);
	report = "SERVER PROTOCOL 2\nERROR \033[31mno\x9b\n";
	start(0);
	assert_int_equal(ras_ask(port, LONG_MS, &text, &err), -1);
	stop();
	assert_null(strpbrk(err.text, "\033\x9b"));
	assert_non_null(strstr(err.text, "ERROR ?[31mno?"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(resets_for_ever),
		cmocka_unit_test(another_one_answers),
		cmocka_unit_test(only_text),
	};

	nconnections = mmap(NULL, sizeof(*nconnections), PROT_READ | PROT_WRITE,
			    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	assert_ptr_not_equal(nconnections, MAP_FAILED);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
