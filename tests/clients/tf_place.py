# SPDX-License-Identifier: Apache-2.0
"""Compare TF_CONFIG with where this process is; needs no TensorFlow. Listens at
its own address, which nobody else may have. One line for each process."""
import json
import os
import socket

config = json.loads(os.environ["TF_CONFIG"])
task = config["task"]
jobs = config["cluster"]
own = jobs[task["type"]][task["index"]]
host, port = own.rsplit(":", 1)
with socket.create_server((host.strip("[]"), int(port))):
    pass
counts = " ".join(f"{job}={len(jobs[job])}" for job in sorted(jobs))
print(
    f"place rank={os.environ['SLURM_PROCID']} {task['type']}={task['index']}"
    f" at={own} on={os.environ['SLURMD_NODENAME']} of {counts}",
    flush=True,
)
