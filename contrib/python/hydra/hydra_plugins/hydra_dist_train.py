# SPDX-License-Identifier: Apache-2.0
"""Hydra's jobs as steps of slurm-dist-train, by hydra-submitit-launcher:

    python3 train.py --multirun hydra/launcher=dist_train hydra.launcher.nodes=2 \\
        hydra.launcher.tasks_per_node=8 lr=0.1,0.01

Each job is one step; tasks_per_node are the processes of a node. All else is as with
hydra/launcher=submitit_slurm. Hydra imports this in every program, whether it is asked
for or not: submitit is imported only by a job that is launched.
"""
from dataclasses import dataclass, field
from typing import Any, Dict

from hydra.core.config_store import ConfigStore
from hydra_plugins.hydra_submitit_launcher.config import SlurmQueueConf
from hydra_plugins.hydra_submitit_launcher.submitit_launcher import SlurmLauncher


@dataclass
class DistTrainConf(SlurmQueueConf):
    """Of submitit_slurm, and what dist-train exec FRAMEWORK[,KEY=VALUE]... takes."""

    _target_: str = "hydra_plugins.hydra_dist_train.DistTrainLauncher"
    framework: str = "ddp"
    keys: Dict[str, Any] = field(default_factory=dict)


class DistTrainLauncher(SlurmLauncher):
    """Has submitit take our executor, which it knows by this name in this process."""

    _EXECUTOR = "disttrain"

    def __call__(self, *args):
        """In each process: raise what Hydra would only note, so that all others end."""
        done = super().__call__(*args)
        done.return_value  # pylint: disable=pointless-statement
        return done

    def launch(self, job_overrides, initial_job_idx):
        from submitit.core import plugins
        from submitit_dist_train import DistTrainExecutor

        plugins.get_executors()[self._EXECUTOR] = DistTrainExecutor
        return super().launch(job_overrides, initial_job_idx)


ConfigStore.instance().store(group="hydra/launcher", name="dist_train", node=DistTrainConf(),
                             provider="hydra_dist_train")
