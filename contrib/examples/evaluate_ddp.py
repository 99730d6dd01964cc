# srun -N1 -n1 --gpus-per-node=1 --dist-train=none python3 evaluate_ddp.py
# SPDX-License-Identifier: Apache-2.0
"""One process evaluates what train_ddp.py has saved: no rank, no world."""
import os

import torch

device = "cuda" if torch.cuda.is_available() else "cpu"
model = torch.nn.Linear(8, 1).to(device)
model.load_state_dict(torch.load("train_ddp.pt", map_location=device))
torch.manual_seed(2)  # other points than those of the training
x = torch.randn(1024, 8, device=device)
y = x.sum(1, keepdim=True) + x[:, :1] ** 2 / 10
with torch.no_grad():
    loss = (model(x) - y).square().mean()
print(f"rank {os.environ.get('RANK', 'none')}: loss {loss:.4f}")
