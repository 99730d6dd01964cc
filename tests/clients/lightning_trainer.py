# SPDX-License-Identifier: Apache-2.0
"""Lightning's Trainer, on several nodes.

    lightning_trainer.py DEVICES NODES [ours]

DEVICES processes on each of NODES nodes: what a user writes into Trainer(); with
`ours` the package's own view of the step, too.
"""
import sys

import lightning
import torch
from regression import points, report
from torch import nn
from torch.utils.data import DataLoader


class Line(lightning.LightningModule):
    """One layer, and how it is trained."""

    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 1, bias=False)

    def training_step(self, batch):
        x, y = batch
        return nn.functional.mse_loss(self.layer(x), y)

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)


def plugins():
    """Import it only where it is asked for."""
    if sys.argv[3:] != ["ours"]:
        return []
    from dist_train.lightning import DistTrainEnvironment
    return [DistTrainEnvironment()]


def main():
    trainer = lightning.Trainer(
        accelerator="cpu",
        devices=int(sys.argv[1]),
        num_nodes=int(sys.argv[2]),
        strategy="ddp",
        plugins=plugins(),
        max_epochs=4,
        logger=False,
        enable_checkpointing=False,
        enable_progress_bar=False,
        enable_model_summary=False,
    )
    model = Line()
    trainer.fit(model, DataLoader(points(), batch_size=16))
    cluster = trainer.strategy.cluster_environment
    report(model.layer, cluster=type(cluster).__name__)


main()
