# SPDX-License-Identifier: Apache-2.0
"""Write the environment of a Ray driver and of an actor on each node.

ray_dump.py FOLDER NODES
"""
import sys

import dump
import ray
from ray.util.placement_group import placement_group
from ray.util.scheduling_strategies import PlacementGroupSchedulingStrategy


@ray.remote(num_cpus=1)
class Actor:
    """One on each node."""

    @staticmethod
    def write(folder, path):
        """Its dump, under its node's name."""
        sys.path.insert(0, path)
        import dump as client
        import socket
        client.write(folder, "actor on " + socket.gethostname())


def main():
    """The driver's dump, then those of the actors."""
    folder, nodes = sys.argv[1], int(sys.argv[2])
    ray.init(logging_level="warning")
    dump.write(folder, "driver")
    group = placement_group([{"CPU": 1}] * nodes, strategy="STRICT_SPREAD")
    ray.get(group.ready(), timeout=150)
    actors = [Actor.options(scheduling_strategy=PlacementGroupSchedulingStrategy(
        group, placement_group_bundle_index=i)).remote() for i in range(nodes)]
    ray.get([actor.write.remote(folder, sys.path[0]) for actor in actors])


if __name__ == "__main__":
    main()
