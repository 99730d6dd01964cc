# SPDX-License-Identifier: Apache-2.0
"""Where this node is, as Ray's custom resources.

NeMo-RL places its workers by them: the names and their meaning are those of
its ray.sub (the part that writes topology_probe.sh) and of
nemo_rl/distributed/virtual_cluster.py. Others don't ask for them.
"""
import os
import re
import subprocess

ASK_S = 10  # nvidia-smi hangs where a driver does
BLOCK = 10 ** 10  # more than a node's digits


def rank():
    """By Slurm's block and node where the cluster has blocks, else the number
    of the node; 1 at least, because Ray drops a resource of 0."""
    where = os.environ.get("SLURM_TOPOLOGY_ADDR", "")
    if os.environ.get("SLURM_TOPOLOGY_ADDR_PATTERN") == "block.node":
        block, _, node = where.partition(".")
        digits = [re.sub(r"\D", "", part) for part in (block, node)]
        if all(digits):
            return max(1, int(digits[0]) * BLOCK + int(digits[1]))
    return int(os.environ["DIST_TRAIN_NODE_RANK"]) + 1


def nvlink_domain():
    """The ClusterUUID of the node's NVLink fabric, or None: the GPUs of a rack
    share one, other machines have none."""
    try:
        said = subprocess.run(["nvidia-smi", "-q"], stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, timeout=ASK_S,
                              check=False).stdout.decode(errors="replace")
    except (OSError, subprocess.TimeoutExpired):
        return None
    found = re.search(r"^\s*ClusterUUID\s*:\s*([0-9A-Fa-f-]+)\s*$", said, re.M)
    return found.group(1) if found and found.group(1).strip("0-") else None


def resources(gpus):
    """All that this node has."""
    found = {"topo_rank": rank()}
    if gpus:
        found["worker_units"] = gpus
        domain = nvlink_domain()
        if domain:
            found[f"nvlink_domain_{domain}"] = 1
    return found
