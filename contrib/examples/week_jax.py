# sbatch week_jax.sbatch week_jax.py
# SPDX-License-Identifier: Apache-2.0
"""JAX that saves and ends when the file DIST_TRAIN_STOP_FILE appears."""
import os

import jax
import numpy as np
from jax.experimental.multihost_utils import process_allgather
from jax.sharding import Mesh, NamedSharding, PartitionSpec

STEPS, stop_file = 10000, os.environ.get("DIST_TRAIN_STOP_FILE", "")
jax.distributed.initialize()
rank, world = jax.process_index(), jax.process_count()
mesh = Mesh(np.array(jax.devices()), ("data",))
split = NamedSharding(mesh, PartitionSpec("data"))
whole = NamedSharding(mesh, PartitionSpec())
step, w, end = 0, np.zeros(8, "float32"), False
if os.path.exists("week.npz"):
    step, w = np.load("week.npz").values()
w = jax.device_put(w, whole)


@jax.jit
def train(w, x):
    gradient = jax.grad(lambda w: ((x @ w - x.sum(1)) ** 2).mean())(w)
    return jax.lax.with_sharding_constraint(w - 0.001 * gradient, whole)


while step < STEPS and not end:
    step += 1  # says which samples are next
    mine = np.random.default_rng(step * world + rank).normal(size=(64, 8))
    w = train(w, jax.make_array_from_process_local_data(split, mine.astype("float32")))
    end = process_allgather(np.array(os.path.exists(stop_file))).any()
    if rank == 0 and (end or step in (10, STEPS) or step % 1000 == 0):
        with open("week.new", "wb") as file:
            np.savez(file, step, w)
        os.replace("week.new", "week.npz")
        print(step, file=open("week.step", "w"), flush=True)
        print(f"saved step {step}", flush=True)
print(f"rank {rank} of {world} on {os.uname().nodename}: weights {np.asarray(w).sum():.6f}")
