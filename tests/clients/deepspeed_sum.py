# SPDX-License-Identifier: Apache-2.0
"""All ranks add up their numbers through DeepSpeed's own communication; nothing
but deepspeed.init_distributed().

deepspeed_sum.py [FAIL-RANK CODE]: that rank ends with CODE after the first sum,
which all have "added"; without CODE by an exception. DeepSpeed's launcher gives
--local_rank=N.
"""
import os
import sys

import deepspeed
import deepspeed.comm as dist
import torch
from torch.distributed.elastic.multiprocessing.errors import record

words = [w for w in sys.argv[1:] if not w.startswith("--local_rank=")]


def places():
    return (
        f"node={os.environ.get('SLURMD_NODENAME')}"
        f" cross={os.environ.get('CROSS_RANK')}/{os.environ.get('CROSS_SIZE')}"
    )


def total():
    number = torch.ones(1000) * (dist.get_rank() + 1)
    dist.all_reduce(number)
    return int(number[0])


@record
def main():
    deepspeed.init_distributed(dist_backend="gloo")
    rank, world = dist.get_rank(), dist.get_world_size()
    found = total()
    if found != world * (world + 1) // 2:
        sys.exit(f"rank {rank}: the sum is {found}")
    by_launcher = len(words) < len(sys.argv) - 1
    if not by_launcher and dist.get_local_rank() != int(
        os.environ["SLURM_LOCALID"]
    ):
        sys.exit(f"rank {rank}: local rank {dist.get_local_rank()}")
    if words:
        print(f"added rank={rank} {places()}", flush=True)
        dist.barrier()
    if words and rank == int(words[0]):
        if len(words) < 2:
            raise ValueError("no more data")
        sys.stdout.flush()
        os._exit(int(words[1]))
    if words:
        total()
    # In one piece, also under `python -u`, as its launcher calls it
    print(
        f"trained rank={rank} world={world} sum={found} {places()}"
        f" at={os.environ['MASTER_ADDR']}:{os.environ['MASTER_PORT']}\n",
        end="",
        flush=True,
    )
    dist.barrier()
    dist.destroy_process_group()


main()
