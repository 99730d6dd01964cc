# srun -N2 --gpus-per-node=8 --dist-train=ddp python3 train_fsdp.py
# SPDX-License-Identifier: Apache-2.0
"""PyTorch's FSDP2: weights spread over all ranks. Run again, it goes on."""
import os
import socket

import torch
import torch.distributed as dist
import torch.distributed.checkpoint as dcp
from torch import nn
from torch.distributed.checkpoint.state_dict import get_state_dict, set_state_dict
from torch.distributed.fsdp import fully_shard

SAVED = "train_fsdp.saved"  # in a folder that all nodes see
if gpu := torch.cuda.is_available():
    torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
dist.init_process_group("nccl" if gpu else "gloo")
device, rank = "cuda" if gpu else "cpu", dist.get_rank()
mesh = dist.init_device_mesh(device, (dist.get_world_size(),))
torch.manual_seed(rank)
model = nn.Sequential(nn.Linear(8, 16), nn.Tanh(), nn.Linear(16, 1)).to(device)
for part in (model[0], model[2], model):
    fully_shard(part, mesh=mesh)
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
weights, moments = get_state_dict(model, optimizer)
if os.path.exists(SAVED):
    dcp.load({"model": weights, "optimizer": moments}, checkpoint_id=SAVED)
    set_state_dict(model, optimizer, model_state_dict=weights,
                   optim_state_dict=moments)
for step in range(100):
    x = torch.randn(64, 8, device=device)
    optimizer.zero_grad()
    (model(x) - x.sum(1, keepdim=True)).square().mean().backward()
    optimizer.step()
weights, moments = get_state_dict(model, optimizer)
dcp.save({"model": weights, "optimizer": moments}, checkpoint_id=SAVED)
total = sum(p.full_tensor().sum().item() for p in model.parameters())
print(f"rank {rank} of {dist.get_world_size()} on {socket.gethostname()}: "
      f"weights {total:.6f}")
dist.destroy_process_group()
