# SPDX-License-Identifier: Apache-2.0
"""Lightning Fabric: a training loop of one's own, on several nodes.

    lightning_fabric.py DEVICES NODES
"""
import sys

import lightning
import torch
from regression import points, report
from torch import nn
from torch.utils.data import DataLoader


def main():
    fabric = lightning.Fabric(
        accelerator="cpu",
        devices=int(sys.argv[1]),
        num_nodes=int(sys.argv[2]),
        strategy="ddp",
    )
    fabric.launch()
    layer = nn.Linear(4, 1, bias=False)
    model, optimizer = fabric.setup(
        layer, torch.optim.SGD(layer.parameters(), lr=0.1)
    )
    loader = fabric.setup_dataloaders(DataLoader(points(), batch_size=16))
    for _ in range(4):
        for x, y in loader:
            optimizer.zero_grad()
            fabric.backward(nn.functional.mse_loss(model(x), y))
            optimizer.step()
    report(layer)


main()
