/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A worker that writes, and the judge of what arrives.
 *
 *	talk lines COUNT MAX	lines of up to MAX bytes with their checksums,
 *				written in pieces of any size
 *	talk bytes COUNT MAX	COUNT bytes in writes of MAX
 *	talk judge NPROCS COUNT	read the labelled lines of NPROCS workers
 *	talk nonblock PROGRAM	make stdout non-blocking and run it
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NPROCS_MAX 1024

static uint32_t state;

static uint32_t below(uint32_t n)
{
	state = state * 1664525 + 1013904223;
	return n ? (state >> 8) % n : 0;
}

static uint32_t checksum(const char *text, size_t n)
{
	uint32_t sum = 2166136261;

	while (n--)
		sum = (sum ^ (unsigned char)*text++) * 16777619;
	return sum;
}

static void put_piecewise(const char *text, size_t n)
{
	while (n) {
		size_t piece = 1 + below(9000);
		ssize_t done = write(1, text, piece < n ? piece : n);

		if (done < 0)
			exit(1);
		text += done;
		n -= (size_t)done;
	}
}

/* RANK SEQUENCE CHECKSUM TEXT */
static int lines(unsigned rank, unsigned count, unsigned max)
{
	char *line = malloc(max + 64), *text = malloc(max + 1);

	state = rank + 1;
	for (unsigned i = 0; line && text && i < count; i++) {
		size_t len = below(max + 1);
		int head;

		memset(text, 'a' + (int)(i % 26), len);
		head = sprintf(line, "%u %u %u ", rank, i, checksum(text, len));
		memcpy(line + head, text, len);
		line[(size_t)head + len] = '\n';
		put_piecewise(line, (size_t)head + len + 1);
	}
	free(line);
	free(text);
	return 0;
}

static int bytes(unsigned long count, size_t max)
{
	char *text = malloc(max);

	if (!text)
		return 1;
	for (size_t i = 0; i < max; i++)
		text[i] = i % 100 == 99 ? '\n' : 'x';
	while (count) {
		size_t n = count < max ? count : max;

		if (write(1, text, n) != (ssize_t)n)
			return 1;
		count -= n;
	}
	free(text);
	return 0;
}

static int judge_line(const char *line, size_t n, unsigned nprocs,
		      unsigned *next)
{
	unsigned label, rank, sequence, sum;
	int head = 0;

	if (sscanf(line, "%u: %u %u %u%n", &label, &rank, &sequence, &sum,
		   &head) != 4 ||
	    line[head] != ' ')
		return -1;
	head++;
	if (label != rank || rank >= nprocs || sequence != next[rank] ||
	    checksum(line + head, n - (size_t)head - 1) != sum)
		return -1;
	next[rank]++;
	return 0;
}

static int judge(unsigned nprocs, unsigned count)
{
	static unsigned next[NPROCS_MAX];
	unsigned long number = 0;
	char *line = NULL;
	size_t size = 0;
	ssize_t n;

	while ((n = getline(&line, &size, stdin)) > 0) {
		number++;
		if (judge_line(line, (size_t)n, nprocs, next) == 0)
			continue;
		printf("line %lu is torn or out of order: %.60s\n", number,
		       line);
		return 1;
	}
	free(line);
	for (unsigned i = 0; i < nprocs; i++)
		if (next[i] != count) {
			printf("rank %u: %u of %u lines\n", i, next[i], count);
			return 1;
		}
	return 0;
}

int main(int argc, char **argv)
{
	const char *rank = getenv("RANK");
	unsigned long a = argc > 2 ? strtoul(argv[2], NULL, 10) : 0;
	unsigned b = argc > 3 ? (unsigned)atoi(argv[3]) : 0;

	if (argc == 4 && !strcmp(argv[1], "lines"))
		return lines(rank ? (unsigned)atoi(rank) : 0, (unsigned)a, b);
	if (argc == 4 && !strcmp(argv[1], "bytes"))
		return bytes(a, b);
	if (argc == 4 && !strcmp(argv[1], "judge") && a <= NPROCS_MAX)
		return judge((unsigned)a, b);
	if (argc > 2 && !strcmp(argv[1], "nonblock")) {
		fcntl(1, F_SETFL, fcntl(1, F_GETFL) | O_NONBLOCK);
		execv(argv[2], argv + 2);
	}
	return 2;
}
