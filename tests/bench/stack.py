# SPDX-License-Identifier: Apache-2.0
"""stack.py FOLDER: steps of DistributedDataParallel over Gloo until FOLDER/go is
there; rank 0 writes the time of each to FOLDER/steps."""
import os
import sys
import time

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

folder = sys.argv[1]
dist.init_process_group("gloo")
model = DistributedDataParallel(torch.nn.Linear(64, 64))
ends = torch.zeros(1)
with open(f"{folder}/steps.{dist.get_rank()}", "w", 1) as steps:
    while not ends.item():
        model(torch.ones(8, 64)).sum().backward()
        steps.write(f"{time.time()}\n")
        if dist.get_rank() == 0 and os.path.exists(f"{folder}/go"):
            ends += 1
        dist.broadcast(ends, 0)
dist.destroy_process_group()
