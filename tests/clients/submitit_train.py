# SPDX-License-Identifier: Apache-2.0
"""submitit with --dist-train: one task per process, a result of each.

    submitit_train.py FOLDER PROCESSES-PER-NODE

FOLDER is one that all nodes see.
"""
import sys

import submitit


def train():
    import torch
    import torch.distributed as dist

    dist.init_process_group("gloo")
    number = torch.tensor([dist.get_rank() + 1])
    dist.all_reduce(number)
    rank = dist.get_rank()
    dist.destroy_process_group()
    return rank, number.item()


def main():
    executor = submitit.AutoExecutor(folder=sys.argv[1])
    executor.update_parameters(
        nodes=2,
        tasks_per_node=int(sys.argv[2]),
        slurm_additional_parameters={"dist-train": "ddp"},
    )
    job = executor.submit(train)
    for rank, total in job.results():
        print(f"rank {rank} has the sum {total}")


main()
