#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""stuck.py FOLDER HOW RANK: steps of all_reduce over Gloo until the file
FOLDER/go is there; the rank RANK is at another place for so long. HOW: sleep,
loop (it computes), loader (its data loader's worker sleeps). Each rank that is at
its place leaves FOLDER/at.RANK. All end well then: a look at them does no harm."""
import os
import sys
import time

import torch
import torch.distributed as dist
from torch.utils.data import DataLoader, Dataset

folder, how, which = sys.argv[1], sys.argv[2], int(sys.argv[3])
rank = int(os.environ["RANK"])


def may_go():
    return os.path.exists(f"{folder}/go")


def here():
    open(f"{folder}/at.{rank}", "w").close()


class Data(Dataset):
    def __len__(self):
        return 8

    def __getitem__(self, index):
        while not may_go():
            time.sleep(0.05)
        return torch.ones(1)


def stuck():
    here()
    if how == "loader":
        return next(iter(DataLoader(Data(), num_workers=1)))
    while not may_go():
        if how == "sleep":
            time.sleep(0.05)


def train():
    ends = torch.zeros(1)
    while not ends.item():
        if rank == which:
            stuck()
        here()
        # One of them decides, so that all do so many steps
        ends = torch.ones(1) if rank == which and may_go() else torch.zeros(1)
        dist.all_reduce(ends)


dist.init_process_group("gloo")
train()
os.write(1, f"trained {rank}\n".encode())
dist.destroy_process_group()
