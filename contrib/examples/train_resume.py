# srun -N2 --gpus-per-node=8 --dist-train=ddp,restarts=3 python3 train_resume.py
# SPDX-License-Identifier: Apache-2.0
"""Training that may be ended at any moment, and goes on from its last checkpoint.

It goes on after a restart in place, on a spare node, on fewer nodes, and in a job
that was requeued (resume.sbatch). The weights at the end are those of a training
that nothing has interrupted. Four habits do it; take them into your program:

1. The number of the step says which samples are next and which random numbers:
   nothing of that has to be saved, nothing is seen twice, nothing is left out.
2. The batch of all processes together has a fixed size, and each takes its share:
   the same training with any number of processes.
3. A checkpoint is written under a second name and renamed when it is on the disk:
   whoever dies on the way leaves the last one whole.
4. Rank 0 reads it and tells the others: on a network file system two nodes may see
   two different files for some seconds.
"""
import argparse
import os
import signal
import socket
import sys
import time

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, TensorDataset

BATCH = 256  # samples in a step of all processes together


def shares(nsamples, first, last):
    """Yield this process's samples of each step's batch (habits 1 and 2)."""
    rank, world, batches = dist.get_rank(), dist.get_world_size(), nsamples // BATCH
    for step in range(first, last):
        epoch, batch = divmod(step, batches)
        if batch == 0 or step == first:
            order = torch.randperm(nsamples, generator=random_of(epoch))
        yield order[batch * BATCH:(batch + 1) * BATCH][rank::world].tolist()


def random_of(number):
    return torch.Generator().manual_seed(number)


def save(path, state):
    with open(path + ".new", "wb") as file:
        torch.save(state, file)
        file.flush()
        os.fsync(file.fileno())
    os.replace(path + ".new", path)


def load(path):
    """Return the checkpoint, the same in all processes, or None (habit 4)."""
    state = [None]
    if dist.get_rank() == 0 and os.path.exists(path):
        state = [torch.load(path, map_location="cpu")]
    dist.broadcast_object_list(state)
    return state[0]


def train(args, device, ending):
    rank, world = dist.get_rank(), dist.get_world_size()
    x = torch.randn(4096, 8, generator=random_of(0))
    data = TensorDataset(x, x.sum(1, keepdim=True))
    torch.manual_seed(0)
    model = DistributedDataParallel(torch.nn.Linear(8, 1).to(device))
    adam, first = torch.optim.Adam(model.parameters(), lr=0.05), 0
    if state := load(args.checkpoint):
        first = state["step"]
        model.load_state_dict(state["model"])
        adam.load_state_dict(state["adam"])
    if rank == 0:
        print(f"{world} processes, from step {first}", flush=True)
    batches = DataLoader(data, batch_sampler=shares(len(data), first, args.steps))
    for step, (x, y) in enumerate(batches, first + 1):
        if (rank, step, os.environ["DIST_TRAIN_RESTART"]) == (1, args.fail_at, "0"):
            sys.exit("--fail-at: rank 1 fails, and all start again")
        torch.manual_seed(step * world + rank)  # for dropout and the like
        noise = torch.randn(BATCH, 8, generator=random_of(step))[rank::world] / 100
        adam.zero_grad()
        loss = (model((x + noise).to(device)) - y.to(device)).square().sum() / BATCH
        (loss * world).backward()  # DDP divides by it: all samples weigh the same
        adam.step()
        told = torch.tensor([loss.item(), len(ending)], device=device)
        dist.all_reduce(told)  # so that all take the same decision
        end = told[1] > 0
        if end or step % args.save_every == 0 or step == args.steps:
            if rank == 0:
                save(args.checkpoint, {"step": step, "model": model.state_dict(),
                                       "adam": adam.state_dict()})
                print(f"step {step}: loss {told[0]:.6f}", flush=True)
            if end:
                return  # exit code 0: resume.sbatch's job is requeued
        time.sleep(args.pace)
    print(f"rank {rank} of {world} on {socket.gethostname()}: from step {first}, "
          f"weights {model.module.weight.sum():.6f}")


parser = argparse.ArgumentParser()
parser.add_argument("--checkpoint", default="train_resume.pt", help="where all nodes see it")
parser.add_argument("--steps", type=int, default=100)
parser.add_argument("--save-every", type=int, default=20)
parser.add_argument("--fail-at", type=int, help="to see a restart: rank 1 fails once")
parser.add_argument("--pace", type=float, default=0, help="seconds in each step, to pull a plug")
signals = []  # SIGUSR1 says that the time limit is near
signal.signal(signal.SIGUSR1, lambda *_: signals.append(1))
if gpu := torch.cuda.is_available():
    torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
dist.init_process_group("nccl" if gpu else "gloo")
train(parser.parse_args(), "cuda" if gpu else "cpu", signals)
dist.destroy_process_group()
