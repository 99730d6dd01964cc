/* SPDX-License-Identifier: Apache-2.0 */
/* All MPI ranks add up their numbers; also twice 64 KiB, for which libraries
 * leave their ways for short messages. Then each gives its own to each. */
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define N     8192
#define RANKS 256

static double in[N], out[N];

/* Whether each has got its number from each. */
static bool all_pairs(int rank, int size)
{
	int mine[RANKS], theirs[RANKS];

	for (int i = 0; i < size; i++)
		mine[i] = rank * RANKS + i;
	MPI_Alltoall(mine, 1, MPI_INT, theirs, 1, MPI_INT, MPI_COMM_WORLD);
	for (int i = 0; i < size; i++)
		if (theirs[i] != i * RANKS + rank)
			return false;
	return true;
}

/* MPICH before 4.2 over UCX mostly waits for ever in MPI_Finalize, under a bare
 * srun too: who has reached PMI's barrier answers nobody who still closes a
 * connection (pmodels/mpich, pull request 6596). */
static void finish(void)
{
	fflush(stdout);
#if defined(MPICH_NUMVERSION) && MPICH_NUMVERSION < 40200000
	_exit(0);
#else
	MPI_Finalize();
#endif
}

int main(int argc, char **argv)
{
	const char *ours = getenv("DIST_TRAIN_RANK");
	/* run-on=first: the variables are those of the launcher */
	const char *role = getenv("DIST_TRAIN_ROLE");
	bool of_mpirun = role && !strcmp(role, "launcher");
	int rank, size, expected;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	for (int i = 0; i < N; i++)
		in[i] = rank + 1;
	MPI_Allreduce(in, out, N, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
	expected = size * (size + 1) / 2;
	if (size > RANKS || !all_pairs(rank, size) || (int)out[0] != expected ||
	    (int)out[N - 1] != expected ||
	    (!of_mpirun && (!ours || atoi(ours) != rank))) {
		fprintf(stderr, "rank %d: sum %g, rank %s for us\n", rank,
			out[0], ours ? ours : "none");
		MPI_Abort(MPI_COMM_WORLD, 1);
	}
	printf("trained rank=%d world=%d sum=%d node=%s\n", rank, size,
	       expected, getenv("SLURMD_NODENAME"));
	finish();
	return 0;
}
