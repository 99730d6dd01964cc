# SPDX-License-Identifier: Apache-2.0
"""first_sum.py FRAMEWORK: the first all-reduce of numbers that depend on the
rank. Prints when it is done. DeepSpeed's launcher puts --local_rank=N before."""
import sys
import time


def of_deepspeed():
    import deepspeed
    import deepspeed.comm as dist
    import torch

    deepspeed.init_distributed(dist_backend="gloo")
    number = torch.ones(1) * (dist.get_rank() + 1)
    dist.all_reduce(number)
    return int(number[0]), dist.get_world_size()


def of_horovod():
    import horovod.torch as hvd
    import torch

    hvd.init()
    number = torch.ones(1) * (hvd.rank() + 1)
    return int(hvd.allreduce(number, op=hvd.Sum)[0]), hvd.size()


def of_jax():
    import jax
    import numpy as np
    from jax.experimental import multihost_utils

    jax.distributed.initialize(initialization_timeout=60)
    mine = np.array([jax.process_index() + 1])
    found = multihost_utils.process_allgather(mine).sum()
    return int(found), jax.process_count()


def of_mindspore():
    import mindspore as ms
    from mindspore import Tensor, nn, ops
    from mindspore.communication import get_group_size, get_rank, init

    class Sum(nn.Cell):
        def __init__(self):
            super().__init__()
            self.all_reduce = ops.AllReduce(ops.ReduceOp.SUM)

        def construct(self, x):
            return self.all_reduce(x)

    ms.set_context(mode=ms.GRAPH_MODE, device_target="CPU")
    init()
    found = Sum()(Tensor([get_rank() + 1.0], ms.float32)).asnumpy()[0]
    return int(found), get_group_size()


def of_paddle():
    import paddle
    import paddle.distributed as dist

    paddle.set_device("cpu")
    dist.init_parallel_env()
    number = paddle.ones([1]) * (dist.get_rank() + 1)
    dist.all_reduce(number)
    return int(number[0]), dist.get_world_size()


def main():
    found, world = globals()["of_" + sys.argv[-1]]()
    print("first-allreduce", time.time(), flush=True)
    if world != 4 or found != 10:
        sys.exit(f"{found} is not the sum of four ranks, {world}")


main()
