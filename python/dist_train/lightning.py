# SPDX-License-Identifier: Apache-2.0
"""A step of ours as Lightning sees it, for the Trainer and for Fabric:

    from dist_train.lightning import DistTrainEnvironment

    trainer = lightning.Trainer(devices=8, num_nodes=2, strategy="ddp",
                                plugins=[DistTrainEnvironment()])

Lightning's own view of a step is Slurm's. It asks for --ntasks-per-node, leaves out
jobs of the name bash or interactive, and requeues the job by itself on SIGUSR1; this
one does none of that. It is for Lightning 2, under each of its names.
"""
from __future__ import annotations

import importlib.util
import os
import sys

import dist_train

# A program has one of them; where both are installed, the one that it has loaded
if "lightning_fabric" in sys.modules and "lightning" not in sys.modules or \
        not importlib.util.find_spec("lightning"):
    from lightning_fabric.plugins.environments import ClusterEnvironment
else:
    from lightning.fabric.plugins.environments import ClusterEnvironment

__all__ = ["DistTrainEnvironment"]


class DistTrainEnvironment(ClusterEnvironment):
    """Ranks, address and port are the step's; Lightning starts no process. Outside
    of a step there is one process."""

    @property
    def creates_processes_externally(self) -> bool:
        """Return whether somebody else starts the processes: always."""
        return True

    @staticmethod
    def detect() -> bool:
        """Return whether this process is one of a step."""
        return dist_train.step_id() is not None

    @property
    def main_address(self) -> str:
        """Return where rank 0 listens."""
        return os.environ.get("MASTER_ADDR") or os.environ.get("DIST_TRAIN_MASTER_ADDR", "127.0.0.1")

    @property
    def main_port(self) -> int:
        """Return the port there."""
        return int(os.environ.get("MASTER_PORT") or os.environ.get("DIST_TRAIN_MASTER_PORT", 0))

    def world_size(self) -> int:
        """Return how many processes the step has."""
        return dist_train.world_size()

    def set_world_size(self, size: int) -> None:
        """Leave it: it is the step's."""

    def global_rank(self) -> int:
        """Return the number of this process in the step."""
        return dist_train.rank()

    def set_global_rank(self, rank: int) -> None:
        """Leave it: it is the step's."""

    def local_rank(self) -> int:
        """Return the number of this process on its node."""
        return dist_train.local_rank()

    def node_rank(self) -> int:
        """Return the number of this node in the step."""
        return dist_train.node_rank()

    def validate_settings(self, num_devices: int, num_nodes: int) -> None:
        """Refuse numbers that aren't the step's, with those that are."""
        each, nodes = dist_train.local_world_size(), dist_train.nnodes()
        if (num_devices, num_nodes) != (each, nodes):
            raise ValueError(
                f"Trainer(devices={num_devices}, num_nodes={num_nodes}): this step has "
                f"{each} processes on this node, and {nodes} nodes: write devices={each}, "
                f"num_nodes={nodes}, or change srun's line")
