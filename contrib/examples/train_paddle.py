# srun -N2 --gpus-per-node=8 --dist-train=paddle python3 train_paddle.py
# SPDX-License-Identifier: Apache-2.0
"""PaddlePaddle's DataParallel, without paddle.distributed.launch."""
import os
import socket

import paddle
import paddle.distributed as dist

if not paddle.is_compiled_with_cuda():
    os.environ["PADDLE_DISTRI_BACKEND"] = "gloo"
    paddle.set_device("cpu")
dist.init_parallel_env()
rank, world = dist.get_rank(), dist.get_world_size()
model = paddle.DataParallel(paddle.nn.Linear(8, 1))
optimizer = paddle.optimizer.SGD(0.05, parameters=model.parameters())
paddle.seed(rank)
for step in range(100):
    x = paddle.randn([64, 8])
    loss = ((model(x) - x.sum(1, keepdim=True)) ** 2).mean()
    loss.backward()
    optimizer.step()
    optimizer.clear_grad()
    if rank == 0 and step % 20 == 19:
        print(f"step {step}: loss {float(loss):.4f}", flush=True)
weights = sum(float(p.sum()) for p in model.parameters())
print(f"rank {rank} of {world} on {socket.gethostname()}: "
      f"weights {weights:.6f}", flush=True)
