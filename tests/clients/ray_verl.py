# SPDX-License-Identifier: Apache-2.0
"""How verl starts, without verl and its models: run_ppo() in
verl/trainer/main_ppo.py, RayResourcePool in verl/single_controller/ray/base.py.
A runner that Ray places calls for a placement group on each node, with three
CPUs for each GPU, and starts the workers in the order of the nodes' addresses;
the first worker is where they meet. nnodes and n_gpus_per_node are those of the
script, from SLURM_NNODES and SLURM_GPUS_ON_NODE."""
import os
import socket

import ray
from ray.util.placement_group import placement_group
from ray.util.scheduling_strategies import PlacementGroupSchedulingStrategy

COLOCATED, READY_S = 3, 90


@ray.remote(num_gpus=0.3)
class Worker:
    """A rank."""

    def tell(self):
        """Where it is, and that of its environment."""
        return os.environ["SLURMD_NODENAME"], int(os.environ["RANK"])

    def listen(self):
        """Where the others meet it."""
        self.server = socket.create_server(("", 0))
        return (ray.util.get_node_ip_address(),
                self.server.getsockname()[1])

    def add(self):
        """All ranks' numbers, at the first one."""
        total = 0
        for _ in range(int(os.environ["WORLD_SIZE"])):
            with self.server.accept()[0] as s:
                total += int(s.recv(16))
        return total

    def send(self, where):
        """Of this rank."""
        with socket.create_connection(where) as s:
            s.sendall(os.environ["RANK"].encode())


@ray.remote(num_cpus=1)
class Runner:
    """verl's TaskRunner."""

    def run(self, nnodes, gpus):
        """Make the pool and its workers."""
        groups = [placement_group([{"CPU": COLOCATED, "GPU": 1}] * gpus,
                                  strategy="STRICT_PACK")
                  for _ in range(nnodes)]
        ray.get([g.ready() for g in groups], timeout=READY_S)
        address = {n["NodeID"]: n["NodeManagerAddress"] for n in ray.nodes()}
        table = ray.util.placement_group_table()
        groups.sort(key=lambda g: address[
            table[g.id.hex()]["bundles_to_node_id"][0]])
        workers = [
            Worker.options(
                scheduling_strategy=PlacementGroupSchedulingStrategy(
                    group, placement_group_bundle_index=i),
                runtime_env={"env_vars": {"RANK": str(n * gpus + i),
                                          "WORLD_SIZE": str(nnodes * gpus)}},
            ).remote()
            for n, group in enumerate(groups) for i in range(gpus)
        ]
        found = ray.get([w.tell.remote() for w in workers])
        where = ray.get(workers[0].listen.remote())
        total = workers[0].add.remote()
        helper = ray.remote(num_cpus=0)(send_rank)
        ray.get([w.send.remote(where) for w in workers[1:]]
                + [helper.remote(where)])
        return os.environ["SLURMD_NODENAME"], found, ray.get(total)


def send_rank(where):
    """The first worker is busy with accept(); it is rank 0."""
    with socket.create_connection(tuple(where)) as s:
        s.sendall(b"0")


def main():
    """As the trainer's main()."""
    ray.init(num_cpus=None, log_to_driver=False,
             runtime_env={"env_vars": {"TOKENIZERS_PARALLELISM": "true"},
                          "working_dir": None})
    nnodes = int(os.environ["SLURM_NNODES"])
    gpus = int(os.environ["SLURM_GPUS_ON_NODE"])
    node, found, total = ray.get(Runner.remote().run.remote(nnodes, gpus))
    print(f"verl runner on={node} pool={','.join(f[0] for f in found)}"
          f" ranks={','.join(str(f[1]) for f in found)} sum={total}", flush=True)


main()
