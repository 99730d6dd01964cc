# SPDX-License-Identifier: Apache-2.0
"""Hydra: each process says which one it is; that of rank `fails` raises."""
import os
import time

import hydra


@hydra.main(version_base=None)
def train(config):
    rank = os.environ.get("RANK")
    print(f"lr {config.lr}: rank {rank} of {os.environ.get('WORLD_SIZE')}", flush=True)
    if "fails" in config:
        if rank == str(config.fails):
            raise ArithmeticError("of rank " + rank)
        time.sleep(300)
    return config.lr


train()
