# SPDX-License-Identifier: Apache-2.0
"""TensorFlow itself reads the TF_CONFIG of steps too large for tests.

tf_large.py DIST-TRAIN: the program that explains them.
"""
import json
import os
import subprocess
import sys

import tensorflow as tf

NODES = ["--tasks-per-node", "4", "--nodes"]


def explain(*words):
    done = subprocess.run(
        [sys.argv[1], "explain", *words, "--json"], stdout=subprocess.PIPE
    )
    process = json.loads(done.stdout)["processes"][0]
    return process["env"]["TF_CONFIG"]


def show(*words):
    os.environ["TF_CONFIG"] = text = explain(*words)
    resolver = tf.distribute.cluster_resolver.TFConfigClusterResolver()
    cluster, job = resolver.cluster_spec(), resolver.task_type
    counts = " ".join(f"{j}={cluster.num_tasks(j)}" for j in cluster.jobs)
    own = cluster.task_address(job, resolver.task_id)
    print(f"read {counts} {job}:{resolver.task_id} at={own} bytes={len(text)}")


show("tf", *NODES, "node[1-1000]", "--rank", "3999")
show("tf-ps,ps=100", *NODES, "node[1-5000]", "--rank", "7")
