# SPDX-License-Identifier: Apache-2.0
"""Keras' fit() under MultiWorkerMirroredStrategy, as TensorFlow's tutorial has it:
a line through points, on all workers together.
"""
import os
import sys

import tensorflow as tf

TRUTH = [1.0, 2.0, 3.0, 4.0]


def points():
    x = tf.random.stateless_normal((1024, len(TRUTH)), seed=(1, 2))
    y = tf.linalg.matvec(x, tf.constant(TRUTH))
    return tf.data.Dataset.from_tensor_slices((x, y)).repeat().batch(64)


def main():
    strategy = tf.distribute.MultiWorkerMirroredStrategy()
    with strategy.scope():
        model = tf.keras.Sequential(
            [tf.keras.layers.Dense(1, use_bias=False, input_shape=(4,))])
        model.compile(loss="mse",
                      optimizer=tf.keras.optimizers.SGD(learning_rate=0.1))
    model.fit(points(), epochs=4, steps_per_epoch=16, verbose=0)
    found = model.get_weights()[0].flatten().tolist()
    if max(abs(f - t) for f, t in zip(found, TRUTH)) > 0.05:
        sys.exit(f"the weights are {found}")
    world = strategy.num_replicas_in_sync
    print(f"trained rank={strategy.cluster_resolver.task_id} world={world}"
          f" node={os.environ['SLURMD_NODENAME']}", flush=True)


main()
