#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""role_weights.py FOLDER: the trainer and the servers are one process group, as where
new weights go from GPU to GPU: it can't be joined twice. They are in a collective
all the time, until FOLDER/end is there. FOLDER has role_part.py's files."""
import os
import sys

import torch
import torch.distributed as dist

from role_part import note

folder = sys.argv[1]
host = os.environ["DIST_TRAIN_TRAINER_ADDRS"].partition(":")[0]
servers = len(os.environ["DIST_TRAIN_ROLLOUT_URLS"].split())
trains = os.environ["DIST_TRAIN_ROLE"] == "trainer"
dist.init_process_group(
    "gloo", f"tcp://{host}:{os.environ['DIST_TRAIN_TRAINER_PORT1']}",
    rank=0 if trains else 1 + int(os.environ["DIST_TRAIN_ROLE_INDEX"]),
    world_size=1 + servers)
note(folder)
end = torch.zeros(1)
while not end.item():
    end.fill_(trains and os.path.exists(f"{folder}/end"))
    dist.all_reduce(end)
dist.destroy_process_group()
