#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Train a small network on all processes of a step, and check the result.

This is PyTorch as it is written anywhere: init_process_group() finds ranks and
addresses in the environment. The same file runs under torchrun.

    srun -N4 --ntasks-per-node=2 --dist-train=ddp python3 train_ddp.py
    srun -N2 --gres=gpu:2 --dist-train=ddp python3 train_ddp.py
    torchrun --nproc-per-node=2 train_ddp.py

Exit status: 0 trained and all checks passed, 1 a check failed.
"""
import hashlib
import os
import socket
import sys

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

CLASSES, SIDE, NOISE = 10, 8, 0.7
STEPS, BATCH = 60, 32


def make_data(seed, samples):
    """Images of ten random patterns under noise, the same on every rank."""
    patterns = torch.randn(CLASSES, 1, SIDE, SIDE,
                           generator=torch.Generator().manual_seed(1))
    generator = torch.Generator().manual_seed(seed)
    labels = torch.randint(CLASSES, (samples,), generator=generator)
    noise = torch.randn(samples, 1, SIDE, SIDE, generator=generator)
    return patterns[labels] + NOISE * noise, labels


def make_model():
    # Ranks start from different weights: DDP has to hand out those of rank 0.
    torch.manual_seed(dist.get_rank())
    return nn.Sequential(
        nn.Conv2d(1, 8, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
        nn.Conv2d(8, 16, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
        nn.Flatten(), nn.Linear(16 * (SIDE // 4) ** 2, CLASSES))


def test_loss(model, images, labels):
    with torch.no_grad():
        return nn.functional.cross_entropy(model.module(images), labels).item()


def train(model):
    data = TensorDataset(*make_data(seed=2, samples=8192))
    sampler = DistributedSampler(data)
    loader = DataLoader(data, batch_size=BATCH, sampler=sampler)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.005)
    step, epoch = 0, 0
    while step < STEPS:
        sampler.set_epoch(epoch)
        for images, labels in loader:
            optimizer.zero_grad()
            loss = nn.functional.cross_entropy(model(images), labels)
            loss.backward()
            optimizer.step()
            step += 1
            if step == STEPS:
                break
        epoch += 1


def check(condition, message):
    if not condition:
        sys.exit(f"train_ddp: rank {dist.get_rank()} on "
                 f"{socket.gethostname()}: {message}")


def check_sum():
    """all_reduce over every rank gives exactly 1 + 2 + ... + world."""
    world = dist.get_world_size()
    value = torch.tensor([dist.get_rank() + 1])
    dist.all_reduce(value)
    expected = world * (world + 1) // 2
    check(value.item() == expected,
          f"all_reduce gave {value.item()}, not {expected}")


def check_places():
    """Each rank once, each host's local ranks 0, 1, 2...; count the hosts."""
    mine = (dist.get_rank(), int(os.environ["LOCAL_RANK"]),
            socket.gethostname())
    places = [None] * dist.get_world_size()
    dist.all_gather_object(places, mine)
    check([rank for rank, _, _ in places] == list(range(len(places))),
          f"the ranks are not 0 to {len(places) - 1}: {places}")
    hosts = {}
    for _, local_rank, host in places:
        hosts.setdefault(host, []).append(local_rank)
    for host, local_ranks in hosts.items():
        check(sorted(local_ranks) == list(range(len(local_ranks))),
              f"the local ranks on {host} are {local_ranks}")
    return len(hosts)


def check_weights(model):
    """The weights of all ranks are the same, to the last bit."""
    digest = hashlib.sha256()
    for parameter in model.module.parameters():
        digest.update(parameter.detach().numpy().tobytes())
    mine = torch.tensor(list(digest.digest()), dtype=torch.uint8)
    sums = [torch.empty_like(mine) for _ in range(dist.get_world_size())]
    dist.all_gather(sums, mine)
    others = [rank for rank, s in enumerate(sums) if not torch.equal(s, mine)]
    check(not others, f"the weights differ from those of ranks {others}")


def train_and_check():
    """Loss before and after, on images that the training hasn't seen."""
    model = DistributedDataParallel(make_model())
    images, labels = make_data(seed=3, samples=1024)
    before = test_loss(model, images, labels)
    if dist.get_rank() == 0:
        print(f"loss at the start {before:.2f}, {STEPS} steps of "
              f"{BATCH * dist.get_world_size()} images", flush=True)
    train(model)
    after = test_loss(model, images, labels)
    check(after < before / 3,
          f"the loss hardly fell: {before:.2f} -> {after:.2f}")
    check_weights(model)
    return before, after


def main():
    torch.set_num_threads(1)
    dist.init_process_group("gloo")
    check_sum()
    nodes = check_places()
    # The model ends before its process group: in PyTorch 1.13 a model that is
    # the last owner of a Gloo group can hang when it is freed.
    before, after = train_and_check()

    # No rank says "trained" before the checks of all have passed.
    dist.barrier()
    if dist.get_rank() == 0:
        print(f"trained: world {dist.get_world_size()}, nodes {nodes}, "
              f"loss {before:.2f} -> {after:.2f}, ranks agree", flush=True)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
