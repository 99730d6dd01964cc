#!/bin/bash
# salloc -N2 --gpus-per-node=8 --dist-train=ddp bash salloc.sh
# SPDX-License-Identifier: Apache-2.0
# The option of salloc holds for every srun in it. Without `bash salloc.sh` you
# get a shell there, where you type the sruns yourself.
set -e

# What would each process get? Nothing is started.
srun --dist-train=ddp,explain=only python3 train_ddp.py

# All devices of the allocation
srun python3 train_ddp.py

# One node of it, with its own ranks and port: a quick try of a change
srun --nodes=1 --ntasks=1 python3 train_ddp.py
