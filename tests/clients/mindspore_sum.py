# SPDX-License-Identifier: Apache-2.0
"""All workers of MindSpore add up their numbers; each digit of the sum is one
worker's. FAIL is the rank that ends with status 7 instead."""
import os
import sys

import mindspore as ms
from mindspore import Tensor, nn, ops
from mindspore.communication import get_group_size, get_rank, init


class Sum(nn.Cell):
    """An all-reduce."""

    def __init__(self):
        super().__init__()
        self.all_reduce = ops.AllReduce(ops.ReduceOp.SUM)

    def construct(self, x):
        """Of x."""
        return self.all_reduce(x)


def main():
    """Meet and add."""
    ms.set_context(mode=ms.GRAPH_MODE, device_target="CPU")
    init()
    rank, world = get_rank(), get_group_size()
    if os.environ.get("FAIL") == str(rank):
        os._exit(7)
    found = int(Sum()(Tensor([10.0**rank], ms.float32)).asnumpy()[0])
    if found != int("1" * world):
        sys.exit(f"rank {rank}: the sum is {found}")
    if rank != int(os.environ["DIST_TRAIN_RANK"]):
        sys.exit(f"rank {rank} is another one in the step")
    print(
        f"trained rank={rank} world={world} sum={found}"
        f" node={os.environ['SLURMD_NODENAME']}",
        flush=True,
    )


main()
