# SPDX-License-Identifier: Apache-2.0
"""A script of TI-ONE's, as its document has it: ray.init() finds the head that
HEAD_ADDR and HEAD_PORT name, and a function or actor is put on the node of a RANK
by a thousandth of the custom resource of that name. What they say is added up,
each with its own power of ten."""
import os
import sys

import ray


ray.init()


@ray.remote(resources={"Rank:1": 0.001})
def f(a, b, c):
    """The document's own, with the rank where it runs."""
    return a + b + c, int(os.environ["RANK"])


@ray.remote(num_cpus=1)
class Worker:
    """On the node of one rank."""

    def tell(self):
        """Where it is, by the platform's variable and by Slurm's."""
        return int(os.environ["RANK"]), os.environ["SLURMD_NODENAME"]


def main():
    """Place one actor for each node of NODE_LIST."""
    head = f"{os.environ['HEAD_ADDR']}:{os.environ['HEAD_PORT']}"
    if ray.get_runtime_context().gcs_address != head:
        sys.exit(f"the head isn't at {head}")
    if ray.get([f.remote(1, 2, 3) for _ in range(10)]) != [(6, 1)] * 10:
        sys.exit("f isn't run on the node of rank 1")
    nodes = [n.split(":")[0] for n in os.environ["NODE_LIST"].split(",")]
    workers = [
        Worker.options(resources={f"Rank:{rank}": 0.001}).remote()
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
        f" devices={os.environ['GPU_NUM']} gpus="
        + ",".join(str(int(names[a].get("GPU", 0))) for a in nodes),
        flush=True,
    )


main()
