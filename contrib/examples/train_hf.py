# srun -N2 --gpus-per-node=8 --dist-train=ddp python3 train_hf.py
# SPDX-License-Identifier: Apache-2.0
"""Hugging Face's Trainer: a small Llama of random weights learns to count."""
import os
import socket

import torch
from torch.utils.data import Dataset
from transformers import LlamaConfig, LlamaForCausalLM, Trainer, TrainingArguments
from transformers.trainer_utils import get_last_checkpoint


class Counting(Dataset):
    """Sentences of eight numbers; nothing is downloaded."""

    def __len__(self):
        return 1024

    def __getitem__(self, i):
        words = (torch.arange(8) + i) % 16
        return {"input_ids": words, "labels": words}


saved = "train_hf.saved"
os.makedirs(saved, exist_ok=True)
trainer = Trainer(
    model=LlamaForCausalLM(LlamaConfig(vocab_size=16, hidden_size=32, intermediate_size=64,
                                       num_hidden_layers=2, num_attention_heads=2)),
    args=TrainingArguments(output_dir=saved, max_steps=30, save_steps=10,
                           per_device_train_batch_size=8, logging_steps=10,
                           learning_rate=0.01, report_to="none",
                           use_cpu=not torch.cuda.is_available()),
    train_dataset=Counting(),
)
# Started again, it goes on from the last checkpoint
trainer.train(resume_from_checkpoint=get_last_checkpoint(saved))
weights = sum(p.sum().item() for p in trainer.model.parameters())
print(f"rank {trainer.args.process_index} of {trainer.args.world_size} on "
      f"{socket.gethostname()}: weights {weights:.6f}")
