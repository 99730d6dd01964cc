# SPDX-License-Identifier: Apache-2.0
"""A line through points, for the clients that train with a library of others:
the points, and what every rank checks after the training.

The points are the same everywhere and lie on the line of TRUTH, so that each
rank finds the same weights if, and only if, the ranks train together.
"""
import os
import sys

import torch
import torch.distributed as dist
from torch.utils.data import TensorDataset

TRUTH = [1.0, 2.0, 3.0, 4.0]


def points(number=1024):
    """A data set; the library hands a part of it to each rank."""
    torch.manual_seed(1)
    x = torch.randn(number, len(TRUTH))
    return TensorDataset(x, x @ torch.tensor(TRUTH).unsqueeze(1))


def check_sum():
    """All ranks are there, each once."""
    number = torch.tensor([dist.get_rank() + 1])
    dist.all_reduce(number)
    world = dist.get_world_size()
    if number.item() != world * (world + 1) // 2:
        sys.exit(f"rank {dist.get_rank()}: the sum is {number.item()}")


def check_same(weights):
    """The weights of all ranks are the same, to the last bit."""
    mine = weights.detach().clone().contiguous()
    others = [torch.empty_like(mine) for _ in range(dist.get_world_size())]
    dist.all_gather(others, mine)
    if not all(torch.equal(mine, other) for other in others):
        sys.exit(f"rank {dist.get_rank()}: others have other weights")


def report(layer, **more):
    """Check this rank's result, and print its line."""
    check_sum()
    check_same(layer.weight)
    found = layer.weight.detach().flatten()
    if not torch.allclose(found, torch.tensor(TRUTH), atol=0.05):
        sys.exit(f"rank {dist.get_rank()}: the weights are {found.tolist()}")
    tell(**more)


def tell(**more):
    """The line that the cases look for, in one piece."""
    line = f"trained rank={dist.get_rank()} world={dist.get_world_size()}"
    line += f" node={os.environ.get('SLURMD_NODENAME')}"
    for name, value in more.items():
        line += f" {name}={value}"
    print(line + "\n", end="", flush=True)
