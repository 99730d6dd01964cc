# srun -N2 --cpus-per-task=16 --gpus-per-node=8 --dist-train=ray python3 train_ray.py
# SPDX-License-Identifier: Apache-2.0
"""Ray Train: the program runs once; Ray's workers train, one for each GPU."""
import os
import socket

os.environ["RAY_DEDUP_LOGS"] = "0"  # show what each rank says
import ray  # noqa: E402
import torch
import torch.distributed as dist
from ray.train import RunConfig, ScalingConfig
from ray.train.torch import TorchTrainer, get_device, prepare_model


def train():
    torch.manual_seed(dist.get_rank())
    model = prepare_model(torch.nn.Linear(8, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    for _ in range(100):
        x = torch.randn(64, 8, device=get_device())
        optimizer.zero_grad()
        loss = (model(x) - x.sum(1, keepdim=True)).square().mean()
        loss.backward()
        optimizer.step()
    weights = sum(p.sum().item() for p in model.parameters())
    print(f"rank {dist.get_rank()} of {dist.get_world_size()} on "
          f"{socket.gethostname()}: weights {weights:.6f}", flush=True)


ray.init()
gpu = torch.cuda.is_available()
workers = int(ray.cluster_resources()["GPU" if gpu else "CPU"])
TorchTrainer(
    train, scaling_config=ScalingConfig(num_workers=workers, use_gpu=gpu),
    run_config=RunConfig(storage_path=os.path.abspath("train_ray.saved")),
).fit()
