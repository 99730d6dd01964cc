# srun -N2 --gpus-per-node=8 --dist-train=deepspeed python3 train_deepspeed.py
# SPDX-License-Identifier: Apache-2.0
"""DeepSpeed's ZeRO, stage 2, without its launcher and its host file."""
import os
import socket

import torch

if gpu := torch.cuda.is_available():
    torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
else:
    os.environ["DS_ACCELERATOR"] = "cpu"
import deepspeed  # noqa: E402 # it looks for its accelerator here

deepspeed.init_distributed("nccl" if gpu else "gloo")
model = torch.nn.Linear(8, 1)
engine, _, _, _ = deepspeed.initialize(
    model=model,
    optimizer=torch.optim.Adam(model.parameters(), lr=0.05),
    config={"train_micro_batch_size_per_gpu": 64,
            "zero_allow_untested_optimizer": True,
            "zero_optimization": {"stage": 2}})
rank, world = deepspeed.comm.get_rank(), deepspeed.comm.get_world_size()
torch.manual_seed(rank)
for step in range(100):
    x = torch.randn(64, 8, device=engine.device)
    loss = (engine(x) - x.sum(1, keepdim=True)).square().mean()
    engine.backward(loss)
    engine.step()
    if rank == 0 and step % 20 == 19:
        print(f"step {step}: loss {loss:.4f}", flush=True)
engine.save_checkpoint("train_deepspeed.saved")
weights = sum(p.sum().item() for p in model.parameters())
print(f"rank {rank} of {world} on {socket.gethostname()}: "
      f"weights {weights:.6f}")
