/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ring SECONDS: a training that needs no library. All ranks meet at rank 0
 * every 50 ms, until rank 0 says that the time is over. A rank that loses the
 * others hangs, as one does in NCCL, and only its launcher or Slurm ends it.
 *
 * Last line of each rank: ring RANK/WORLD done
 */
#include <err.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <sys/socket.h>

static const char *need(const char *name)
{
	const char *value = getenv(name);

	if (!value)
		errx(2, "ring: no %s", name);
	return value;
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

static void hang(void)
{
	for (;;)
		pause();
}

static struct addrinfo *find(const char *host)
{
	struct addrinfo *list,
		hints = {.ai_family = AF_INET, .ai_socktype = SOCK_STREAM};
	int status = getaddrinfo(host, need("DIST_TRAIN_MASTER_PORT"), &hints,
				 &list);

	if (status)
		errx(2, "ring: %s: %s", host, gai_strerror(status));
	return list;
}

static void accept_all(int *peers, int n)
{
	struct addrinfo *a = find("0.0.0.0");
	int fd = socket(a->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0), one = 1;

	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (fd < 0 || bind(fd, a->ai_addr, a->ai_addrlen) || listen(fd, n + 1))
		err(2, "ring: port %s", need("DIST_TRAIN_MASTER_PORT"));
	for (int i = 0; i < n; i++) {
		peers[i] = accept4(fd, NULL, NULL, SOCK_CLOEXEC);
		if (peers[i] < 0)
			err(2, "ring: accept");
	}
	close(fd);
}

static int reach_rank0(void)
{
	struct addrinfo *a = find(need("DIST_TRAIN_MASTER_ADDR"));

	for (;;) {
		int fd = socket(a->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);

		if (fd < 0)
			err(2, "ring: socket");
		if (!connect(fd, a->ai_addr, a->ai_addrlen))
			return fd;
		close(fd);
		usleep(50000);
	}
}

/* Returns what rank 0 says: 'g' go on, 's' stop */
static char sum(const int *peers, int n, char word)
{
	for (int i = 0; i < n; i++) {
		char c;

		if (read(peers[i], &c, 1) != 1)
			hang();
	}
	for (int i = 0; i < n; i++)
		if (send(peers[i], &word, 1, MSG_NOSIGNAL) != 1)
			hang();
	return word;
}

static void lead(int n, double seconds)
{
	int *peers = calloc(n + 1, sizeof(*peers));
	double end;

	if (!peers)
		err(2, "ring");
	accept_all(peers, n);
	end = now() + seconds;
	while (sum(peers, n, now() < end ? 'g' : 's') != 's')
		usleep(50000);
}

static void follow(void)
{
	int fd = reach_rank0();
	char word = 'g';

	while (word != 's')
		if (send(fd, "x", 1, MSG_NOSIGNAL) != 1 ||
		    read(fd, &word, 1) != 1)
			hang();
}

int main(int argc, char **argv)
{
	const char *rank = need("DIST_TRAIN_RANK");
	int world = atoi(need("DIST_TRAIN_WORLD_SIZE"));

	if (argc != 2)
		errx(2, "usage: ring SECONDS");
	if (!strcmp(rank, "0"))
		lead(world - 1, atof(argv[1]));
	else
		follow();
	printf("ring %s/%d done\n", rank, world);
	return 0;
}
