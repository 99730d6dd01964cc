# SPDX-License-Identifier: Apache-2.0
"""The script that SkyPilot starts on each node of a task.

    skypilot_run.py FILE        its file, as the real SkyPilot reads it
"""
import sys

import sky
from sky.skylet.executor.slurm import UNSET_STEP_SCOPED_SLURM_ENV

task = sky.Task.from_yaml(sys.argv[1])
print(f"# nodes {task.num_nodes}")
print(UNSET_STEP_SCOPED_SLURM_ENV)
print(task.run)
