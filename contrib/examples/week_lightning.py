# sbatch week.sbatch week_lightning.py
# SPDX-License-Identifier: Apache-2.0
"""Lightning that saves and ends when it is told (SIGUSR1); its own requeueing is off."""
import os
import signal

import torch
from lightning import Trainer
from lightning.pytorch.demos.boring_classes import BoringModel
from lightning.pytorch.plugins.environments import SLURMEnvironment

told, STEPS = [], 10000
signal.signal(signal.SIGUSR1, lambda *_: told.append(1))


class Model(BoringModel):
    def train_dataloader(self):
        signal.signal(signal.SIGTERM, signal.SIG_IGN)  # Lightning would end, and not save
        for step in range(self.global_step, STEPS):  # where the run before has ended
            torch.manual_seed(step * self.trainer.world_size + self.global_rank)
            yield torch.randn(64, 32) / 10

    def on_train_batch_end(self, *_):
        step, all_ranks = self.global_step, self.trainer.strategy
        end = self.trainer.should_stop = all_ranks.reduce_boolean_decision(bool(told), all=False)
        if end or step in (10, STEPS) or step % 1000 == 0:
            self.trainer.save_checkpoint("week.new")
            if self.global_rank == 0:
                os.replace("week.new", "week.ckpt")
                print(step, file=open("week.step", "w"), flush=True)
                print(f"saved step {step}", flush=True)


trainer = Trainer(max_steps=STEPS, devices=int(os.environ["DIST_TRAIN_LOCAL_WORLD_SIZE"]),
                  num_nodes=int(os.environ["DIST_TRAIN_NNODES"]), logger=False,
                  plugins=SLURMEnvironment(auto_requeue=False),
                  enable_checkpointing=False, enable_progress_bar=False)
trainer.fit(model := Model(), ckpt_path="week.ckpt" if os.path.exists("week.ckpt") else None)
print(f"rank {trainer.global_rank} of {trainer.world_size} on {os.uname().nodename}: "
      f"weights {model.layer.weight.sum():.6f}")
