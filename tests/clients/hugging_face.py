# SPDX-License-Identifier: Apache-2.0
"""A tiny model by Accelerate or by Hugging Face's Trainer, in which one rank fails.

usage: hugging_face.py accelerate|trainer RANK

All others wait in a collective by then.
"""
import sys

import torch
from torch.utils.data import DataLoader, TensorDataset

STEP = 3
failing = int(sys.argv[2])
x = torch.randn(256, 8)


class Model(torch.nn.Module):
    """What both want: the loss comes first."""

    def __init__(self):
        super().__init__()
        self.line = torch.nn.Linear(8, 1)

    def forward(self, x, labels):
        return {"loss": torch.nn.functional.mse_loss(self.line(x), labels)}


class Data(TensorDataset):
    def __getitem__(self, i):
        return {"x": self.tensors[0][i], "labels": self.tensors[1][i]}


def step_done(step, rank):
    if step == STEP and rank == failing:
        raise ArithmeticError(f"of rank {rank}")


def by_accelerate(data):
    from accelerate import Accelerator

    accelerator = Accelerator(cpu=True)
    model = Model()
    model, optimizer, loader = accelerator.prepare(
        model, torch.optim.SGD(model.parameters(), lr=0.05), DataLoader(data, batch_size=4))
    for step, batch in enumerate(loader):
        optimizer.zero_grad()
        accelerator.backward(model(**batch)["loss"])
        optimizer.step()
        step_done(step, accelerator.process_index)


def by_trainer(data):
    from transformers import Trainer, TrainerCallback, TrainingArguments

    class Watch(TrainerCallback):
        def on_step_end(self, args, state, control, **kwargs):
            step_done(state.global_step, args.process_index)

    Trainer(model=Model(), train_dataset=data, callbacks=[Watch()],
            args=TrainingArguments(output_dir=".", max_steps=30, save_strategy="no",
                                   report_to="none", use_cpu=True)).train()


{"accelerate": by_accelerate, "trainer": by_trainer}[sys.argv[1]](Data(x, x.sum(1, keepdim=True)))
