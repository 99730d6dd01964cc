# SPDX-License-Identifier: Apache-2.0
"""The train.py of the platforms' documentation: a script that torch's launcher,
mpirun or a platform's arguments start. It adds up the ranks' numbers.

--init_method tcp://... [--rank NODE --world_size NODES]: ModelArts' arguments;
the script makes PROCS processes of its own, as torch.multiprocessing does.
"""
import argparse
import os
import sys

PROCS = 2


def add_up(rank, world, init_method):
    import torch
    import torch.distributed as dist

    dist.init_process_group(
        "gloo", init_method=init_method, rank=rank, world_size=world
    )
    number = torch.ones(10) * (rank + 1)
    dist.all_reduce(number)
    if int(number[0]) != world * (world + 1) // 2:
        sys.exit(f"rank {rank}: the sum is {int(number[0])}")
    tell(rank, world)
    dist.destroy_process_group()


def tell(rank, world):
    node = os.environ.get("SLURMD_NODENAME")
    # In one piece, also under `python -u`, as DeepSpeed's launcher calls it
    line = f"trained rank={rank} world={world} node={node}\n"
    print(line, end="", flush=True)


def spawn(options):
    import torch.multiprocessing

    torch.multiprocessing.spawn(
        worker, (options.rank, options.world_size, options), PROCS
    )


def worker(local, node, nodes, options):
    add_up(node * PROCS + local, nodes * PROCS, options.init_method)


def mpi():
    from mpi4py import MPI

    world = MPI.COMM_WORLD
    n = world.Get_size()
    if world.allreduce(world.Get_rank() + 1) != n * (n + 1) // 2:
        sys.exit("the sum is wrong")
    tell(world.Get_rank(), n)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--local_rank", "--local-rank", type=int)
    parser.add_argument("--data-dir")  # TI-ONE's; it needs none
    parser.add_argument("--init_method")
    parser.add_argument("--rank", type=int, default=0)
    parser.add_argument("--world_size", type=int, default=1)
    options = parser.parse_args()
    if options.init_method:
        spawn(options)
    elif "OMPI_COMM_WORLD_RANK" in os.environ:
        mpi()
    else:
        rank, world = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
        add_up(rank, world, "env://")


if __name__ == "__main__":
    main()
