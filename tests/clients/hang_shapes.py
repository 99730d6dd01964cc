# SPDX-License-Identifier: Apache-2.0
"""Training with DistributedDataParallel over Gloo, in which one rank hangs.

hang_shapes.py [--sigterm] SHAPE RANK [FILE]: after three steps RANK does SHAPE:
  asleep     sleeps
  loop       runs `while True: pass`
  gil        is in a C function that holds the GIL
  stopped    stops itself (SIGSTOP)
  fuse       reads FILE, of hang_fuse.py, which never answers
  loader     waits for its DataLoader's worker, which hangs in a lock
  swallowed  has left the loop by an exception that nobody saw, and waits in a
             barrier
  order      calls two collectives in another order than its peers
  nothing    nothing: all ranks train for ever
With --sigterm all ranks handle SIGTERM, as trainers that save then do.

Each rank says "ready RANK PID" after its first step, and RANK says "hanging RANK
SECONDS-SINCE-THE-EPOCH" before it hangs. All wait at lines that end in "# hangs:
SHAPE" (also in hang_ways.py), or "# waits" for the others.
"""
import argparse
import os
import threading
import time

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, Dataset

from hang_ways import WAYS, handle_sigterm, say

HANG_AT = 3
PAUSE = 0.02


class Numbers(Dataset):
    """Without an end. Where `hangs`, the lock is held by a thread that a forked
    worker doesn't have."""

    def __init__(self, hangs):
        self.hangs = hangs
        self.lock = threading.Lock()

    def __len__(self):
        return 10**9

    def __getitem__(self, i):
        if self.hangs and i >= HANG_AT:
            say("hanging", dist.get_rank(), f"{time.time():.3f}")
            with self.lock:  # the worker waits here
                pass
        return torch.full((8,), float(i % 7))


def batches(hangs):
    if not hangs:
        return iter(DataLoader(Numbers(False)))
    numbers = Numbers(True)
    with numbers.lock:
        return iter(DataLoader(numbers, num_workers=1, prefetch_factor=2))


def hang(options):
    shape = options.shape
    if shape in ("nothing", "loader"):
        return
    say("hanging", dist.get_rank(), f"{time.time():.3f}")
    if shape == "swallowed":
        raise ValueError("a batch can't be read")
    if shape == "order":
        flag = torch.zeros(1)
        dist.broadcast(flag, options.rank)  # hangs: order
        dist.all_reduce(flag)
    WAYS[shape](options.file)


def train(options, model, optimizer, source):
    mine = dist.get_rank() == options.rank
    step = 0
    while True:
        batch = next(source)  # hangs: loader
        if mine and step == HANG_AT:
            hang(options)
        loss = model(batch).sum()
        loss.backward()  # waits
        optimizer.step()
        optimizer.zero_grad()
        mean = loss.detach() / dist.get_world_size()
        dist.all_reduce(mean)  # waits
        if step == 0:
            say("ready", dist.get_rank(), os.getpid())
        step += 1
        time.sleep(PAUSE)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--sigterm", action="store_true")
    parser.add_argument("shape")
    parser.add_argument("rank", type=int)
    parser.add_argument("file", nargs="?")
    options = parser.parse_args()
    if options.sigterm:
        handle_sigterm()
    torch.set_num_threads(1)
    dist.init_process_group("gloo")
    mine = dist.get_rank() == options.rank
    model = DistributedDataParallel(torch.nn.Linear(8, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-6)
    source = batches(mine and options.shape == "loader")
    try:
        train(options, model, optimizer, source)
    except ValueError:
        pass
    dist.barrier()  # hangs: swallowed


if __name__ == "__main__":
    main()
