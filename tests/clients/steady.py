# SPDX-License-Identifier: Apache-2.0
"""Training over Gloo that looks like a hang and isn't one.

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
import subprocess
import sys
import tempfile
import threading
import time

import torch
import torch.distributed as dist

SIZE = 256


def forward(weights, x):
    for w in weights:
        x = torch.relu(x @ w)
    return x


def normalize(x):
    return x / (x.norm() + 1)


def loss(x):
    return float((x * x).mean())


def one_batch():
    weights = [torch.randn(SIZE, SIZE) for _ in range(20)]
    return loss(normalize(forward(weights, torch.randn(SIZE, SIZE))))


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
        left = torch.tensor([float(seconds)])
        dist.broadcast(left, 0)
        for _ in range(int(left[0]) * 10):
            dist.all_reduce(torch.randn(SIZE, SIZE))
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


if __name__ == "__main__":
    main()
