# srun -N2 --gpus-per-node=8 --dist-train=ddp python3 train_lightning.py
# SPDX-License-Identifier: Apache-2.0
"""Lightning's Trainer. It wants to be told the step's layout: two numbers."""
import os
import socket

import lightning
import torch
from torch.nn.functional import mse_loss
from torch.utils.data import DataLoader, TensorDataset


class Line(lightning.LightningModule):
    """One layer, and how it is trained."""

    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(8, 1)

    def training_step(self, batch):
        x, y = batch
        return mse_loss(self.layer(x), y)

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.05)


torch.manual_seed(1)
x = torch.randn(4096, 8)
data = TensorDataset(x, x.sum(1, keepdim=True) + x[:, :1] ** 2 / 10)
trainer = lightning.Trainer(
    devices=int(os.environ["DIST_TRAIN_LOCAL_WORLD_SIZE"]),
    num_nodes=int(os.environ["DIST_TRAIN_NNODES"]), max_epochs=3,
    enable_progress_bar=False, default_root_dir="train_lightning.saved")
model = Line()
trainer.fit(model, DataLoader(data, batch_size=64))
weights = sum(p.sum().item() for p in model.parameters())
print(f"rank {trainer.global_rank} of {trainer.world_size} on "
      f"{socket.gethostname()}: weights {weights:.6f}")
