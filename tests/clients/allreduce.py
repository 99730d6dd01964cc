# SPDX-License-Identifier: Apache-2.0
"""All ranks add up their numbers; nothing but init_process_group("gloo").

allreduce.py [FAIL-RANK CODE]: that rank ends with CODE after the first sum.
"""
import datetime
import os
import sys

import torch
import torch.distributed as dist

from leave import leave


def total():
    number = torch.ones(1000) * (dist.get_rank() + 1)
    dist.all_reduce(number)
    return int(number[0])


def main():
    dist.init_process_group("gloo", timeout=datetime.timedelta(seconds=60))
    rank, world = dist.get_rank(), dist.get_world_size()
    found = total()
    if found != world * (world + 1) // 2:
        sys.exit(f"rank {rank}: the sum is {found}")
    if len(sys.argv) > 2 and rank == int(sys.argv[1]):
        sys.stdout.flush()
        os._exit(int(sys.argv[2]))
    if len(sys.argv) > 2:
        total()
    print(
        f"trained rank={rank} world={world} sum={found}"
        f" node={os.environ.get('SLURMD_NODENAME')}"
        f" port={os.environ['MASTER_PORT']}",
        flush=True,
    )
    leave()


main()
