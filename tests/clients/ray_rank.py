# SPDX-License-Identifier: Apache-2.0
"""A script of TI-ONE's: it finds the head by HEAD_ADDR and HEAD_PORT, and puts an
actor on the node of each RANK by the custom resource of that name. What they say
is added up, each with its own power of ten."""
import os
import sys

import ray


@ray.remote(num_cpus=1)
class Worker:
    """On the node of one rank."""

    def tell(self):
        """Where it is, by the platform's variable and by Slurm's."""
        return int(os.environ["RANK"]), os.environ["SLURMD_NODENAME"]


def main():
    """Place one actor for each node of NODE_LIST."""
    ray.init(f"{os.environ['HEAD_ADDR']}:{os.environ['HEAD_PORT']}")
    nodes = [n.split(":")[0] for n in os.environ["NODE_LIST"].split(",")]
    workers = [
        Worker.options(resources={f"Rank:{rank}": 1}).remote()
        for rank in range(len(nodes))
    ]
    found = ray.get([w.tell.remote() for w in workers])
    if [f[0] for f in found] != list(range(len(nodes))):
        sys.exit(f"an actor isn't on the node of its rank: {found}")
    names = {n["NodeManagerAddress"]: n["Resources"] for n in ray.nodes()}
    if any(names[a].get(f"Rank:{r}") != 1 for r, a in enumerate(nodes)):
        sys.exit(f"NODE_LIST isn't in the order of ranks: {nodes}: {names}")
    print(
        f"ranked on={','.join(f[1] for f in found)}"
        f" sum={sum(10**f[0] for f in found)} rank={os.environ['RANK']}"
        f" devices={os.environ['GPU_NUM']}",
        flush=True,
    )


main()
