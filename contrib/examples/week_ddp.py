# sbatch week.sbatch week_ddp.py
# SPDX-License-Identifier: Apache-2.0
"""PyTorch that saves and ends when it is signalled (SIGUSR1), and goes on in its next run."""
import os
import signal

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

told, step, end, STEPS = [], 0, False, 10000
signal.signal(signal.SIGUSR1, lambda *_: told.append(1))
if gpu := torch.cuda.is_available():
    torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
device = "cuda" if gpu else "cpu"
dist.init_process_group("nccl" if gpu else "gloo")
rank, world = dist.get_rank(), dist.get_world_size()
model = DistributedDataParallel(torch.nn.Linear(8, 1).to(device))
adam = torch.optim.Adam(model.parameters(), lr=0.001)
if os.path.exists("week.pt"):
    step, weights, moments = torch.load("week.pt", map_location=device)
    model.load_state_dict(weights)
    adam.load_state_dict(moments)
while step < STEPS and not end:
    step += 1
    torch.manual_seed(step * world + rank)  # the step says which samples are next
    x = torch.randn(64, 8).to(device)
    adam.zero_grad()
    (model(x) - x.sum(1, keepdim=True)).square().mean().backward()
    adam.step()
    end = torch.tensor(len(told), device=device)
    dist.all_reduce(end)  # whoever is told first: all end after the same step
    if rank == 0 and (end or step in (10, STEPS) or step % 1000 == 0):
        torch.save((step, model.state_dict(), adam.state_dict()), "week.new")
        os.replace("week.new", "week.pt")
        print(f"saved step {step}", flush=True)
        print(step, file=open("week.step", "w"), flush=True)
print(f"rank {rank} of {world} on {os.uname().nodename}: weights "
      f"{model.module.weight.sum():.6f}")
dist.destroy_process_group()
