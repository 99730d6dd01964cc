# SPDX-License-Identifier: Apache-2.0
"""sum_until.py FOLDER: PyTorch over Gloo, an all_reduce after the other until
FOLDER/go is there. Each rank leaves FOLDER/up.RANK at its first sum, and prints
a line every 20 steps; rank 1 sleeps in each step, the others wait for it.
"""
import os
import sys
import time

import torch
import torch.distributed as dist


def main():
    folder = sys.argv[1]
    dist.init_process_group("gloo")
    rank = dist.get_rank()
    ballast = torch.ones(int(os.environ.get("BALLAST_MIB", "1")) << 18)
    step, end = 0, torch.zeros(1)
    while end[0] == 0:
        if rank == 1:
            time.sleep(0.02)
        end[0] = float(rank == 0 and os.path.exists(folder + "/go"))
        dist.all_reduce(end)
        step += 1
        if step == 1:
            open(f"{folder}/up.{rank}", "w").close()
        if step % 20 == 0:
            os.write(1, f"rank {rank} step {step}\n".encode())
    os.write(1, f"rank {rank} done {ballast.numel()}\n".encode())


main()
