# SPDX-License-Identifier: Apache-2.0
"""DistributedDataParallel over Gloo that says how far it is, until GO is there.

usage: progress_ddp.py EXAMPLES GO
"""
import os
import sys
import time

import torch
import torch.distributed as dist

sys.path.insert(0, sys.argv[1])
from progress import progress  # noqa: E402

dist.init_process_group("gloo")
rank, world = dist.get_rank(), dist.get_world_size()
torch.manual_seed(0)
model = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(4, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for step in range(1, 1001):
    loss = model(torch.ones(8, 4) * (rank + 1)).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    progress(step, 1000, loss=loss.detach(), busy=50 + rank)
    done = torch.tensor([os.path.exists(sys.argv[2])], dtype=torch.int)
    dist.all_reduce(done)  # all leave after the same step
    if done:
        break
    time.sleep(0.1)
os.write(1, f"trained rank={rank} world={world} \n".encode())
