# SPDX-License-Identifier: Apache-2.0
"""All ranks add up their numbers through DeepSpeed's own communication; nothing
but deepspeed.init_distributed().

deepspeed_sum.py [FAIL-RANK CODE]: that rank ends with CODE after the first sum.
"""
import os
import sys

import deepspeed
import deepspeed.comm as dist
import torch


def total():
    number = torch.ones(1000) * (dist.get_rank() + 1)
    dist.all_reduce(number)
    return int(number[0])


def main():
    deepspeed.init_distributed(dist_backend="gloo")
    rank, world = dist.get_rank(), dist.get_world_size()
    found = total()
    if found != world * (world + 1) // 2:
        sys.exit(f"rank {rank}: the sum is {found}")
    if dist.get_local_rank() != int(os.environ["SLURM_LOCALID"]):
        sys.exit(f"rank {rank}: local rank {dist.get_local_rank()}")
    if len(sys.argv) > 2 and rank == int(sys.argv[1]):
        sys.stdout.flush()
        os._exit(int(sys.argv[2]))
    if len(sys.argv) > 2:
        total()
    print(
        f"trained rank={rank} world={world} sum={found}"
        f" node={os.environ.get('SLURMD_NODENAME')}"
        f" cross={os.environ['CROSS_RANK']}/{os.environ['CROSS_SIZE']}",
        flush=True,
    )


main()
