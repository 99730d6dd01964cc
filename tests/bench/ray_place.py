# SPDX-License-Identifier: Apache-2.0
"""An actor on each of NODES nodes of the cluster; their numbers are added up.
Prints when the sum is there."""
import os
import time

import ray


@ray.remote(num_cpus=1, scheduling_strategy="SPREAD")
class Place:
    """Somewhere."""

    def tell(self, number):
        """Where, and its part."""
        return os.environ["SLURMD_NODENAME"], 10**number


NODES = int(os.environ["NODES"])
ray.init(log_to_driver=False)
placed = [Place.remote() for _ in range(NODES)]
found = ray.get([p.tell.remote(i) for i, p in enumerate(placed)])
print("first-allreduce", time.time(), flush=True)
assert sum(f[1] for f in found) == int("1" * NODES), found
assert len(set(f[0] for f in found)) == NODES, found
