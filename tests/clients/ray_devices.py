# SPDX-License-Identifier: Apache-2.0
"""ray_devices.py RESOURCE VARIABLE: an actor for each of the cluster's devices
(GPU, NPU) says which one Ray gave it, by the variable that limits what it sees.
Then for each node with GPUs its topo_rank, worker_units and GPUs."""
import os
import sys

import ray


class Owner:
    """Of one device."""

    def tell(self, variable):
        """Node and device."""
        return f"{os.environ['SLURMD_NODENAME']}:{os.environ[variable]}"


def main(resource, variable):
    """Take all of them."""
    ray.init()
    total = ray.cluster_resources()
    needs = (
        {"num_gpus": 1} if resource == "GPU" else {"resources": {resource: 1}}
    )
    owner = ray.remote(num_cpus=0, **needs)(Owner)
    owners = [owner.remote() for _ in range(int(total.get(resource, 0)))]
    found = ray.get([o.tell.remote(variable) for o in owners])
    print(
        f"devices {resource}={','.join(sorted(found))}"
        f" gpus={total.get('GPU', 0):g} npus={total.get('NPU', 0):g}",
        flush=True,
    )
    nodes = [node["Resources"] for node in ray.nodes()]
    for node in sorted((n for n in nodes if "GPU" in n),
                       key=lambda n: n["topo_rank"]):
        print("node", *(int(node[k]) for k in ("topo_rank", "worker_units",
                                               "GPU")), flush=True)


main(*sys.argv[1:])
