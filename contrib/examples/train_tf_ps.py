# srun -N2 --dist-train=tf-ps,chief=1,ps=1,workers=2 python3 train_tf_ps.py
# SPDX-License-Identifier: Apache-2.0
"""TensorFlow's ParameterServerStrategy: a chief, workers, parameter servers."""
import os
import socket

import tensorflow as tf

resolver = tf.distribute.cluster_resolver.TFConfigClusterResolver()
if resolver.task_type in ("worker", "ps"):
    tf.distribute.Server(resolver.cluster_spec(), resolver.task_type,
                         resolver.task_id, protocol="grpc").join()

strategy = tf.distribute.ParameterServerStrategy(resolver)
coordinator = tf.distribute.coordinator.ClusterCoordinator(strategy)
with strategy.scope():
    w = tf.Variable(tf.zeros([8, 1]))


@tf.function
def train():
    x = tf.random.normal((64, 8))
    with tf.GradientTape() as tape:
        error = x @ w - tf.reduce_sum(x, 1, keepdims=True)
        loss = tf.reduce_mean(error ** 2)
    w.assign_sub(0.05 * tape.gradient(loss, w))
    return loss


for epoch in range(3):
    losses = [coordinator.schedule(train) for _ in range(50)]
    coordinator.join()
    print(f"epoch {epoch}: loss {losses[-1].fetch():.4f}", flush=True)
spec = resolver.cluster_spec()
print(f"chief on {socket.gethostname()}: {spec.num_tasks('worker')} workers, "
      f"{spec.num_tasks('ps')} ps, w is on {w.device}", flush=True)
os._exit(0)  # the coordinator's threads would wait for its workers
