# SPDX-License-Identifier: Apache-2.0
"""All JAX processes add up their numbers over their global devices; nothing
but jax.distributed.initialize().

jax_sum.py [FAIL-RANK CODE]: that rank ends with CODE after the first sum.
"""
import os
import sys

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import multihost_utils
from jax.sharding import Mesh, NamedSharding, PartitionSpec


def total(rank):
    mesh = Mesh(np.array(jax.devices()), ("all",))
    mine = np.full(jax.local_device_count(), rank + 1.0)
    parts = jax.make_array_from_process_local_data(
        NamedSharding(mesh, PartitionSpec("all")), mine
    )
    whole = NamedSharding(mesh, PartitionSpec())
    return int(jax.jit(jnp.sum, out_shardings=whole)(parts))


def main():
    jax.distributed.initialize(initialization_timeout=60)
    rank, world = jax.process_index(), jax.process_count()
    found = total(rank)
    if found != world * (world + 1) // 2 * jax.local_device_count():
        sys.exit(f"rank {rank}: the sum is {found}")
    ranks = multihost_utils.process_allgather(np.array([rank]))
    if ranks.ravel().tolist() != list(range(world)):
        sys.exit(f"rank {rank}: gathered {ranks.ravel().tolist()}")
    if len(sys.argv) > 2 and rank == int(sys.argv[1]):
        sys.stdout.flush()
        os._exit(int(sys.argv[2]))
    if len(sys.argv) > 2:
        total(rank)
    print(
        f"trained rank={rank} world={world} sum={found}"
        f" node={os.environ.get('SLURMD_NODENAME')}"
        f" at={os.environ['JAX_COORDINATOR_ADDRESS']}"
        f" devices={jax.config.values['jax_cuda_visible_devices']}",
        flush=True,
    )


main()
