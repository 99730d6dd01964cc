# SPDX-License-Identifier: Apache-2.0
"""Training that is told all by arguments, as PyTorch's imagenet example is."""
import argparse

import torch
import torch.distributed as dist

from leave import leave


def main():
    """Add up the ranks' numbers, and say so."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--dist-url", required=True)
    parser.add_argument("--world-size", type=int, required=True)
    parser.add_argument("--rank", type=int, required=True)
    args = parser.parse_args()
    dist.init_process_group(
        "gloo",
        init_method=args.dist_url,
        world_size=args.world_size,
        rank=args.rank,
    )
    number = torch.ones(1) * (args.rank + 1)
    dist.all_reduce(number)
    print(
        f"trained rank={args.rank} world={args.world_size} sum={int(number)}",
        flush=True,
    )
    dist.barrier()
    leave()


main()
