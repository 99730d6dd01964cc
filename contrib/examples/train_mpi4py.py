# srun -N2 --ntasks-per-node=8 --dist-train=mpi python3 train_mpi4py.py
# SPDX-License-Identifier: Apache-2.0
"""mpi4py: each rank has a part of the data; MPI adds up the gradients."""
import socket

import numpy as np
from mpi4py import MPI

world = MPI.COMM_WORLD
rank, size = world.Get_rank(), world.Get_size()
x = np.random.default_rng(rank).normal(size=(1024, 8))
y = x.sum(1) + x[:, 0] ** 2 / 10
w = np.zeros(8)
for step in range(50):
    error = x @ w - y
    gradient = world.allreduce(x.T @ error / len(x)) / size
    loss = world.allreduce(np.mean(error ** 2)) / size
    w -= 0.2 * gradient
    if rank == 0 and step % 10 == 9:
        print(f"step {step}: loss {loss:.4f}", flush=True)
print(f"rank {rank} of {size} on {socket.gethostname()}: "
      f"loss {loss:.4f}, weights {w.sum():.6f}")
