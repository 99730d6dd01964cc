# SPDX-License-Identifier: Apache-2.0
"""The smallest program with an all-reduce: says when it was done."""
import time

import torch
import torch.distributed as dist

dist.init_process_group("gloo")
one = torch.ones(1)
dist.all_reduce(one)
done = time.time()
assert one.item() == dist.get_world_size() == 8
# One write: the lines of eight ranks end up in one pipe
print(f"first-allreduce {done:.6f}\n", end="", flush=True)
dist.destroy_process_group()
