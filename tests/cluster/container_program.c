/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compiled with musl-gcc: a program whose C library is the container's. It
 * prints which that is, and its rank; with an argument it ends with that
 * status where its rank is 1.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#ifdef __GLIBC__
#define LIBC "glibc"
#else
#define LIBC "another"
#endif

int main(int argc, char **argv)
{
	const char *rank = getenv("RANK");

	printf("libc=%s rank=%s\n", LIBC, rank ? rank : "none");
	fflush(stdout);
	if (argc < 2)
		return 0;
	if (rank && atoi(rank) == 1)
		return atoi(argv[1]);
	sleep(60);
	return 0;
}
