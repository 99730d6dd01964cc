# SPDX-License-Identifier: Apache-2.0
"""All workers of MindSpore add up their numbers; each digit of the sum is one
worker's. FAIL is the rank that ends with status 7 when all have said that, while
the others add again. Before they meet, MindSpore has to know each one's place, as
under msrun. Where the step has NPUs the device is shown that MindSpore would open:
DEVICE_ID of those seen."""
import os
import sys

import mindspore as ms
from mindspore import Tensor, nn, ops
from mindspore.communication import (
    get_group_size,
    get_local_rank,
    get_local_rank_size,
    get_rank,
    init,
)


class Sum(nn.Cell):
    """An all-reduce."""

    def __init__(self):
        super().__init__()
        self.all_reduce = ops.AllReduce(ops.ReduceOp.SUM)

    def construct(self, x):
        """Of x."""
        return self.all_reduce(x)


def places():
    """What MindSpore says of this process, without asking the others."""
    return get_rank(), get_group_size(), get_local_rank(), get_local_rank_size()


def check_place():
    """Before init() it reads RANK_ID and so on; the scheduler's are 0."""
    names = ("RANK", "WORLD_SIZE", "LOCAL_RANK", "LOCAL_WORLD_SIZE")
    should = tuple(int(os.environ.get("DIST_TRAIN_" + n, 0)) for n in names)
    found = places()
    if os.environ["MS_ROLE"] == "MS_SCHED":
        should, found = (0, int(os.environ["MS_WORKER_NUM"])), found[:2]
    if found != should:
        sys.exit(f"{os.environ['MS_ROLE']}: {found} is not {should}")


def device():
    """MindSpore's own number, which DEVICE_ID has now, and the device's."""
    seen = os.environ.get("ASCEND_RT_VISIBLE_DEVICES")
    if seen is None:
        return ""
    number = int(os.environ["DEVICE_ID"])
    if os.environ.get("RANK_TABLE_FILE") and number != ms.get_context(
        "device_id"
    ):
        sys.exit(f"MindSpore has device {ms.get_context('device_id')}")
    return f" device={seen.split(',')[number]}"


def add_again():
    """Wait for the others."""
    Sum()(Tensor([1.0], ms.float32)).asnumpy()


def main():
    """Meet and add."""
    ms.set_context(mode=ms.GRAPH_MODE, device_target="CPU")
    check_place()
    init()
    rank, world = get_rank(), get_group_size()
    found = int(Sum()(Tensor([10.0**rank], ms.float32)).asnumpy()[0])
    if found != int("1" * world):
        sys.exit(f"rank {rank}: the sum is {found}")
    if rank != int(os.environ["DIST_TRAIN_RANK"]):
        sys.exit(f"rank {rank} is another one in the step")
    print(
        f"trained rank={rank} world={world} sum={found}"
        f" node={os.environ['SLURMD_NODENAME']}{device()}",
        flush=True,
    )
    if "FAIL" in os.environ:
        add_again()
        if os.environ["FAIL"] == str(rank):
            os._exit(7)
        add_again()
    # MindSpore 2.10 on CPUs has a SIGSEGV at its exit now and then
    os._exit(0)


main()
