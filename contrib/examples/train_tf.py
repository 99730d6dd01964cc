# srun -N2 --gpus-per-node=8 --dist-train=tf python3 train_tf.py
# SPDX-License-Identifier: Apache-2.0
"""TensorFlow's MultiWorkerMirroredStrategy with a training loop of one's own."""
import socket

import tensorflow as tf

strategy = tf.distribute.MultiWorkerMirroredStrategy()
with strategy.scope():
    w = tf.Variable(tf.zeros([8, 1]))


def data(context):
    x = tf.random.stateless_normal((4096, 8), seed=(1, 2))
    y = tf.reduce_sum(x, 1, keepdims=True) + x[:, :1] ** 2 / 10
    points = tf.data.Dataset.from_tensor_slices((x, y))
    return points.shard(context.num_input_pipelines,
                        context.input_pipeline_id).repeat().batch(64)


def one_step(x, y):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((x @ w - y) ** 2)
    replica = tf.distribute.get_replica_context()
    gradient = replica.all_reduce("mean", tape.gradient(loss, w))
    w.assign_sub(0.05 * gradient)
    return loss


@tf.function
def train(x, y):
    return strategy.reduce("mean", strategy.run(one_step, (x, y)), axis=None)


batches = iter(strategy.distribute_datasets_from_function(data))
for step in range(60):
    loss = train(*next(batches))
print(f"rank {strategy.cluster_resolver.task_id} of {strategy.num_replicas_in_sync} on "
      f"{socket.gethostname()}: loss {loss:.4f}, "
      f"weights {tf.reduce_sum(w):.6f}")
