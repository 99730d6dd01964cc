# SPDX-License-Identifier: Apache-2.0
"""submitit: a result of each process.

    submitit_train.py FOLDER PROCESSES-PER-NODE sbatch|srun|ours|fails

With submitit's own executor, one task per process, and --dist-train for its script or
its srun; or by that of contrib/python/submitit, where rank 3 raises with `fails`. FOLDER
is one that all nodes see.
"""
import sys

import submitit


def train(how):
    import torch
    import torch.distributed as dist

    dist.init_process_group("gloo")
    number = torch.tensor([dist.get_rank() + 1])
    dist.all_reduce(number)
    rank = dist.get_rank()
    if how == "fails":
        if rank == 3:
            raise ArithmeticError("of rank 3")
        dist.barrier()
    dist.destroy_process_group()
    return rank, number.item()


def main():
    how = sys.argv[3]
    if how in ("ours", "fails"):
        from submitit_dist_train import DistTrainExecutor
        executor = DistTrainExecutor(sys.argv[1], keys={"grace": 1})
    else:
        executor = submitit.AutoExecutor(folder=sys.argv[1])
        executor.update_parameters(**{
            "sbatch": {"slurm_additional_parameters": {"dist-train": "ddp"}},
            "srun": {"slurm_srun_args": ["--dist-train=ddp"]}}[how])
    executor.update_parameters(nodes=2, tasks_per_node=int(sys.argv[2]))
    job = executor.submit(train, how)
    for rank, total in job.results():
        print(f"rank {rank} has the sum {total}")


main()
