# srun -N2 --gres=npu:8 --dist-train=mindspore python3 train_mindspore.py
# SPDX-License-Identifier: Apache-2.0
"""MindSpore's dynamic cluster, without msrun; on CPUs in its CPU release."""
import socket

import mindspore as ms
import numpy as np
from mindspore import nn, ops
from mindspore.communication import get_group_size, get_rank, init

ms.set_context(mode=ms.GRAPH_MODE)
init()
rank, world = get_rank(), get_group_size()
ms.set_auto_parallel_context(parallel_mode=ms.ParallelMode.DATA_PARALLEL,
                             gradients_mean=True, device_num=world)
ms.set_seed(1)
model = nn.Dense(8, 1)
train = nn.TrainOneStepCell(nn.WithLossCell(model, nn.MSELoss()),
                            nn.SGD(model.trainable_params(), 0.05))
train.set_train()
random = np.random.default_rng(rank)
for step in range(60):
    x = random.normal(size=(64, 8)).astype("float32")
    loss = train(ms.Tensor(x), ms.Tensor(x.sum(1, keepdims=True)))
    if rank == 0 and step % 20 == 19:
        print(f"step {step}: loss {float(loss.asnumpy()):.4f}", flush=True)
weights = sum(p.asnumpy().sum() for p in model.trainable_params())
print(f"rank {rank} of {world} on {socket.gethostname()}: "
      f"weights {weights:.6f}", flush=True)
