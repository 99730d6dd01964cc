# SPDX-License-Identifier: Apache-2.0
"""sum_until.py FOLDER: PyTorch over Gloo, an all_reduce after the other until
FOLDER/go is there. Each rank leaves FOLDER/up.RANK at its first sum, and prints
a line every 20 steps. Rank 1 sleeps in each step: all others wait for it. With
metrics=on each reports its step, rate, and the share of its time before the sum.
"""
import os
import sys
import time

import torch
import torch.distributed as dist


def report(step, rate, busy):
    path = os.environ.get("DIST_TRAIN_PROGRESS_FILE")
    if path:
        with open(path, "w", encoding="ascii") as f:
            f.write(f"step={step} rate={rate:.1f} busy={busy:.1f}\n")


def main():
    folder = sys.argv[1]
    dist.init_process_group("gloo")
    rank = dist.get_rank()
    step, end, work = 0, torch.zeros(1), 0
    since = time.monotonic()
    while end[0] == 0:
        begin = time.monotonic()
        if rank == 1:
            time.sleep(0.02)
        end[0] = float(rank == 0 and os.path.exists(folder + "/go"))
        work += time.monotonic() - begin
        dist.all_reduce(end)
        step += 1
        if step == 1:
            open(f"{folder}/up.{rank}", "w").close()
        if step % 20 == 0:
            took = time.monotonic() - since
            report(step, 20 / took, 100 * work / took)
            os.write(1, f"rank {rank} step {step}\n".encode())
            since, work = time.monotonic(), 0
    dist.barrier()
    dist.destroy_process_group()
    os.write(1, f"rank {rank} done\n".encode())


main()
