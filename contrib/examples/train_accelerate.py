# srun -N2 --gpus-per-node=8 --dist-train=ddp python3 train_accelerate.py
# SPDX-License-Identifier: Apache-2.0
"""Hugging Face Accelerate, without `accelerate launch`."""
import socket

import torch
from accelerate import Accelerator
from torch.nn.functional import mse_loss
from torch.utils.data import DataLoader, TensorDataset

accelerator = Accelerator(cpu=not torch.cuda.is_available())
torch.manual_seed(1)
x = torch.randn(4096, 8)
data = TensorDataset(x, x.sum(1, keepdim=True) + x[:, :1] ** 2 / 10)
model = torch.nn.Linear(8, 1)
model, optimizer, loader = accelerator.prepare(
    model, torch.optim.SGD(model.parameters(), lr=0.05),
    DataLoader(data, batch_size=64, shuffle=True))
for epoch in range(3):
    for x, y in loader:
        optimizer.zero_grad()
        loss = mse_loss(model(x), y)
        accelerator.backward(loss)
        optimizer.step()
    accelerator.print(f"epoch {epoch}: loss {loss:.4f}", flush=True)
accelerator.save_model(model, "train_accelerate.saved")
weights = sum(p.sum().item() for p in model.parameters())
print(f"rank {accelerator.process_index} of {accelerator.num_processes} on "
      f"{socket.gethostname()}: weights {weights:.6f}")
accelerator.end_training()
