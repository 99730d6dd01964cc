# sbatch week.sbatch week_hf.py
# SPDX-License-Identifier: Apache-2.0
"""Hugging Face's Trainer that saves and ends when it is told (SIGUSR1)."""
import os
import signal

import torch
from transformers import (GPT2Config, GPT2LMHeadModel, Trainer, TrainerCallback,
                          TrainingArguments)

told, STEPS = [], 10000
signal.signal(signal.SIGUSR1, lambda *_: told.append(1))


class Week(TrainerCallback):
    def on_step_end(self, args, state, control, **_):
        end = torch.tensor(len(told), device=args.device)
        torch.distributed.all_reduce(end)  # all save the same step, and end after it
        control.should_training_stop |= bool(end)
        control.should_save |= bool(end) or state.global_step in (10, STEPS)

    def on_save(self, args, state, control, **_):
        if state.is_world_process_zero:  # by this file the next run knows what is whole
            with open("week.step", "w") as file:
                file.write(str(state.global_step))
            print(f"saved step {state.global_step}", flush=True)


words = [(torch.arange(8) + i) % 16 for i in range(1024)]
last = f"week/checkpoint-{open('week.step').read()}" if os.path.exists("week.step") else None
trainer = Trainer(
    model=GPT2LMHeadModel(GPT2Config(vocab_size=16, n_positions=8, n_embd=32, n_layer=2,
                                     n_head=2, bos_token_id=0, eos_token_id=0)),
    args=TrainingArguments("week", max_steps=STEPS, save_steps=1000, save_total_limit=2,
                           report_to="none", use_cpu=not torch.cuda.is_available()),
    train_dataset=[{"input_ids": w, "labels": w} for w in words], callbacks=[Week()])
trainer.train(resume_from_checkpoint=last)
print(f"rank {trainer.args.process_index} of {trainer.args.world_size} on "
      f"{os.uname().nodename}: weights {sum(p.sum() for p in trainer.model.parameters()):.6f}")
