# SPDX-License-Identifier: Apache-2.0
"""torchx run -s dist_train: a role of TorchX as one step of slurm-dist-train.

TorchX's own scheduler for Slurm starts each replica as a job's component of its own;
what knows the others is its component, by torchrun and a fixed port. Here a role is
one step on as many nodes as it has replicas, and dist-train exec gives every process
its rank, address and devices:

    torchx run -s dist_train utils.sh --num_replicas 2 python3 train.py
    torchx run -s dist_train -cfg framework=torchrun dist.ddp -j 2x8 --script train.py
    torchx run -s dist_train -cfg framework=ddp,restarts=3,label=yes ...

The keys of slurm-dist-train are options of this scheduler. All else, the job's folder, logs and options, is as with -s slurm. States are asked of
slurmctld, so that accounting isn't needed while a job is there.
"""
import dataclasses
import json
import re
import subprocess

from torchx.schedulers.api import DescribeAppResponse
from torchx.schedulers.slurm_scheduler import SLURM_STATES, SlurmScheduler

# What TorchX has a program look for, and what tells it here
RANK0 = ("SLURM_JOB_NODELIST_HET_GROUP_0", "DIST_TRAIN_MASTER_ADDR")


class DistTrainScheduler(SlurmScheduler):
    """As SlurmScheduler, but for what is started in a job, and how it is asked for."""

    def __init__(self, session_name):
        super().__init__(session_name)
        self.backend = "dist_train"
        self.keys = json.loads(subprocess.run(["dist-train", "keys", "--json"], check=True,
                                              stdout=subprocess.PIPE).stdout)["keys"]

    def _run_opts(self):
        opts = super()._run_opts()
        opts.add("framework", type_=str, default="ddp",
                 help="A name of `dist-train frameworks`.")
        for key in self.keys:
            opts.add(key["name"], type_=str, help=key["meaning"])
        return opts

    def _submit_dryrun(self, app, cfg):
        if len(app.roles) != 1:
            raise ValueError(f"dist_train: {len(app.roles)} roles in {app.name}; a step has "
                             "one: start the others with -s slurm, or use dist-train's roles")
        role = app.roles[0]
        alone = dataclasses.replace(app, roles=[dataclasses.replace(role, num_replicas=1)])
        info = super()._submit_dryrun(alone, cfg)
        (job, ) = info.request.replicas.values()
        job.sbatch_opts["nodes"] = str(role.num_replicas)
        if "gpus-per-task" in job.sbatch_opts:
            job.sbatch_opts["gpus-per-node"] = job.sbatch_opts.pop("gpus-per-task")
        words = [word.replace(*RANK0) for word in [job.entrypoint, *job.args]]
        request = cfg.get("framework") or "ddp"
        for name in (key["name"] for key in self.keys):
            if cfg.get(name):
                request += f",{name}={cfg[name]}"
        job.entrypoint, job.args = "dist-train", ["exec", request, "--", *words]
        return info

    def describe(self, app_id):
        said = subprocess.run(["scontrol", "show", "job", "--oneliner", app_id],
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        state = re.search(r"\bJobState=(\w+)", said.stdout)
        if not state:
            return super().describe(app_id)  # sacct's, long after its end
        return DescribeAppResponse(app_id=app_id, state=SLURM_STATES[state.group(1)],
                                   msg=state.group(1))


def create_scheduler(session_name, **kwargs):
    """TorchX calls it, by the entry point of this distribution."""
    return DistTrainScheduler(session_name)
