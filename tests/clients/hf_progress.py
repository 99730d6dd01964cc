# SPDX-License-Identifier: Apache-2.0
"""Hugging Face's Trainer with a tiny model, until the file GO is there.

usage: hf_progress.py FOLDER GO

It reports to nobody that it is told of: what metrics=on gives it finds by
itself.
"""
import os
import sys
import time

import torch
from torch.utils.data import Dataset
from transformers import (GPT2Config, GPT2LMHeadModel, Trainer,
                          TrainerCallback, TrainingArguments)


class Counting(Dataset):
    def __len__(self):
        return 100000

    def __getitem__(self, i):
        words = (torch.arange(8) + i) % 16
        return {"input_ids": words, "labels": words}


class Slowly(TrainerCallback):
    """A step takes half a second, and the last ones none."""

    def on_step_end(self, args, state, control, **kwargs):
        if os.path.exists(sys.argv[2]):
            control.should_training_stop = True
        else:
            time.sleep(0.5)


trainer = Trainer(
    model=GPT2LMHeadModel(GPT2Config(vocab_size=16, n_positions=8, n_embd=32,
                                     n_layer=2, n_head=2, bos_token_id=0,
                                     eos_token_id=0)),
    args=TrainingArguments(output_dir=sys.argv[1], max_steps=400,
                           save_strategy="no", logging_steps=2,
                           per_device_train_batch_size=2, disable_tqdm=True,
                           use_cpu=True),
    train_dataset=Counting(),
    callbacks=[Slowly()],
)
trainer.train()
print(f"trained rank={trainer.args.process_index} "
      f"world={trainer.args.world_size} \n", end="")
