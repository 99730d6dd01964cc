# SPDX-License-Identifier: Apache-2.0
"""TensorFlow 1's between-graph replication: --ps_hosts, --worker_hosts,
--job_name and --task_index, as scripts for ModelArts have it; where they aren't
given, TF_CONFIG has them, as in those for Kubeflow, TI-ONE and Volcano.

--endless: nobody ends by itself, but worker N of --fail N, with 3.
"""
import argparse
import json
import os
import sys

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
        train = tf.train.GradientDescentOptimizer(0.1).minimize(
            loss, global_step=step
        )
        return step, loss, train


def session_of(options, server, step):
    supervisor = tf.train.Supervisor(
        is_chief=options.task_index == 0,
        init_op=tf.global_variables_initializer(),
        global_step=step,
        saver=None,
        summary_op=None,
        recovery_wait_secs=1,
    )
    # A session that wants to see all workers waits for those that are done
    own = ["/job:ps", f"/job:worker/task:{options.task_index}"]
    return supervisor.prepare_or_wait_for_session(
        server.target, config=tf.ConfigProto(device_filters=own)
    )


def work(options, cluster, server):
    step, loss, train = graph(options, cluster)
    with session_of(options, server, step) as session:
        done = 0
        while done < STEPS:
            found, _, done = session.run([loss, train, step])
        print(
            f"trained worker={options.task_index}"
            f" of={cluster.num_tasks('worker')} ps={cluster.num_tasks('ps')}"
            f" falling={found < 1.0}",
            flush=True,
        )
        if options.fail == options.task_index:
            sys.exit(3)
        while options.endless:
            session.run(train)


def arguments():
    config = json.loads(os.environ.get("TF_CONFIG", "{}"))
    hosts = config.get("cluster", {})
    task = config.get("task", {})
    parser = argparse.ArgumentParser()
    parser.add_argument("--ps_hosts", default=",".join(hosts.get("ps", [])))
    parser.add_argument(
        "--worker_hosts", default=",".join(hosts.get("worker", []))
    )
    parser.add_argument("--job_name", default=task.get("type"))
    parser.add_argument("--task_index", type=int, default=task.get("index"))
    parser.add_argument("--endless", action="store_true")
    parser.add_argument("--fail", type=int)
    return parser.parse_args()


def main():
    options = arguments()
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
