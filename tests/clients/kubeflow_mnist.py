# SPDX-License-Identifier: Apache-2.0
"""A training script as PyTorchJob's users write it: should it distribute? what
is its rank? All from the variables that the controller injects. Digits are
drawn here, since tests have no network: ten shapes of 28 x 28 with noise."""
import argparse
import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn import functional as F
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, TensorDataset
from torch.utils.data.distributed import DistributedSampler

from leave import leave

torch.set_num_threads(1)


def should_distribute():
    return dist.is_available() and int(os.environ.get("WORLD_SIZE", 1)) > 1


def digits(n=600):
    g = torch.Generator().manual_seed(7)
    shapes = (torch.rand(10, 1, 28, 28, generator=g) > 0.7).float()
    label = torch.arange(n) % 10
    noise = 0.3 * torch.randn(n, 1, 28, 28, generator=g)
    return TensorDataset(shapes[label] + noise, label)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(1, 8, 5, stride=2)
        self.fc = nn.Linear(8 * 12 * 12, 10)

    def forward(self, x):
        x = F.relu(self.conv(x))
        return F.log_softmax(self.fc(x.flatten(1)), dim=1)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--backend", default="gloo")
    parser.add_argument("--epochs", type=int, default=1)
    args = parser.parse_args()

    torch.manual_seed(1)
    model, data, sampler = Net(), digits(), None
    rank, world = 0, 1
    if should_distribute():
        dist.init_process_group(backend=args.backend)
        rank, world = dist.get_rank(), dist.get_world_size()
        assert rank == int(os.environ["RANK"])
        model = DistributedDataParallel(model)
        sampler = DistributedSampler(data)
    loader = DataLoader(data, batch_size=20, sampler=sampler)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)

    losses = []
    for epoch in range(args.epochs):
        if sampler:
            sampler.set_epoch(epoch)
        for image, label in loader:
            optimizer.zero_grad()
            loss = F.nll_loss(model(image), label)
            loss.backward()
            optimizer.step()
            losses.append(loss.item())

    # All ranks have the same weights, or they haven't trained together
    own = sum(p.sum() for p in model.parameters()).detach()
    total = own.clone()
    if world > 1:
        dist.all_reduce(total)
    same = bool(torch.isclose(total, own * world, atol=1e-4))
    print(f"mnist rank={rank} world={world} loss={losses[0]:.2f}->"
          f"{losses[-1]:.2f} falling={losses[-1] < losses[0] / 2} "
          f"same={same}", flush=True)
    if world > 1:
        leave()


main()
