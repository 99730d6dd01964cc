# SPDX-License-Identifier: Apache-2.0
"""MultiWorkerMirroredStrategy from TF_CONFIG alone: all workers add up their
numbers and train one variable together.

tf_workers.py [FAIL-RANK CODE]: that worker ends with CODE after the first sum.
"""
import os
import sys

import tensorflow as tf


def total(strategy, number):
    def one():
        group = tf.distribute.get_replica_context()
        return group.all_reduce("sum", tf.constant(float(number)))

    return float(strategy.run(tf.function(one)))


def main():
    tf.config.threading.set_inter_op_parallelism_threads(2)
    tf.config.threading.set_intra_op_parallelism_threads(1)
    strategy = tf.distribute.MultiWorkerMirroredStrategy()
    resolver = strategy.cluster_resolver
    index, world = resolver.task_id, strategy.num_replicas_in_sync
    found = total(strategy, 10**index)
    if found != int("1" * world):
        sys.exit(f"worker {index}: the sum is {found}")
    if len(sys.argv) > 2 and index == int(sys.argv[1]):
        os._exit(int(sys.argv[2]))
    if len(sys.argv) > 2:
        total(strategy, 0)
    own = resolver.cluster_spec().task_address("worker", index)
    print(
        f"trained rank={os.environ['SLURM_PROCID']} world={world}"
        f" worker={index} at={own} node={os.environ['SLURMD_NODENAME']}",
        flush=True,
    )


main()
