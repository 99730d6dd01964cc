# SPDX-License-Identifier: Apache-2.0
"""All ranks of Horovod add up their numbers, and train one step of a model that
must end up the same everywhere. FAIL=RANK: that one ends with 7 then, while the
others are in another sum. WAIT: before the end, wait for a file of that name."""
import os
import sys
import time

import horovod.torch as hvd
import torch


def main():
    hvd.init()
    rank, world = hvd.rank(), hvd.size()
    found = int(hvd.allreduce(torch.ones(9) * (rank + 1), op=hvd.Sum)[0])
    if found != world * (world + 1) // 2:
        sys.exit(f"rank {rank}: the sum is {found}")
    torch.manual_seed(rank)
    model = torch.nn.Linear(3, 1)
    sgd = hvd.DistributedOptimizer(
        torch.optim.SGD(model.parameters(), lr=0.1),
        named_parameters=model.named_parameters(),
    )
    hvd.broadcast_parameters(model.state_dict(), root_rank=0)
    model(torch.randn(4, 3)).sum().backward()
    sgd.step()
    weights = hvd.allgather(model.weight.detach())
    if not torch.equal(weights, weights[0].expand_as(weights)):
        sys.exit(f"rank {rank}: the weights differ")
    print(
        f"trained rank={rank} world={world} sum={found}"
        f" node={os.environ['SLURMD_NODENAME']} local={hvd.local_rank()}"
        f" cross={hvd.cross_rank()}/{hvd.cross_size()}\n",
        end="",  # one write() with PYTHONUNBUFFERED, too
        flush=True,
    )
    if "FAIL" in os.environ:
        if rank == int(os.environ["FAIL"]):
            os._exit(7)
        hvd.allreduce(torch.ones(9))
    while "WAIT" in os.environ and not os.path.exists(os.environ["WAIT"]):
        time.sleep(0.1)
    hvd.shutdown()


main()
