/* SPDX-License-Identifier: Apache-2.0 */
/* doctor's listener and who talks to it. */
#include "helpers/cli/doctor/doctor.h"

#include "tests/fixtures/unit.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define STRANGERS 400

/* What doctor_listen() or doctor_reach() tells, without what is before. */
static void told(void (*call)(void), const char *key, char *ret, size_t size)
{
	int fd[2], own = dup(STDOUT_FILENO);
	char line[256] = "", *at;

	assert_int_equal(pipe(fd), 0);
	fflush(stdout);
	dup2(fd[1], STDOUT_FILENO);
	call();
	fflush(stdout);
	dup2(own, STDOUT_FILENO);
	close(own);
	close(fd[1]);
	assert_true(read(fd[0], line, sizeof(line) - 1) > 0);
	close(fd[0]);
	at = strstr(line, key);
	assert_non_null(at);
	snprintf(ret, size, "%s", at + strlen(key));
	ret[strcspn(ret, "\n")] = '\0';
}

static unsigned port;

static void listen_here(void)
{
	const struct doctor_options o = {
		.port_min = 20000, .port_max = 29000, .timeout_s = 120};

	doctor_listen(&o, "127.0.0.1");
}

static void reach_it(void)
{
	doctor_reach("127.0.0.1", port);
}

/* The pids of `pid`'s children; returns the first, or 0. */
static pid_t children(pid_t pid, unsigned *ret_n)
{
	char path[64];
	int child, first = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/children", pid, pid);
	f = fopen(path, "r");
	assert_non_null(f);
	for (*ret_n = 0; fscanf(f, "%d", &child) == 1; ++*ret_n)
		if (!first)
			first = child;
	fclose(f);
	return first;
}

static int call_it(void)
{
	struct sockaddr_in at = {.sin_family = AF_INET,
				 .sin_port = htons((uint16_t)port)};
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	assert_int_equal(connect(fd, (void *)&at, sizeof(at)), 0);
	return fd;
}

/* Who calls and says nothing costs no process, and a node is answered. */
static void strangers(void **state)
{
	struct rlimit r;
	int fd[STRANGERS];
	char text[256];
	unsigned n;
	pid_t pid;

	(void)state;
	getrlimit(RLIMIT_NOFILE, &r);
	r.rlim_cur = r.rlim_max;
	setrlimit(RLIMIT_NOFILE, &r);
	if (r.rlim_cur < STRANGERS + 50)
		skip();
	told(listen_here, "listening ", text, sizeof(text));
	port = (unsigned)atoi(text);
	pid = children(getpid(), &n);
	assert_int_equal(n, 1);
	for (unsigned i = 0; i < STRANGERS; i++)
		fd[i] = call_it();
	told(reach_it, "reach ", text, sizeof(text));
	assert_string_equal(text, "ok");
	children(pid, &n);
	assert_int_equal(n, 0);
	for (unsigned i = 0; i < STRANGERS; i++)
		close(fd[i]);
	told(reach_it, "reach ", text, sizeof(text));
	assert_string_equal(text, "ok");
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	told(reach_it, "reach ", text, sizeof(text));
	assert_string_equal(text, "Connection refused");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(strangers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
