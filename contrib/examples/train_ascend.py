# srun -N2 --gres=npu:8 --dist-train=ascend python3 train_ascend.py
# SPDX-License-Identifier: Apache-2.0
"""PyTorch on Ascend NPUs: torch_npu and HCCL. Without torch_npu on CPUs."""
import os
import socket

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

try:
    import torch_npu
except ImportError:
    torch_npu = None


def train(rank, device):
    model = DistributedDataParallel(torch.nn.Linear(8, 1).to(device))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    torch.manual_seed(rank)
    for step in range(100):
        x = torch.randn(64, 8).to(device)
        optimizer.zero_grad()
        loss = (model(x) - x.sum(1, keepdim=True)).square().mean()
        loss.backward()
        optimizer.step()
    weights = sum(p.sum().item() for p in model.parameters())
    print(f"rank {rank} of {dist.get_world_size()} on {socket.gethostname()}, "
          f"NPU {os.environ['ASCEND_DEVICE_ID']}: weights {weights:.6f}")


if torch_npu:
    torch.npu.set_device(int(os.environ["LOCAL_RANK"]))
dist.init_process_group("hccl" if torch_npu else "gloo")
train(dist.get_rank(), "npu" if torch_npu else "cpu")
dist.destroy_process_group()
