# srun -N4 --dist-train=roles rl.roles
# SPDX-License-Identifier: Apache-2.0
"""A tiny policy learns by group-relative policy optimization (GRPO): servers
sample words, a judge rewards them, and the servers get the new weights."""
import json
import os
import socket
import sys
import urllib.request

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel


def ask(url, what):
    with urllib.request.urlopen(url, json.dumps(what).encode()) as answer:
        return json.load(answer)


def give_weights(model):
    for url in os.environ["DIST_TRAIN_ROLLOUT_URLS"].split():
        try:
            ask(url + "/weights", [p.tolist() for p in model.parameters()])
        except OSError:
            print("a server is away: it gets the next weights", flush=True)


def train(router, judge):
    torch.manual_seed(1)
    model = DistributedDataParallel(torch.nn.Linear(4, 8))  # prompts, words
    optimizer = torch.optim.Adam(model.parameters(), lr=0.2)
    for step in range(int(os.environ.get("STEPS", "30"))):
        if dist.get_rank() == 0:
            give_weights(model.module)
        dist.barrier()
        prompt = (step + dist.get_rank()) % 4
        words = ask(router + "/generate", {"prompt": prompt, "n": 16})
        reward = torch.tensor(ask(judge, {"prompt": prompt, "words": words}))
        gain = (reward - reward.mean()) / (reward.std() + 1e-4)
        chance = model(torch.eye(4)[prompt]).log_softmax(-1)[torch.tensor(words)]
        optimizer.zero_grad()
        (-gain * chance).mean().backward()
        optimizer.step()
        if dist.get_rank() == 0 and step % 10 == 9:
            print(f"step {step + 1}: reward {reward.mean():.2f}", flush=True)
    weights = sum(p.sum().item() for p in model.parameters())
    print(f"rank {dist.get_rank()} of {dist.get_world_size()} on "
          f"{socket.gethostname()}: weights {weights:.6f}")


dist.init_process_group("gloo")
train(*sys.argv[1:])
dist.destroy_process_group()
