# SPDX-License-Identifier: Apache-2.0
"""One actor on each node of the cluster says where it is; their numbers are
added up. FAIL is the status to end with. WAIT: wait for a file of that name."""
import os
import socket
import sys
import time

import ray


@ray.remote(num_cpus=1)
class Place:
    """On a node that the program chooses."""

    def tell(self, number):
        """Where it is, and its part of the sum."""
        return os.environ["SLURMD_NODENAME"], socket.gethostname(), 10**number


def main():
    """Place actors, one per node."""
    ray.init()
    nodes = sorted(
        (n for n in ray.nodes() if n["Alive"]),
        key=lambda n: n["NodeManagerAddress"],
    )
    actors = [
        Place.options(
            resources={f"node:{n['NodeManagerAddress']}": 0.01}
        ).remote()
        for n in nodes
    ]
    found = ray.get([a.tell.remote(i) for i, a in enumerate(actors)])
    names = [f[0] for f in found]
    if any(f[0] != f[1] for f in found):
        sys.exit(f"an actor has another node's environment: {found}")
    total = ray.cluster_resources()
    print(
        f"placed on={','.join(sorted(names))} of={os.environ['SLURMD_NODENAME']}"
        f" sum={sum(f[2] for f in found)} cpus={total['CPU']:g}"
        f" gpus={total.get('GPU', 0):g} at={os.environ['RAY_ADDRESS']}",
        flush=True,
    )
    while "WAIT" in os.environ and not os.path.exists(os.environ["WAIT"]):
        time.sleep(0.1)
    os._exit(int(os.environ.get("FAIL", "0")))


main()
