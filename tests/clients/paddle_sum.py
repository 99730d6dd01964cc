# SPDX-License-Identifier: Apache-2.0
"""All trainers add up their numbers; nothing but init_parallel_env().

paddle_sum.py [FAIL-RANK CODE]: that rank ends with CODE after the first sum,
which all have "added".
"""
import os
import sys

import paddle
import paddle.distributed as dist


def place():
    return (
        f"node={os.environ.get('SLURMD_NODENAME')}"
        f" at={os.environ['PADDLE_MASTER']}"
    )


def total():
    number = paddle.ones([1000]) * (dist.get_rank() + 1)
    dist.all_reduce(number)
    return int(number[0])


def check_endpoints(rank, world):
    """The list that each has is that of what each has for its own."""
    env = dist.ParallelEnv()
    gathered = []
    dist.all_gather_object(gathered, env.current_endpoint)
    if gathered != env.trainer_endpoints or len(set(gathered)) != world:
        sys.exit(f"rank {rank}: {env.trainer_endpoints}, but {gathered}")
    launched = "PADDLE_NNODES" in os.environ  # by Paddle, which takes addresses
    if not launched and not env.current_endpoint.startswith(
        os.environ["SLURMD_NODENAME"]
    ):
        sys.exit(f"rank {rank}: its endpoint is {env.current_endpoint}")


def main():
    paddle.set_device("cpu")
    dist.init_parallel_env()
    rank, world = dist.get_rank(), dist.get_world_size()
    found = total()
    if found != world * (world + 1) // 2:
        sys.exit(f"rank {rank}: the sum is {found}")
    check_endpoints(rank, world)
    if len(sys.argv) > 2:
        print(f"added rank={rank} world={world} {place()}", flush=True)
        dist.barrier()
    if len(sys.argv) > 2 and rank == int(sys.argv[1]):
        sys.stdout.flush()
        os._exit(int(sys.argv[2]))
    if len(sys.argv) > 2:
        total()
    print(
        f"trained rank={rank} world={world} sum={found} {place()}",
        flush=True,
    )


main()
