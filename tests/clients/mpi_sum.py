# SPDX-License-Identifier: Apache-2.0
"""All MPI ranks add up their numbers, through mpi4py.

mpi_sum.py [FAIL-RANK CODE]: that rank ends with CODE after the first sum.
"""
import os
import sys

from mpi4py import MPI


def main():
    world = MPI.COMM_WORLD
    rank, size = world.Get_rank(), world.Get_size()
    found = world.allreduce(rank + 1)
    if found != size * (size + 1) // 2:
        sys.exit(f"rank {rank}: the sum is {found}")
    mine = [rank * size + i for i in range(size)]
    if world.alltoall(mine) != [i * size + rank for i in range(size)]:
        sys.exit(f"rank {rank}: another one's number")
    if str(rank) != os.environ["DIST_TRAIN_RANK"]:
        sys.exit(f"rank {rank} is {os.environ['DIST_TRAIN_RANK']} for us")
    if len(sys.argv) > 2 and rank == int(sys.argv[1]):
        sys.stdout.flush()
        os._exit(int(sys.argv[2]))
    if len(sys.argv) > 2:
        world.allreduce(rank)
    print(
        f"trained rank={rank} world={size} sum={found}"
        f" node={os.environ['SLURMD_NODENAME']}",
        flush=True,
    )
    # See finish() in mpi_sum.c
    if MPI.get_vendor()[0] == "MPICH" and MPI.get_vendor()[1] < (4, 2):
        os._exit(0)


main()
