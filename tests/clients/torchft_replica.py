# SPDX-License-Identifier: Apache-2.0
"""A replica group of TorchFT, in the form of its train_ddp.py: a small model on
CPUs over Gloo. `torchft_replica.py FOLDER` trains until FOLDER/end holds a
number of steps that has been reached; FOLDER/GROUP.log has a line for each step:
step, groups that took part, time, restarts of the group.

Gradients go through Manager.allreduce(). DistributedDataParallel of torchft
0.2.0 fails by its own assertion (ddp.py, `assert fut._fut`) where an all-reduce
fails at once, so that the survivors of a loss die of it."""
import os
import sys
import time
from datetime import timedelta

import torch
import torch.distributed as dist
from torch import nn, optim
from torchft import Manager, Optimizer, ProcessGroupGloo

GROUP = os.environ["REPLICA_GROUP_ID"]
LIFE = os.environ["DIST_TRAIN_RESTART"]
RANK = int(os.environ["RANK"])
FOLDER = sys.argv[1]
LAST = os.path.join(FOLDER, "end")


def open_store():
    """Manager wants it to be there already; torchrun would have opened it."""
    if RANK == 0:
        return dist.TCPStore(os.environ["MASTER_ADDR"],
                             int(os.environ["MASTER_PORT"]), is_master=True,
                             wait_for_workers=False)
    return None


def last_step():
    """Of the training, once that is said."""
    try:
        with open(LAST, encoding="ascii") as f:
            return int(f.read())
    except FileNotFoundError:
        return sys.maxsize


def main():
    """Train."""
    store = open_store()
    torch.manual_seed(int(GROUP) + 1)
    model = nn.Linear(8, 2)

    def load_state_dict(state):
        model.load_state_dict(state["model"])
        optimizer.load_state_dict(state["optim"])

    manager = Manager(
        pg=ProcessGroupGloo(timeout=timedelta(seconds=5)),
        min_replica_size=1,
        load_state_dict=load_state_dict,
        state_dict=lambda: {"model": model.state_dict(),
                            "optim": optimizer.state_dict()},
        replica_id=f"replica_{GROUP}",
        timeout=timedelta(seconds=30),
    )
    optimizer = Optimizer(manager, optim.AdamW(model.parameters()))
    print(f"up {GROUP}.{RANK} pid={os.getpid()} "
          f"restart={LIFE}", flush=True)
    with open(f"{FOLDER}/{GROUP}.log", "a", encoding="ascii") as log:
        while manager.current_step() < last_step():
            optimizer.zero_grad()
            model(torch.rand(4, 8)).square().mean().backward()
            for work in [manager.allreduce(p.grad)
                         for p in model.parameters()]:
                work.wait()
            optimizer.step()
            if RANK == 0:
                print(manager.current_step(), manager.num_participants(),
                      f"{time.time():.3f}", LIFE, file=log, flush=True)
            time.sleep(0.05)
    total = sum(p.sum().item() for p in model.parameters())
    print(f"trained {GROUP}.{RANK} step={manager.current_step()} "
          f"sum={total:.6f}", flush=True)
    manager.shutdown()
    del store


main()
