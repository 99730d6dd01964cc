# SPDX-License-Identifier: Apache-2.0
"""ParameterServerStrategy from TF_CONFIG alone: chief, workers and ps run this
file, or, with server=stock, the chief alone.

tf_ps.py [wait]: the chief goes on training until it is ended.
"""
import os
import sys

import tensorflow as tf


def one_thread():
    tf.config.threading.set_inter_op_parallelism_threads(2)
    tf.config.threading.set_intra_op_parallelism_threads(1)


def serve(resolver):
    print(f"serving {resolver.task_type} {resolver.task_id}", flush=True)
    tf.distribute.Server(
        resolver.cluster_spec(),
        job_name=resolver.task_type,
        task_index=resolver.task_id,
        protocol="grpc",
    ).join()


class Training:
    """y = 3 x + 2, each variable on another ps."""

    def __init__(self, strategy):
        with strategy.scope():
            self.a = tf.Variable(0.0)
            self.b = tf.Variable(0.0)
        places = sorted(v.device.split("/")[3] for v in (self.a, self.b))
        print("variables on", *places, flush=True)

        @tf.function
        def step():
            x = tf.random.uniform([32], -1, 1)
            with tf.GradientTape() as tape:
                error = self.a * x + self.b - (3 * x + 2)
                loss = tf.reduce_mean(error * error)
            da, db = tape.gradient(loss, [self.a, self.b])
            self.a.assign_sub(0.1 * da)
            self.b.assign_sub(0.1 * db)
            return loss

        self.step = step


def train(resolver):
    strategy = tf.distribute.ParameterServerStrategy(resolver)
    coordinator = tf.distribute.coordinator.ClusterCoordinator(strategy)
    training = Training(strategy)
    first = last = coordinator.schedule(training.step).fetch()
    rounds = 0
    while rounds < 20 or "wait" in sys.argv:
        losses = [coordinator.schedule(training.step) for _ in range(6)]
        coordinator.join()
        last = losses[-1].fetch()
        rounds += 1
        if rounds == 20:
            print(f"loss {first:.3f} -> {last:.3f}", flush=True)
    if not last < first / 10:
        sys.exit("the loss doesn't fall")
    spec = resolver.cluster_spec()
    print(
        f"trained chief on={os.environ['SLURMD_NODENAME']}"
        f" workers={spec.num_tasks('worker')} ps={spec.num_tasks('ps')}",
        flush=True,
    )


def main():
    one_thread()
    resolver = tf.distribute.cluster_resolver.TFConfigClusterResolver()
    if resolver.task_type == "chief":
        train(resolver)
        os._exit(0)  # TensorFlow's coordinator has threads that don't end
    serve(resolver)


main()
