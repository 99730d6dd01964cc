# SPDX-License-Identifier: Apache-2.0
"""Training that looks like a hang and isn't one.

steady.py MODE SECONDS PHASES: PHASES times a phase of SECONDS, with a step of
all ranks before and after each:
  checkpoint  rank 0 writes a file, the others wait
  evaluate    rank 0 computes, the others wait
  compile     rank 0 waits for programs that compute, the others wait
  slow        all ranks compute, one step in all of that time
  silent      all ranks train, and say nothing
  debugger    rank 0 is in pdb, the others wait

Rank 0 says "steady MODE" when all is done.
"""
import os
import pdb
import random
import subprocess
import sys
import tempfile
import threading
import time

import torch
import torch.distributed as dist

from leave import leave

WIDTH = 2000
SIZE = 256  # of what is sent; PyTorch's, for the stand-in sends one number


def forward(weights, x):
    """Each layer calls the next one, so that no two have the same stack: what is
    always in the same functions may be in a loop."""
    x = [max(0.0, weights[0] * v) for v in x]
    return forward(weights[1:], x) if weights[1:] else x


def normalize(x):
    norm = sum(v * v for v in x) ** 0.5
    return [v / (norm + 1) for v in x]


def loss(x):
    return sum(v * v for v in x) / len(x)


def one_batch():
    x = [random.random() for _ in range(WIDTH)]
    return loss(normalize(forward([random.random() for _ in range(20)], x)))


def compute(until):
    while time.monotonic() < until:
        one_batch()


def checkpoint(until):
    with tempfile.TemporaryFile() as f:
        while time.monotonic() < until:
            f.write(os.urandom(1 << 16))
            f.flush()
            time.sleep(0.1)


def compile_first(until):
    code = "x = [i * i for i in range(300000)]\n" * 8
    while time.monotonic() < until:
        subprocess.run([sys.executable, "-c", code], check=True)


def debugger(until):
    read, write = os.pipe()

    def go_on():
        time.sleep(max(0, until - time.monotonic()))
        os.write(write, b"c\n")

    threading.Thread(target=go_on).start()
    with open(read) as commands, open(os.devnull, "w") as nothing:
        pdb.Pdb(stdin=commands, stdout=nothing).set_trace()
        os.close(write)


ALONE = {
    "checkpoint": checkpoint,
    "evaluate": compute,
    "compile": compile_first,
    "debugger": debugger,
}


def phase(mode, seconds):
    until = time.monotonic() + seconds
    if mode == "slow":
        compute(until)
    elif mode == "silent":
        left = torch.tensor(float(seconds))
        dist.broadcast(left, 0)
        for _ in range(int(float(left)) * 10):
            dist.all_reduce(torch.ones(SIZE, SIZE))
            time.sleep(0.1)
    elif dist.get_rank() == 0:
        ALONE[mode](until)


def main():
    mode, seconds, phases = sys.argv[1], float(sys.argv[2]), int(sys.argv[3])
    torch.set_num_threads(1)
    dist.init_process_group("gloo")
    for _ in range(phases):
        dist.all_reduce(torch.ones(1))
        phase(mode, seconds)
        dist.barrier()
    if dist.get_rank() == 0:
        os.write(1, f"steady {mode}\n".encode())
    leave()


if __name__ == "__main__":
    main()
