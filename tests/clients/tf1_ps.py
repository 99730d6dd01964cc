# SPDX-License-Identifier: Apache-2.0
"""TensorFlow 1's between-graph replication, as scripts for ModelArts have it:
--ps_hosts, --worker_hosts, --job_name and --task_index are arguments."""
import argparse
import os

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")

import tensorflow.compat.v1 as tf  # noqa: E402

STEPS = 20


def graph(options, cluster):
    device = tf.train.replica_device_setter(
        worker_device=f"/job:worker/task:{options.task_index}", cluster=cluster
    )
    with tf.device(device):
        step = tf.train.get_or_create_global_step()
        w = tf.get_variable("w", [], initializer=tf.zeros_initializer())
        loss = tf.square(w - 3.0)
        return loss, tf.train.GradientDescentOptimizer(0.1).minimize(
            loss, global_step=step
        )


def work(options, cluster, server):
    loss, train = graph(options, cluster)
    # A session that wants to see all workers waits for those that are done
    own = ["/job:ps", f"/job:worker/task:{options.task_index}"]
    with tf.train.MonitoredTrainingSession(
        master=server.target,
        config=tf.ConfigProto(device_filters=own),
        is_chief=options.task_index == 0,
        hooks=[tf.train.StopAtStepHook(last_step=STEPS)],
    ) as session:
        while not session.should_stop():
            found, _ = session.run([loss, train])
    print(
        f"trained worker={options.task_index} of={cluster.num_tasks('worker')}"
        f" ps={cluster.num_tasks('ps')} falling={found < 9.0}",
        flush=True,
    )


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--ps_hosts", required=True)
    parser.add_argument("--worker_hosts", required=True)
    parser.add_argument("--job_name", required=True)
    parser.add_argument("--task_index", type=int, required=True)
    options = parser.parse_args()
    tf.disable_eager_execution()
    cluster = tf.train.ClusterSpec(
        {
            "ps": options.ps_hosts.split(","),
            "worker": options.worker_hosts.split(","),
        }
    )
    server = tf.train.Server(
        cluster, job_name=options.job_name, task_index=options.task_index
    )
    if options.job_name == "ps":
        server.join()
    else:
        work(options, cluster, server)


main()
