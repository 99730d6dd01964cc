# SPDX-License-Identifier: Apache-2.0
"""All ranks of Horovod add up their numbers, and train one step of a model that
must end up the same everywhere."""
import os
import sys

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
        f" cross={hvd.cross_rank()}/{hvd.cross_size()}",
        flush=True,
    )
    hvd.shutdown()


main()
