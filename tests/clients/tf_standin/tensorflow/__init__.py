# SPDX-License-Identifier: Apache-2.0
"""A TensorFlow of ours for cases that look at which process is a server of
dist-train-tf-server, not at what TensorFlow does there: a server says which one it
is, by TF_CONFIG, also by a file in the folder TF_STANDIN, and serves nobody."""
import json
import os
import signal
import types


class Resolver:
    """What TF_CONFIG says."""

    rpc_layer = None

    def __init__(self):
        config = json.loads(os.environ["TF_CONFIG"])
        self.task_type = config["task"]["type"]
        self.task_id = config["task"]["index"]
        self.cluster = config["cluster"]

    def cluster_spec(self):
        """Of all tasks."""
        return self.cluster


class Server:
    """Of one task."""

    def __init__(self, cluster, job_name, task_index, **_):
        at = cluster[job_name][task_index]
        print(f"stock {job_name} {task_index} at={at}", flush=True)
        name = f"{os.environ['TF_STANDIN']}/{job_name}.{task_index}"
        with open(name, "w", encoding="utf-8"):
            pass

    def join(self):
        """Until it is ended."""
        signal.pause()


distribute = types.SimpleNamespace(
    Server=Server, cluster_resolver=types.SimpleNamespace(
        TFConfigClusterResolver=Resolver))
