# SPDX-License-Identifier: Apache-2.0
"""submitit's jobs as steps of slurm-dist-train: one result of each process.

    from submitit_dist_train import DistTrainExecutor

    executor = DistTrainExecutor("jobs", framework="ddp", keys={"restarts": 3})
    executor.update_parameters(nodes=2, tasks_per_node=8, gpus_per_node=8)
    results = executor.submit(train).results()  # 16 of them, by rank

Parameters are those of submitit's AutoExecutor or SlurmExecutor, and both of these.
tasks_per_node are the processes of a node: Slurm starts one task there, dist-train, which
starts them and looks after them. Without it they are the node's GPUs. In the function
the ranks, addresses and devices are there; no TorchDistributedEnvironment().export().
"""
import os
import re
import shlex
import subprocess
import sysconfig
import time

from submitit.slurm.slurm import SlurmExecutor, SlurmInfoWatcher, SlurmJob, _make_sbatch_string


class DistTrainWatcher(SlurmInfoWatcher):
    """Asks slurmctld, as long as it knows a job: accounting isn't needed."""

    def update(self):
        for job in {name.split("_")[0] for name in self._registered - self._finished}:
            said = subprocess.run(["scontrol", "show", "job", "--oneliner", job], text=True,
                                  stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False)
            state = re.search(r"\bJobState=(\w+)", said.stdout)
            if not state:
                super().update()  # by sacct, of all
                return
            self._info_dict[job] = {"JobID": job, "State": state.group(1)}
        self._last_status_check = time.time()
        self._finished |= {job for job in self._registered - self._finished
                           if self.is_done(job, mode="cache")}


class DistTrainJob(SlurmJob):
    """A failure ends all others, which then have no result or fail for want of it: the
    exception is that of the process that was the first."""

    watcher = DistTrainWatcher(delay_s=600)

    def exception(self):
        self.wait()
        failed = [job for job in self._sub_jobs if job.paths.result_pickle.exists()
                  and job._get_outcome_and_result()[0] == "error"]
        if not failed:
            return super().exception()
        first = min(failed, key=lambda job: job.paths.result_pickle.stat().st_mtime_ns)
        return SlurmJob.exception(first)

    def results(self):
        self.wait()
        failed = self.exception() if self._sub_jobs else None
        if failed:
            raise failed
        return super().results()


class DistTrainExecutor(SlurmExecutor):
    """framework and keys are those of dist-train exec FRAMEWORK[,KEY=VALUE]..."""

    job_class = DistTrainJob

    def __init__(self, folder, framework="ddp", keys=None, **kwargs):
        super().__init__(folder, **kwargs)
        self.framework = framework
        self.keys = dict(keys or {})

    @classmethod
    def _valid_parameters(cls):
        return super()._valid_parameters() | {"framework", "keys"}

    def _internal_update_parameters(self, **kwargs):
        self.framework = kwargs.pop("framework", self.framework)
        self.keys.update(kwargs.pop("keys", {}))
        super()._internal_update_parameters(**kwargs)

    def update_parameters(self, **kwargs):
        """Take the names of submitit's AutoExecutor, and Slurm's."""
        own = {name.removeprefix("slurm_"): value for name, value in kwargs.items()}
        names = self._convert_parameters({name: own.pop(name) for name in self._equivalence_dict()
                                          if name in own})
        super().update_parameters(**names, **own)

    def _procs(self):
        """Return the number of processes of a node."""
        found = (self.parameters.get("ntasks_per_node") or self.keys.get("procs")
                 or self.parameters.get("gpus_per_node"))
        if not found:
            raise ValueError("how many processes has a node? Give tasks_per_node=N, or "
                             "gpus_per_node=N for one on each GPU")
        return int(found)

    def _num_tasks(self):
        return self.parameters.get("nodes", 1) * self._procs()

    @property
    def _submitit_command_str(self):
        program = os.path.join(sysconfig.get_path("scripts"), "dist-train")
        request = [self.framework, f"procs={self._procs()}"]
        request += [f"{key.replace('_', '-')}={value}" for key, value in self.keys.items()
                    if key != "procs"]
        return " ".join([shlex.quote(program if os.path.exists(program) else "dist-train"), "exec",
                         shlex.quote(",".join(request)), "--", super()._submitit_command_str])

    def _make_submission_file_text(self, command, uid):
        """One task for each node, with what its processes have together."""
        procs, own = self._procs(), dict(self.parameters, ntasks_per_node=1)
        if own.get("cpus_per_task"):
            own["cpus_per_task"] *= procs
        if own.get("gpus_per_task"):
            own["gpus_per_node"] = own.pop("gpus_per_task") * procs
        return _make_sbatch_string(command=command, folder=self.folder, **own)

    def _internal_process_submissions(self, delayed_submissions):
        """Not as a job array, which submitit makes of executors of its own class."""
        return [job for delayed in delayed_submissions
                for job in super(DistTrainExecutor, self)._internal_process_submissions([delayed])]
