/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A training that needs no library, and goes wrong on demand. All ranks meet at
 * rank 0, again and again: no rank goes on without the others.
 *
 * ring SECONDS: for so long, by rank 0's clock. Who loses a peer hangs, as in
 * NCCL, until SIGTERM. Last line of each rank: ring RANK/WORLD done
 *
 * ring WAY [RANK [FILE]]: after some meetings RANK does as misbehave.py does:
 *   exit      ends with exit code 3
 *   zero      ends with exit code 0
 *   segv      writes to address 0
 *   kill      is killed
 *   oom       takes memory without end
 *   hang      ends with exit code 3; its peers hang, and ignore SIGTERM
 *   twice     is killed in the first two lives of the step
 *   fill      all write more than a small disk takes, and end well
 *   signal    nothing; SIGUSR1 and SIGUSR2 are told in a line
 *   raise     ends with 1, and an error file as torch writes it
 *   slow      needs 20 ms for each meeting; all tell how far they are, and
 *             have filled 16 MiB of memory for 50 ms of a processor
 *   nothing   nothing: they run until they are ended, or until FILE is there
 * Who loses a peer ends with 1, as Gloo's RuntimeError does; but see hang.
 * Lines: ready RANK LIFE PORT; failing RANK SECONDS; trained RANK LIFE
 */
#include <err.h>
#include <math.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <arpa/inet.h>
#include <sys/resource.h>
#include <sys/socket.h>

#define PAUSE_US 20000

static const char *way, *file;
static int rank, world, life, culprit = -1;
static double seconds = INFINITY;
static int *peers; /* of rank 0: all others; of those: rank 0 */
static int npeers;

static const char *need(const char *name)
{
	const char *value = getenv(name);

	if (!value)
		errx(2, "ring: no %s", name);
	return value;
}

static double now(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

static int is(const char *name)
{
	return !strcmp(way, name);
}

/* In one piece */
__attribute__((format(printf, 1, 2))) static void say(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vdprintf(1, format, args);
	va_end(args);
}

/* --- the ways ------------------------------------------------------------- */

/* What torch's decorator `record` writes */
static void raise_error(const char *what)
{
	const char *path = getenv("TORCHELASTIC_ERROR_FILE");
	FILE *f = path ? fopen(path, "we") : NULL;

	if (f) {
		fprintf(f,
			"{\"message\": {\"message\": \"%s\", \"extraInfo\": "
			"{\"py_callstack\": \"Traceback (most recent call "
			"last):\\n%s\\n\", \"timestamp\": \"%ld\"}}}",
			what, what, (long)time(NULL));
		fclose(f);
	}
	errx(1, "%s", what);
}

static void take_memory(void)
{
	for (;;) {
		char *more = malloc(16 << 20);

		if (more)
			memset(more, 'x', 16 << 20);
	}
}

static void go_wrong(void)
{
	int *volatile nowhere = NULL;

	say("failing %d %.3f\n", rank, now(CLOCK_REALTIME));
	if (is("exit") || is("hang"))
		_exit(3);
	if (is("zero"))
		_exit(0);
	if (is("raise"))
		raise_error("ValueError: the loss is not a number");
	if (is("segv"))
		*nowhere = 1;
	if (is("oom"))
		take_memory();
	if (is("kill") || (is("twice") && life < 2))
		kill(getpid(), SIGKILL);
}

static void lose_a_peer(void)
{
	/* The memory of the one that the kernel ends is given back first:
	 * another could end before it */
	if (isinf(seconds) && !is("hang") && !is("oom"))
		raise_error("RuntimeError: Connection closed by peer");
	if (is("hang"))
		signal(SIGTERM, SIG_IGN);
	for (;;)
		pause();
}

static void tell_signal(int number)
{
	say("usr%d %d\n", number == SIGUSR1 ? 1 : 2, rank);
}

static void write_much(void)
{
	static char line[100001];

	memset(line, 'x', sizeof(line) - 1);
	say("%s\n", line);
}

/* Of 20 meetings each; `work` is the time outside of them */
static void report(int meeting, double *work, double *since)
{
	const char *path = getenv("DIST_TRAIN_PROGRESS_FILE");
	double took = now(CLOCK_MONOTONIC) - *since;
	FILE *f = path ? fopen(path, "we") : NULL;

	if (f) {
		fprintf(f, "step=%d rate=%.1f busy=%.1f\n", meeting, 20 / took,
			100 * *work / took);
		fclose(f);
	}
	say("rank %d step %d\n", rank, meeting);
	*work = 0;
	*since += took;
}

/* For what is to be seen of a process */
static void be_seen(void)
{
	char *memory = malloc(16 << 20);

	while (memory && now(CLOCK_PROCESS_CPUTIME_ID) < 0.05)
		memset(memory, 'x', 16 << 20);
}

/* --- meetings ------------------------------------------------------------- */

static struct sockaddr_in address(const char *host)
{
	struct sockaddr_in a = {
		.sin_family = AF_INET,
		.sin_port = htons(atoi(need("DIST_TRAIN_MASTER_PORT")))};

	if (inet_pton(AF_INET, host, &a.sin_addr) != 1)
		errx(2, "ring: '%s' is no address", host);
	return a;
}

static int listen_here(void)
{
	struct sockaddr_in a = address("0.0.0.0");
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), one = 1;

	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (fd >= 0 && !bind(fd, (void *)&a, sizeof(a)) &&
	    !listen(fd, npeers + 1))
		return fd;
	warn("port %s", need("DIST_TRAIN_MASTER_PORT"));
	/* who has it */
	if (system("ss -tanpe sport = :$DIST_TRAIN_MASTER_PORT >&2") < 0)
		warn("ss");
	exit(2);
}

static void accept_all(void)
{
	int fd = listen_here();

	for (int i = 0; i < npeers; i++) {
		peers[i] = accept4(fd, NULL, NULL, SOCK_CLOEXEC);
		if (peers[i] < 0)
			err(2, "ring: accept");
	}
	close(fd);
}

static int reach_rank0(void)
{
	struct sockaddr_in a = address(need("DIST_TRAIN_MASTER_ADDR"));

	for (;;) {
		int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

		if (fd < 0)
			err(2, "ring: socket");
		if (!connect(fd, (void *)&a, sizeof(a)))
			return fd;
		close(fd);
		usleep(50000);
	}
}

static void send_all(char word)
{
	for (int i = 0; i < npeers; i++)
		if (send(peers[i], &word, 1, MSG_NOSIGNAL) != 1)
			lose_a_peer();
}

static char read_all(void)
{
	char word = 0;

	for (int i = 0; i < npeers; i++)
		if (read(peers[i], &word, 1) != 1)
			lose_a_peer();
	return word;
}

/* Returns what rank 0 says: 'g' go on, 's' stop */
static char meet(char word)
{
	if (rank) {
		send_all('x');
		return read_all();
	}
	read_all();
	send_all(word);
	return word;
}

/* Asked of rank 0 */
static int is_last(int meeting, double end)
{
	return now(CLOCK_MONOTONIC) >= end ||
	       (meeting == 4 && (is("fill") || is("twice"))) ||
	       (file && !access(file, F_OK));
}

static void train(void)
{
	double since = now(CLOCK_MONOTONIC), end = since + seconds, work = 0;
	char word = 'g';

	for (int meeting = 1; word != 's'; meeting++) {
		double begin = now(CLOCK_MONOTONIC);

		if (rank == culprit && is("slow"))
			usleep(20000);
		work += now(CLOCK_MONOTONIC) - begin;
		word = meet(is_last(meeting, end) ? 's' : 'g');
		if (meeting == 1 && isinf(seconds))
			say("ready %d %d %s\n", rank, life,
			    need("DIST_TRAIN_MASTER_PORT"));
		if (meeting == 3 && rank == culprit)
			go_wrong();
		if (is("fill"))
			write_much();
		if (is("slow") && meeting % 20 == 0)
			report(meeting, &work, &since);
		if (!is("slow"))
			usleep(PAUSE_US);
	}
}

/* --- the start ------------------------------------------------------------ */

static void take_words(int argc, char **argv)
{
	char *rest;

	if (argc < 2 || argc > 4)
		errx(2, "usage: ring SECONDS | ring WAY [RANK [FILE]]");
	way = argv[1];
	if (argc > 2)
		culprit = atoi(argv[2]);
	if (argc > 3)
		file = argv[3];
	seconds = strtod(way, &rest);
	if (*rest)
		seconds = INFINITY;
}

static void take_environment(void)
{
	const char *restart = need("DIST_TRAIN_RESTART"),
		   *torchs = getenv("TORCHELASTIC_RESTART_COUNT");

	rank = atoi(need("DIST_TRAIN_RANK"));
	world = atoi(need("DIST_TRAIN_WORLD_SIZE"));
	life = atoi(restart);
	if (torchs && strcmp(torchs, restart))
		errx(2, "ring: torch counts other restarts");
}

int main(int argc, char **argv)
{
	struct sigaction tell = {.sa_handler = tell_signal,
				 .sa_flags = SA_RESTART};
	static char line[BUFSIZ];

	/* Who is killed between two pieces of a line would leave the first */
	setvbuf(stderr, line, _IOLBF, sizeof(line));
	take_words(argc, argv);
	take_environment();
	setrlimit(RLIMIT_CORE, &(struct rlimit){0});
	if (is("signal")) {
		sigaction(SIGUSR1, &tell, NULL);
		sigaction(SIGUSR2, &tell, NULL);
	}
	if (is("slow"))
		be_seen();
	npeers = rank ? 1 : world - 1;
	peers = calloc(npeers + 1, sizeof(*peers));
	if (!peers)
		err(2, "ring");
	if (rank)
		peers[0] = reach_rank0();
	else
		accept_all();
	train();
	if (isinf(seconds))
		say("trained %d %d\n", rank, life);
	else
		say("ring %d/%d done\n", rank, world);
	return 0;
}
