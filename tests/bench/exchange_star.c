/* SPDX-License-Identifier: Apache-2.0 */
/*
 * exchange_star MEMBERS ROWS [asked|tokens|fails|lost]: the exchange before a
 * rank table, with the launcher's own server, members and sealed links, over
 * loopback: the server in this process, all members in another one, or in as
 * many as the limit of descriptors asks for. One line:
 * the milliseconds until the server has all facts, until the last member has
 * everybody's and until the last one may start; the server's CPU time; both
 * processes' largest memory; the bytes that the server has sent. Before it,
 * when the text goes by branches, how many inner members there are and how many
 * others had to ask the server again. ROWS may be 0: members meet, and have
 * nothing to say. asked: each asks the server for the secret first, as where
 * srun hasn't made it; what opens the answer on each node isn't there. tokens:
 * the same by Slurm's own authentication, whose real socket on this host, which
 * is slurmctld's or slurmd's of a test cluster, makes and verifies the tokens
 * of all (run it there, as a user). fails, lost: when all may start, the last
 * member says that its process has failed, or its node is gone: how long until
 * all others were told to end.
 *
 * All members share the machine with the server, so that the times are above
 * those of as many nodes. A member that gets the text from another one takes
 * three descriptors.
 */
#include "core/facts/handover.h"
#include "helpers/auth/asker.h"
#include "helpers/auth/giver.h"
#include "helpers/conn/client.h"
#include "helpers/gather/fetch.h"
#include "helpers/server/server.h"
#include "sys/socket.h"
#include "tests/bench/exchange_facts.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define TIMEOUT_S 600
/* As long as MUNGE's */
#define HUNDRED                                                                \
	"0123456789012345678901234567890123456789012345678901234567890123456"  \
	"789012345678901234567890123456789"
#define CREDENTIAL "MUNGE:" HUNDRED HUNDRED HUNDRED ":\n"

struct seat {
	struct client *member;
	struct asker *asker;
	struct fetch *fetch;
	char hello[64];
	unsigned number;
	bool has_all;
};

static struct loop loop;
static unsigned n, nrows, first_port;
static unsigned nown, nall, ngone, nended; /* of this process's members */
static double begun, facts_ms, acted, told_ms;
static const char *then;   /* "fails", "lost"; NULL: that is all */
static const char *answer; /* NULL: nobody asks so */
static bool tokens;
static const struct auth by_slurm = {.by_slurm = true};
static const unsigned char secret[SECRET_SIZE] = {1, 2, 3};
static struct secure_conn_step step = {
	.loop = &loop,
	.secret = secret,
	.id = "1.0.0",
	/* A process of 5,000 members that unpack takes long to come round. */
	.lease_s = 240,
};

/* What processes of members tell at their end, together. */
static struct result {
	double all_ms;
	unsigned nserve, nask, nprocs;
} result, total;

static unsigned nprocs;
static int results; /* a pipe's end */

static unsigned long long nsent; /* bytes, by this process */

/* libc's, for all that is linked here */
ssize_t send(int fd, const void *data, size_t size, int flags)
{
	ssize_t rc = sendto(fd, data, size, flags, NULL, 0);

	nsent += rc > 0 ? (unsigned long long)rc : 0;
	return rc;
}

static double now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static unsigned port(const void *arg, unsigned attempt)
{
	(void)arg;
	return attempt < 8 ? first_port + attempt : 0;
}

/* --- members --- */

static void lost(void *arg, int why)
{
	(void)arg;
	die(strerror(why));
}

static unsigned own_port(const void *arg, unsigned attempt)
{
	const struct seat *seat = arg;

	return attempt < 8 ? 4000 + seat->number + attempt : 0;
}

static void to_server(void *arg, char type, const char *data, size_t size)
{
	struct seat *seat = arg;

	result.nserve += type == MSG_SERVES;
	result.nask += type == MSG_ASK;
	client_send(seat->member, type, data, size);
}

static void end_of_one(struct seat *last)
{
	acted = now_ms();
	if (!then)
		loop_stop(&loop);
	else if (!strcmp(then, "fails"))
		client_send(last->member, MSG_FAILED, "0 3 0 0", 7);
	else
		client_close(last->member);
}

static void heard(void *arg, char type, const char *data, size_t size)
{
	struct seat *seat = arg;

	if (fetch_message(seat->fetch, type, data, size))
		return;
	if (type == MSG_GATHERED) {
		if (size < (size_t)n * nrows * 20)
			die("not all facts");
		seat->has_all = true;
		client_send(seat->member, MSG_READY, "", 0);
		if (++nall == nown)
			result.all_ms = now_ms() - begun;
	} else if (type == MSG_GO && ++ngone == nown) {
		end_of_one(seat + (n - 1) - seat->number);
	} else if (type == MSG_END && seat->number < n - 1 &&
		   ++nended == n - 2) {
		told_ms = now_ms() - acted;
		loop_stop(&loop);
	}
}

static enum client_now answered(void *arg, const char *text)
{
	(void)arg;
	return strcmp(text, answer) == 0 ? CLIENT_SECRET : CLIENT_NO_SECRET;
}

static enum client_now took(void *arg, const char *text)
{
	struct seat *seat = arg;
	unsigned char got[SECRET_SIZE];
	struct err err;

	if (asker_open_answer(seat->asker, text, got, &err) < 0 ||
	    memcmp(got, secret, sizeof(got)) != 0)
		die(err.text);
	return CLIENT_SECRET;
}

static struct asker *new_asker(void)
{
	const struct asker_options options = {
		.loop = &loop, .auth = by_slurm, .id = step.id};
	struct err err;
	struct asker *asker = tokens ? asker_open(&options, &err) : NULL;

	if (tokens && !asker)
		die(err.text);
	return asker;
}

/* Be every nprocs-th member from `first` on. With one that ends before the
 * others this is all of them. */
static void be_members(unsigned first, int out)
{
	struct seat *seat = calloc(n, sizeof(*seat));
	char *text = malloc((size_t)nrows * ROW_MAX + 1);
	struct err err;

	if (!seat || !text || loop_open(&loop, &err) < 0)
		die("no memory");
	for (unsigned i = first; i < n; i += nprocs, nown++) {
		struct client_options o = {
			.step = &step,
			.ip = "127.0.0.1",
			.hello = seat[i].hello,
			.timeout_s = TIMEOUT_S,
			.ncrowd = n,
			.asker = seat[i].asker = new_asker(),
			.answered = answer   ? answered
				    : tokens ? took
					     : NULL,
			.port = port,
			.message = heard,
			.late = lost,
			.lost = lost,
			.arg = &seat[i],
		};

		struct fetch_options f = {
			.step = &step,
			.n = n,
			.ip = "127.0.0.1",
			.node = "node",
			.port = own_port,
			.port_arg = &seat[i],
			.send = to_server,
			.message = heard,
			.arg = &seat[i],
		};

		seat[i].number = i;
		seat[i].fetch = fetch_new(&f);
		snprintf(seat[i].hello, sizeof(seat[i].hello), "%d %u node%05u",
			 MESSAGE_VERSION, i, i);
		seat[i].member = client_open(&o, &err);
		if (!seat[i].member)
			die(err.text);
		client_send(seat[i].member, MSG_GATHER, text,
			    facts_of(i, nrows, text));
	}
	if (loop_run(&loop, &err) < 0)
		die(err.text);
	if (then)
		printf("%s-known-to-all=%.0fms ", then, told_ms);
	fflush(stdout);
	if (write(out, &result, sizeof(result)) != sizeof(result))
		die("write");
	_exit(0);
}

/* --- the server --- */

static struct server *server;

static void server_heard(void *arg, char type, const char *data, size_t size)
{
	(void)arg;
	(void)data;
	(void)size;
	if (type == MSG_GATHERED) {
		facts_ms = now_ms() - begun;
		server_handle(server, 0, MSG_READY, "", 0);
	}
}

static void say(void *arg, const char *line)
{
	(void)arg;
	(void)line; /* that members leave, at the end */
}

static bool never(const void *arg, int code)
{
	(void)arg;
	(void)code;
	return false;
}

static void members_ended(void *arg, uint32_t events)
{
	(void)arg;
	(void)events;
	if (read(results, &result, sizeof(result)) != sizeof(result))
		die("the members have failed");
	if (result.all_ms > total.all_ms)
		total.all_ms = result.all_ms;
	total.nserve += result.nserve;
	total.nask += result.nask;
	if (++total.nprocs == nprocs)
		loop_stop(&loop);
}

static const char *says(void *arg)
{
	(void)arg;
	return answer;
}

static void stop(void *arg)
{
	(void)arg;
	loop_stop(&loop);
}

static void open_hub(char *text)
{
	struct arbiter_options r = {
		.loop = &loop,
		.restarts_on = never,
		.say = say,
	};
	const struct giver_options gives = {
		.loop = &loop,
		.auth = by_slurm,
		.id = step.id,
		.secret = secret,
	};
	struct server_options o = {
		.step = &step,
		.n = n,
		.node = "node00000",
		.answer = answer ? says : NULL,
		.listen_fd = socket_listen(NULL, port(NULL, 0), SOMAXCONN),
		.message = server_heard,
		.over = stop,
	};
	struct err err;

	if (loop_open(&loop, &err) < 0)
		die(err.text);
	o.giver = tokens ? giver_open(&gives, &err) : NULL;
	server = server_open(&o, &r, &err);
	if (!server)
		die(err.text);
	server_handle(server, 0, MSG_GATHER, text, facts_of(0, nrows, text));
}

static double seconds(struct timeval t)
{
	return (double)t.tv_sec + (double)t.tv_usec / 1e6;
}

static void report(double go_ms)
{
	struct rusage own, members;

	getrusage(RUSAGE_SELF, &own);
	getrusage(RUSAGE_CHILDREN, &members);
	if (total.nserve)
		printf("inner=%u asked-again=%u ", total.nserve, total.nask);
	printf("members=%u rows=%u secret=%s facts-at-server=%.0fms "
	       "all-have-facts=%.0fms "
	       "all-may-start=%.0fms server-cpu=%.0fms members-cpu=%.0fms "
	       "server=%ldMiB members=%ldMiB server-sent=%.1fMB\n",
	       n, n * nrows,
	       answer	? "asked"
	       : tokens ? "tokens"
			: "handed",
	       facts_ms, total.all_ms, go_ms,
	       1e3 * (seconds(own.ru_utime) + seconds(own.ru_stime)),
	       1e3 * (seconds(members.ru_utime) + seconds(members.ru_stime)),
	       own.ru_maxrss >> 10, members.ru_maxrss >> 10,
	       (double)nsent / 1e6);
}

/* How many processes the members need; one where they are to end. */
static unsigned count_processes(void)
{
	struct rlimit files;
	unsigned long need = 3UL * n + 100;

	getrlimit(RLIMIT_NOFILE, &files);
	files.rlim_cur = files.rlim_max;
	setrlimit(RLIMIT_NOFILE, &files);
	return then || !nrows ? 1 : (unsigned)(need / files.rlim_max + 1);
}

static void start_members(const int fds[2])
{
	fflush(stdout);
	for (unsigned i = 0; i < nprocs; i++) {
		pid_t pid = fork();

		if (pid < 0)
			die("no members");
		if (pid)
			continue;
		close(fds[0]);
		be_members(i + 1, fds[1]);
	}
	close(fds[1]);
}

int main(int argc, char **argv)
{
	struct loop_watch watch = {.ready = members_ended};
	struct err err;
	int fds[2];
	char *text;

	n = argc >= 3 ? (unsigned)atoi(argv[1]) : 0;
	nrows = argc >= 3 ? (unsigned)atoi(argv[2]) : 0;
	if (argc == 4 && !strcmp(argv[3], "asked"))
		answer = CREDENTIAL;
	tokens = argc == 4 && !strcmp(argv[3], "tokens");
	if (argc == 4 &&
	    (!strcmp(argv[3], "fails") || !strcmp(argv[3], "lost")))
		then = argv[3];
	if (n < 2 || argc != 3 + (answer || tokens || then))
		die("usage: exchange_star MEMBERS ROWS "
		    "[asked|tokens|fails|lost]");
	nprocs = count_processes();
	first_port = 20000 + (unsigned)getpid() % 8000;
	text = malloc((size_t)nrows * ROW_MAX + 1);
	if (!text || pipe(fds) < 0)
		die("no memory");
	begun = now_ms();
	start_members(fds);
	open_hub(text);
	watch.fd = results = fds[0];
	if (loop_watch(&loop, &watch, 1, &err) < 0 || loop_run(&loop, &err) < 0)
		die("no members");
	while (wait(NULL) > 0)
		;
	report(now_ms() - begun);
	return 0;
}
