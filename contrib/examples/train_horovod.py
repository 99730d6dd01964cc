# srun -N2 --gpus-per-node=8 --dist-train=horovod python3 train_horovod.py
# SPDX-License-Identifier: Apache-2.0
"""Horovod with PyTorch, without horovodrun. With --ntasks-per-node=8 over MPI."""
import socket

import horovod.torch as hvd
import torch

hvd.init()
device = "cuda" if torch.cuda.is_available() else "cpu"
if device == "cuda":
    torch.cuda.set_device(hvd.local_rank())
model = torch.nn.Linear(8, 1).to(device)
optimizer = hvd.DistributedOptimizer(
    torch.optim.SGD(model.parameters(), lr=0.05),
    named_parameters=model.named_parameters())
hvd.broadcast_parameters(model.state_dict(), root_rank=0)
torch.manual_seed(hvd.rank())
for step in range(100):
    x = torch.randn(64, 8, device=device)
    optimizer.zero_grad()
    loss = (model(x) - x.sum(1, keepdim=True)).square().mean()
    loss.backward()
    optimizer.step()
    if hvd.rank() == 0 and step % 20 == 19:
        print(f"step {step}: loss {loss:.4f}", flush=True)
weights = sum(p.sum().item() for p in model.parameters())
print(f"rank {hvd.rank()} of {hvd.size()} on {socket.gethostname()}: "
      f"weights {weights:.6f}")
hvd.shutdown()
