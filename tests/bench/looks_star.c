/* SPDX-License-Identifier: Apache-2.0 */
/*
 * looks_star MEMBERS ROWS LOOKS: a command that looks into a step, with the
 * launchers' own server, controller and sealed connections, over loopback: the
 * server in this process, all members in a second one, the visitor, LOOKS
 * times, in a third. Each member answers with ROWS rows of 80 bytes. One line:
 * the milliseconds from the visitor's connect until he has been told all (the
 * least, the median, the most); the server's CPU time for each look; its
 * largest memory before and after.
 */
#include "helpers/channel/session.h"
#include "helpers/conn/client.h"
#include "helpers/conn/message.h"
#include "helpers/launch/launch.h"
#include "helpers/look/look_state.h"
#include "helpers/part/part.h"
#include "helpers/server/server.h"
#include "helpers/step/query.h"
#include "sys/socket.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define TIMEOUT_S 60
#define ROW                                                                    \
	"rank\t12345\t4194304\t86400000\tR\t99.8\t123456789012\tpython3 "      \
	"train.py --config large\n"

struct seat {
	struct client *client;
	char hello[64];
};

static struct launch l;
static struct job job;
static struct controller c = {.loop = &l.loop, .members = &job};
static struct server *server;
static unsigned n, nrows, nlooks, first_port, nup, nshown;
static bool told;
static const unsigned char secret[SECRET_SIZE] = {1, 2, 3};
static struct secure_conn_step step = {
	.loop = &l.loop,
	.secret = secret,
	.id = "1.0.0",
	.lease_s = 15,
};

static double now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static void die(const char *what)
{
	fprintf(stderr, "looks_star: %s\n", what);
	exit(1);
}

static unsigned port(const void *arg, unsigned attempt)
{
	(void)arg;
	return attempt < 8 ? first_port + attempt : 0;
}

/* --- what the launcher has of its session, and the controller --- */

struct server *controller_server(const struct controller *controller)
{
	(void)controller;
	return server;
}

const char *controller_node_of(const struct controller *controller,
			       unsigned member)
{
	(void)controller;
	return server_node_of(server, member);
}

char *step_rows(const struct controller *controller)
{
	(void)controller;
	return NULL;
}

void controller_lost(struct controller *controller, unsigned member)
{
	(void)controller;
	(void)member;
}

void session_send(struct session *session, char type, const char *data,
		  size_t size)
{
	(void)session;
	server_handle(server, 0, type, data, size);
}

/* --- members --- */

static void lost(void *arg, int why)
{
	(void)arg;
	(void)why;
	_exit(0);
}

/* NUMBER MS WHAT: the same number, and the rows. */
static void answer(struct seat *seat, const char *data)
{
	size_t size = 32 + nrows * strlen(ROW);
	char *text = malloc(size);
	size_t at;

	if (!text)
		die("no memory");
	at = (size_t)snprintf(text, size, "%ld ", strtol(data, NULL, 10));
	for (unsigned i = 0; i < nrows; i++, at += strlen(ROW))
		memcpy(text + at, ROW, strlen(ROW));
	client_send(seat->client, MSG_SEEN, text, at);
	free(text);
}

static void heard(void *arg, char type, const char *data, size_t size)
{
	(void)size;
	if (type == MSG_LOOK)
		answer(arg, data);
}

static void be_members(void)
{
	struct seat *seat = calloc(n, sizeof(*seat));
	struct err err;

	if (!seat || loop_open(&l.loop, &err) < 0)
		die("no memory");
	for (unsigned i = 1; i < n; i++) {
		struct client_options o = {
			.step = &step,
			.ip = "127.0.0.1",
			.hello = seat[i].hello,
			.timeout_s = TIMEOUT_S,
			.port = port,
			.message = heard,
			.late = lost,
			.lost = lost,
			.arg = &seat[i],
		};

		snprintf(seat[i].hello, sizeof(seat[i].hello), "%d %u node%05u",
			 MESSAGE_VERSION, i, i);
		seat[i].client = client_open(&o, &err);
		if (!seat[i].client)
			die(err.text);
		client_send(seat[i].client, MSG_UP, "1", 1);
	}
	loop_run(&l.loop, &err);
	_exit(0);
}

/* --- the visitor --- */

static void shown(void *arg, char type, const char *data, size_t size)
{
	(void)arg;
	(void)data;
	nshown += type == MSG_SHOW && size > nrows * strlen(ROW);
	if (type != MSG_SHOWN)
		return;
	told = true;
	loop_stop(&l.loop);
}

static double visit(void)
{
	char hello[64];
	struct client_options o = {
		.step = &step,
		.ip = "127.0.0.1",
		.hello_type = MSG_VISIT,
		.hello = hello,
		.timeout_s = TIMEOUT_S,
		.port = port,
		.message = shown,
		.late = lost,
		.lost = lost,
	};
	double begun = now_ms();
	struct client *client;
	struct err err;

	snprintf(hello, sizeof(hello), "%d 5000 status", MESSAGE_VERSION);
	nshown = 0;
	told = false;
	client = client_open(&o, &err);
	if (!client || loop_run(&l.loop, &err) < 0 || !told || nshown != n - 1)
		die("the visitor wasn't told all");
	client_close(client);
	return now_ms() - begun;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void be_visitor(void)
{
	double *ms = calloc(nlooks, sizeof(*ms));
	struct err err;

	if (!ms || loop_open(&l.loop, &err) < 0)
		die("no memory");
	for (unsigned i = 0; i < nlooks; i++)
		ms[i] = visit();
	qsort(ms, nlooks, sizeof(*ms), compare);
	printf("members=%u rows=%u looks=%u least=%.0fms median=%.0fms "
	       "most=%.0fms ",
	       n, n * nrows, nlooks, ms[0], ms[nlooks / 2], ms[nlooks - 1]);
	fflush(stdout);
	_exit(0);
}

/* --- the server --- */

/* MSG_LOOK */
static void look_told(const char *text)
{
	look_part.messages->take(&l, text);
}

static void server_heard(void *arg, char type, const char *data, size_t size)
{
	(void)arg;
	(void)size;
	if (type == MSG_LOOK)
		look_told(data);
}

static void up(void *arg, unsigned member, const char *text)
{
	(void)arg;
	(void)member;
	nup += (unsigned)atoi(text);
	if (nup == n - 1)
		loop_stop(&l.loop);
}

static void say(void *arg, const char *line)
{
	(void)arg;
	(void)line;
}

static bool never(const void *arg, int code)
{
	(void)arg;
	(void)code;
	return false;
}

static void stop(void *arg)
{
	(void)arg;
	loop_stop(&l.loop);
}

static void open_server(void)
{
	struct arbiter_options r = {
		.loop = &l.loop,
		.restarts_on = never,
		.say = say,
	};
	static struct subscription told[] = {
		{.type = MSG_UP, .take = up, .next = &told[1]},
		{.type = MSG_SEEN, .arg = &c},
	};
	struct server_options o = {
		.step = &step,
		.n = n,
		.node = "node00000",
		.listen_fd = socket_listen(NULL, port(NULL, 0), SOMAXCONN),
		.message = server_heard,
		.over = stop,
		.told = told,
	};
	struct err err;

	told[1].take = query_of_step.told->take;
	job.ntasks = n;
	launch_show(&l);
	if (loop_open(&l.loop, &err) < 0 || query_of_step.open(&c, &err) < 0 ||
	    visitors_of_step.open(&c, &err) < 0)
		die(err.text);
	o.visits = controller_visits(&c);
	server = server_open(&o, &r, &err);
	if (!server)
		die(err.text);
}

static double cpu_ms(void)
{
	struct rusage u;

	getrusage(RUSAGE_SELF, &u);
	return 1e3 * (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
	       (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) / 1e3;
}

static long memory_kib(void)
{
	struct rusage u;

	getrusage(RUSAGE_SELF, &u);
	return u.ru_maxrss;
}

static pid_t start(void (*run)(void))
{
	pid_t pid = fork();

	if (pid == 0)
		run();
	if (pid < 0)
		die("no process");
	return pid;
}

static void ended(void *arg, uint32_t events)
{
	(void)arg;
	(void)events;
	loop_stop(&l.loop);
}

int main(int argc, char **argv)
{
	struct loop_watch watch = {.ready = ended};
	struct rlimit files;
	pid_t members, visitor;
	double cpu;
	long memory;
	struct err err;
	int fds[2];

	if (argc != 4)
		die("usage: looks_star MEMBERS ROWS LOOKS");
	n = (unsigned)atoi(argv[1]);
	nrows = (unsigned)atoi(argv[2]);
	nlooks = (unsigned)atoi(argv[3]);
	if (n < 2 || !nlooks)
		die("at least two members and one look");
	getrlimit(RLIMIT_NOFILE, &files);
	files.rlim_cur = files.rlim_max;
	setrlimit(RLIMIT_NOFILE, &files);
	first_port = 20000 + (unsigned)getpid() % 8000;
	members = start(be_members);
	open_server();
	if (loop_run(&l.loop, &err) < 0 || pipe(fds) < 0)
		die("no members");
	cpu = cpu_ms();
	memory = memory_kib();
	visitor = fork();
	if (visitor == 0) {
		close(fds[0]);
		be_visitor();
	}
	close(fds[1]);
	watch.fd = fds[0];
	if (visitor < 0 || loop_watch(&l.loop, &watch, EPOLLIN, &err) < 0 ||
	    loop_run(&l.loop, &err) < 0)
		die("no visitor");
	printf("server-cpu=%.1fms server=%ldKiB->%ldKiB\n",
	       (cpu_ms() - cpu) / nlooks, memory, memory_kib());
	kill(members, SIGKILL);
	waitpid(members, NULL, 0);
	waitpid(visitor, NULL, 0);
	return 0;
}
