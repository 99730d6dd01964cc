# SPDX-License-Identifier: Apache-2.0
"""Megatron Core's process groups for tensors and pipelines, over Gloo.

    megatron_groups.py TENSOR PIPELINE
"""
import os
import sys

import torch
import torch.distributed as dist
from megatron.core import parallel_state
from regression import check_sum, tell


def sum_over(group, number):
    found = torch.tensor([number])
    dist.all_reduce(found, group=group)
    return found.item()


def main():
    tensor, pipeline = int(sys.argv[1]), int(sys.argv[2])
    # As megatron/training/initialize.py and arguments.py read them
    dist.init_process_group(
        "gloo", rank=int(os.environ["RANK"]),
        world_size=int(os.environ["WORLD_SIZE"]))
    parallel_state.initialize_model_parallel(tensor, pipeline)
    rank, world = dist.get_rank(), dist.get_world_size()
    check_sum()
    # Neighbours in rank share a tensor; the pipeline strides over the others
    first = rank // tensor * tensor
    found = sum_over(parallel_state.get_tensor_model_parallel_group(), rank)
    if found != sum(range(first, first + tensor)):
        sys.exit(f"rank {rank}: another tensor-parallel group: {found}")
    stride = world // pipeline
    found = sum_over(parallel_state.get_pipeline_model_parallel_group(), rank)
    if found != sum(range(rank % stride, world, stride)):
        sys.exit(f"rank {rank}: another pipeline: {found}")
    tell(tensor=parallel_state.get_tensor_model_parallel_rank(),
         pipeline=parallel_state.get_pipeline_model_parallel_rank(),
         local=os.environ["LOCAL_RANK"])
    dist.destroy_process_group()


main()
