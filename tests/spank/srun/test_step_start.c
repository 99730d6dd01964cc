/* SPDX-License-Identifier: Apache-2.0 */
/* What the controller beside srun gets from srun. This test is the program,
 * too, when it is started by that name. */
#include "spank/srun/step_start.h"

#include "spank/slurm/slurmctld.h"
#include "sys/socket.h"
#include "tests/fixtures/unit.h"

#include <arpa/inet.h>
#include <dlfcn.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define PATIENCE_MS 60000
#define OWN	    "/proc/self/exe"
#define SPAN	    3

enum { PORT_FD = 3, FACTS_FD, LINE_FD };

extern char **environ;

/* --- the program --- */

struct report {
	char name[64];
	unsigned port, facts_port;
	unsigned char line[512];
	ssize_t nline;
	bool own_group, ignores, blocks, has_preload, has_kept;
	bool has_no_terminal;
};

static unsigned port_of(int fd)
{
	struct sockaddr_in6 any = {0};
	socklen_t len = sizeof(any);

	if (getsockname(fd, (struct sockaddr *)&any, &len) < 0)
		return 0;
	return ntohs(any.sin6_port);
}

static bool ignores(int sig)
{
	struct sigaction now;

	sigaction(sig, NULL, &now);
	return now.sa_handler == SIG_IGN;
}

static bool blocks(int sig)
{
	sigset_t now;

	sigprocmask(SIG_BLOCK, NULL, &now);
	return sigismember(&now, sig);
}

static bool has_preload(void)
{
	bool found = false;

	for (char **e = environ; *e; e++)
		found |= strncmp(*e, "LD_", 3) == 0;
	return found;
}

static bool has_no_terminal(void)
{
	char path[32], to[32];
	bool none = true;

	for (int fd = 0; fd < 3; fd++) {
		ssize_t n;

		snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
		n = readlink(path, to, sizeof(to));
		none &= n == 9 && memcmp(to, "/dev/null", 9) == 0;
	}
	return none;
}

static int be_program(const char *name)
{
	struct report r = {
		.port = port_of(PORT_FD),
		.facts_port = port_of(FACTS_FD),
		.own_group = getpgrp() == getpid(),
		.ignores = ignores(SIGPIPE),
		.blocks = blocks(SIGTERM),
		.has_preload = has_preload(),
		.has_kept = getenv("KEPT") != NULL,
		.has_no_terminal = has_no_terminal(),
	};

	snprintf(r.name, sizeof(r.name), "%s", name);
	r.nline = recv(LINE_FD, r.line, sizeof(r.line), MSG_DONTWAIT);
	return send(LINE_FD, &r, sizeof(r), MSG_NOSIGNAL) != sizeof(r);
}

/* --- what stands in for Slurm, and for libc --------------------------------
 */

static unsigned min, max; /* SrunPortRange; 0: none */
static const char *program;
static char asked[4096]; /* that was to be started */
static pid_t child;

bool slurmctld_srun_ports(struct port_range *ret)
{
	*ret = (struct port_range){.min = min, .max = max};
	return min != 0;
}

int posix_spawn(pid_t *pid, const char *path,
		const posix_spawn_file_actions_t *actions,
		const posix_spawnattr_t *attr, char *const argv[],
		char *const env[])
{
	__typeof__(&posix_spawn) real =
		(__typeof__(&posix_spawn))dlsym(RTLD_NEXT, "posix_spawn");
	int rc = real(&child, program, actions, attr, argv, env);

	snprintf(asked, sizeof(asked), "%s", path);
	*pid = child;
	return rc;
}

/* ---------------------------------------------------------------------------
 */

static const struct handover_secret secret = {.secret = "secret"};
static unsigned try_ports[4]; /* the last one is 0 */

static unsigned port_to_try(const void *arg, unsigned try)
{
	(void)arg;
	return try_ports[try];
}

static const struct step_ports ports = {.port = port_to_try};
static struct step_doors doors;
static const struct step_start step = {
	.name = "7.0.1",
	.secret = &secret,
	.credential = "MUNGE:credential",
	.doors = &doors,
};
static int line_fd;
static struct err err;

static int open_and_start(void)
{
	if (step_doors_open(&ports, &doors, &err) < 0)
		return -1;
	return step_start(&step, &line_fd, &err);
}

/* Ports that nobody has, from that one on. */
static void take_free_ports(unsigned from)
{
	int fd[3];

	for (unsigned i = from; i < 3; i++) {
		fd[i] = socket_listen(NULL, 0, 1);
		try_ports[i] = port_of(fd[i]);
	}
	for (unsigned i = from; i < 3; i++)
		close(fd[i]);
}

static int begin(void **state)
{
	(void)state;
	program = OWN;
	min = max = 0;
	take_free_ports(0);
	return 0;
}

static unsigned lowest_free_fd(void)
{
	int fd = dup(0);

	close(fd);
	return (unsigned)fd;
}

/* What the program says, which then ends. */
static struct report report(void)
{
	struct pollfd p = {.fd = line_fd, .events = POLLIN};
	struct report r;
	char byte;
	int status;

	assert_int_equal(poll(&p, 1, PATIENCE_MS), 1);
	assert_int_equal(recv(line_fd, &r, sizeof(r), MSG_WAITALL), sizeof(r));
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	assert_int_equal(recv(line_fd, &byte, 1, 0), 0);
	close(line_fd);
	return r;
}

static void set_signals(bool ours)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigprocmask(ours ? SIG_BLOCK : SIG_UNBLOCK, &set, NULL);
	signal(SIGPIPE, ours ? SIG_IGN : SIG_DFL);
}

static void it_has_nothing_of_sruns(void **state)
{
	unsigned before = lowest_free_fd();
	struct report r;

	(void)state;
	setenv("LD_PRELOAD_OF_USER", "x", 1);
	setenv("KEPT", "x", 1);
	set_signals(true);
	assert_int_equal(open_and_start(), 0);
	set_signals(false);
	r = report();
	assert_non_null(strstr(asked, "/dist-train-step"));
	assert_string_equal(r.name, "7.0.1");
	assert_true(r.own_group);
	assert_true(r.has_no_terminal);
	assert_true(r.has_kept);
	assert_false(r.has_preload);
	assert_false(r.ignores);
	assert_false(r.blocks);
	assert_int_equal(lowest_free_fd(), before);
}

/* All is there before it starts. */
static void secret_in_the_line(void **state)
{
	struct report r;

	(void)state;
	assert_int_equal(open_and_start(), 0);
	r = report();
	assert_int_equal(r.nline, sizeof(secret) + strlen(step.credential));
	assert_memory_equal(r.line, &secret, sizeof(secret));
	assert_memory_equal(r.line + sizeof(secret), step.credential,
			    strlen(step.credential));
}

static void ports_without_a_range(void **state)
{
	int busy = socket_listen(NULL, 0, 1);
	struct report r;

	(void)state;
	try_ports[0] = port_of(busy);
	take_free_ports(1);
	assert_int_equal(open_and_start(), 0);
	r = report();
	close(busy);
	assert_int_equal(doors.port, try_ports[1]);
	assert_int_equal(r.port, doors.port);
	assert_int_equal(doors.facts_port, try_ports[2]);
	assert_int_equal(r.facts_port, doors.facts_port);
}

static void ports_in_the_range(void **state)
{
	struct report r;

	(void)state;
	min = 20000 + (unsigned)getpid() % 5000 * SPAN;
	max = min + SPAN - 1;
	assert_int_equal(open_and_start(), 0);
	r = report();
	assert_int_equal(r.port, min + (unsigned)getpid() % SPAN);
	assert_int_equal(r.facts_port, min + ((unsigned)getpid() + 1) % SPAN);
	assert_int_equal(r.port, doors.port);
	assert_int_equal(r.facts_port, doors.facts_port);
}

/* One port is there, and two are needed. */
static void range_is_full(void **state)
{
	unsigned before = lowest_free_fd();

	(void)state;
	min = max = try_ports[0];
	assert_int_equal(open_and_start(), -1);
	assert_non_null(strstr(err.text, "SrunPortRange"));
	assert_non_null(strstr(err.text, strerror(EADDRINUSE)));
	assert_int_equal(lowest_free_fd(), before);
}

static void no_program(void **state)
{
	unsigned before = lowest_free_fd();

	(void)state;
	program = "/dev/null/none";
	assert_int_equal(open_and_start(), -1);
	assert_non_null(strstr(err.text, "/dist-train-step: "));
	assert_non_null(strstr(err.text, strerror(ENOTDIR)));
	assert_non_null(strstr(err.text, "install"));
	assert_int_equal(lowest_free_fd(), before);
}

#define CASE(name) cmocka_unit_test_setup(name, begin)

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		CASE(it_has_nothing_of_sruns), CASE(secret_in_the_line),
		CASE(ports_without_a_range),   CASE(ports_in_the_range),
		CASE(range_is_full),	       CASE(no_program),
	};

	if (argc == 2 && strcmp(argv[0], "dist-train-step") == 0)
		return be_program(argv[1]);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
