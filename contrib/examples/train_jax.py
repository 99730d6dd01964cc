# srun -N2 --gpus-per-node=8 --dist-train=jax python3 train_jax.py
# SPDX-License-Identifier: Apache-2.0
"""JAX: each process has its part of the data, the weights are everywhere."""
import socket

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec

jax.distributed.initialize()
mesh = Mesh(np.array(jax.devices()), ("data",))
split = NamedSharding(mesh, PartitionSpec("data"))
whole = NamedSharding(mesh, PartitionSpec())

rank, world = jax.process_index(), jax.process_count()
mine = np.random.default_rng(rank).normal(size=(1024, 8)).astype("float32")
x = jax.make_array_from_process_local_data(split, mine)


def mse(w, x):
    return jnp.mean((x @ w - x.sum(1) - x[:, 0] ** 2 / 10) ** 2)


@jax.jit
def train(w, x):
    loss, gradient = jax.value_and_grad(mse)(w, x)
    return jax.lax.with_sharding_constraint(w - 0.1 * gradient, whole), loss


w = jax.device_put(np.zeros(8, "float32"), whole)
for step in range(50):
    w, loss = train(w, x)
    if rank == 0 and step % 10 == 9:
        print(f"step {step}: loss {float(loss):.4f}", flush=True)
print(f"rank {rank} of {world} on {socket.gethostname()}: "
      f"weights {np.asarray(w).sum():.6f}")
