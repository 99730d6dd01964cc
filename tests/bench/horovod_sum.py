# SPDX-License-Identifier: Apache-2.0
"""Horovod's first all-reduce. Prints when it is done."""
import time

import horovod.torch as hvd
import torch

hvd.init()
found = int(hvd.allreduce(torch.ones(9) * (hvd.rank() + 1), op=hvd.Sum)[0])
print("first-allreduce", time.time(), flush=True)
assert found == hvd.size() * (hvd.size() + 1) // 2, found
hvd.shutdown()
