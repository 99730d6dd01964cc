# SPDX-License-Identifier: Apache-2.0
"""Where vLLM's Ray executor puts its workers, without vLLM: its steps in its
order (initialize_ray_cluster() in vllm/v1/executor/ray_utils.py, get_ip() in
vllm/utils/network_utils.py). One worker for each GPU; the first of them has to
be on the driver's node, which is asked for by the driver's address."""
import os
import socket

import ray
from ray.util.placement_group import placement_group
from ray.util.scheduling_strategies import PlacementGroupSchedulingStrategy

READY_S = 60


def get_ip():
    """Of this node, as vLLM finds it."""
    if os.environ.get("VLLM_HOST_IP"):
        return os.environ["VLLM_HOST_IP"]
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
        try:
            s.connect(("192.0.2.1", 80))  # the default route's
            return s.getsockname()[0]
        except OSError:
            return "0.0.0.0"


class Worker:
    """Of one GPU."""

    def tell(self):
        """The node, vLLM's idea of its address, and Ray's."""
        return (os.environ["SLURMD_NODENAME"], get_ip(),
                ray.util.get_node_ip_address())


def main():
    """Place them."""
    ray.init(log_to_driver=False)
    total = int(ray.cluster_resources()["GPU"])
    bundles = [{"GPU": 1.0} for _ in range(total)]
    bundles[0][f"node:{get_ip()}"] = 0.001
    group = placement_group(bundles, strategy="PACK")
    ray.get(group.ready(), timeout=READY_S)
    workers = [
        ray.remote(num_cpus=0, num_gpus=1)(Worker).options(
            scheduling_strategy=PlacementGroupSchedulingStrategy(
                group, placement_group_bundle_index=i)).remote()
        for i in range(total)
    ]
    found = ray.get([w.tell.remote() for w in workers])
    as_ray = all(ours == rays for _, ours, rays in found)
    print(f"engine on={','.join(sorted(f[0] for f in found))}"
          f" addresses={len({f[1] for f in found})}"
          f" as_ray={'yes' if as_ray else 'no'}", flush=True)


main()
