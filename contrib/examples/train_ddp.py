# srun -N2 --gpus-per-node=8 --dist-train=ddp python3 train_ddp.py
# SPDX-License-Identifier: Apache-2.0
"""PyTorch's DistributedDataParallel, on GPUs, or on CPUs where there is none."""
import os
import socket

import torch
import torch.distributed as dist
from torch.nn.functional import mse_loss
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


def train(device, lr):
    torch.manual_seed(1)
    x = torch.randn(4096, 8)
    data = TensorDataset(x, x.sum(1, keepdim=True) + x[:, :1] ** 2 / 10)
    sampler = DistributedSampler(data)
    model = DistributedDataParallel(torch.nn.Linear(8, 1).to(device))
    optimizer = torch.optim.SGD(model.parameters(), lr)
    for epoch in range(3):
        sampler.set_epoch(epoch)
        for x, y in DataLoader(data, batch_size=64, sampler=sampler):
            optimizer.zero_grad()
            loss = mse_loss(model(x.to(device)), y.to(device))
            loss.backward()
            optimizer.step()
        if dist.get_rank() == 0:
            torch.save(model.module.state_dict(), "train_ddp.pt")
            print(f"epoch {epoch}: loss {loss:.4f}", flush=True)
    weights = sum(p.sum().item() for p in model.parameters())
    print(f"rank {dist.get_rank()} of {dist.get_world_size()} on "
          f"{socket.gethostname()}: weights {weights:.6f}")


if gpu := torch.cuda.is_available():
    torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
dist.init_process_group("nccl" if gpu else "gloo")
train("cuda" if gpu else "cpu", lr=float(os.environ.get("LR", "0.05")))
dist.destroy_process_group()
