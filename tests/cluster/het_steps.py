#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Random heterogeneous steps, and what each of their processes has to find.

    het_steps.py command SEED SHOW    the command line, one word a line
    het_steps.py check SEED FILE      what show.sh has printed, and its status
    het_steps.py script SEED SHOW     the same as a batch script, for explain
    het_steps.py explained SEED FILE  what explain --json has printed

On a cluster of four nodes with eight GPUs each. The expected numbers are counted
here from how the step was made up; nothing of the product has a part in it.
"""
import json
import random
import re
import sys

NODES = 4
ORDINARY = "ddp"


class Component:
    def __init__(self, rng, nodes):
        self.nodes = nodes
        self.gpus = rng.randint(0, 8)
        self.tasks = 1 if rng.random() < 0.75 else rng.randint(2, 3)
        self.procs = rng.choice(
            ["auto"] * 5 + ["task", "device", str(rng.randint(1, 4))])

    def arguments(self):
        words = ["-N%d" % self.nodes, "-n%d" % (self.nodes * self.tasks),
                 "--ntasks-per-node=%d" % self.tasks]
        return words + (["--gres=gpu:%d" % self.gpus] if self.gpus else
                        ["--gres=none"])

    def option(self):
        return ORDINARY + ("" if self.procs == "auto" else
                           ",procs=" + self.procs)

    def by_task(self):
        """Processes of a task; 0: it can't be."""
        if self.procs == "task":
            return 1
        if self.procs == "auto":
            return self.gpus if self.tasks == 1 and self.gpus > 1 else 1
        n = self.gpus if self.procs == "device" else int(self.procs)
        if self.procs != "device" and n == 1:
            return 1
        return n if self.tasks == 1 else 0


def make_up(seed):
    """The job's components, and which of them the step has."""
    rng = random.Random(seed)
    left, job = NODES, []
    while left and (len(job) < 2 or rng.random() < 0.5):
        nodes = rng.randint(1, max(1, left - (1 if len(job) < 1 else 0)))
        job.append(Component(rng, nodes))
        left -= nodes
    part = list(range(len(job)))
    if len(job) > 1 and rng.random() < 0.35:
        rng.shuffle(part)
        part = part[:rng.randint(1, len(job))]
    return job, part


def command(seed, show):
    job, part = make_up(seed)
    whole = part == list(range(len(job)))
    words = []
    if not whole:
        words = ["salloc", "-Q"]
        for i, c in enumerate(job):
            words += ([":"] if i else []) + c.arguments()
    return words + step_words(job, part, show, whole)


def step_words(job, part, show, whole):
    words = ["srun"]
    for i, at in enumerate(part):
        c = job[at]
        words += [":"] if i else []
        words += [] if whole else ["--het-group=%d" % at]
        words += c.arguments() + ["--dist-train=" + c.option(), show]
    return words


def script(seed, show):
    job, part = make_up(seed)
    between = "\n#SBATCH hetjob\n"
    return "#!/bin/sh\n%s\n%s" % (
        between.join("#SBATCH " + " ".join(c.arguments()) for c in job),
        " ".join(step_words(job, part, show, False)))


def expected(seed):
    """By rank: what a process finds, or None where the step can't be."""
    job, part = make_up(seed)
    components = [job[i] for i in sorted(part)]
    if not all(c.by_task() for c in components):
        return None
    rows, node = [], 0
    for c in components:
        for _ in range(c.nodes):
            size = c.tasks * c.by_task()
            for local in range(size):
                rows.append({"RANK": len(rows), "LOCAL_RANK": local,
                             "LOCAL_WORLD_SIZE": size, "GROUP_RANK": node,
                             "gpus": c.gpus, "one": c.tasks == 1 and c.by_task() == c.gpus})
            node += 1
    for row in rows:
        row.update(WORLD_SIZE=len(rows), D_WORLD_SIZE=len(rows),
                   D_RANK=row["RANK"], D_NNODES=node, procid=row["RANK"],
                   ntasks=len(rows), nodeid=row["GROUP_RANK"])
    return rows


def check(seed, name):
    with open(name) as f:
        text = f.read().splitlines()
    shown = [dict(re.findall(r"(\w+)=(\S*)", line)) for line in text
             if line.startswith("show ")]
    return compare(expected(seed), shown, int(text[-1].split()[-1]))


def explained(seed, name):
    """The variables of each process, as the product's own preview has them."""
    with open(name) as f:
        text = f.read()
    shown = []
    step = json.loads(text)
    for process in step.get("processes", []):
        env = dict(step["common"]["env"], **process["env"])
        env = {name: str(value) for name, value in env.items()}
        for key, variable in (("procid", "SLURM_PROCID"),
                              ("ntasks", "SLURM_NTASKS"),
                              ("nodeid", "SLURM_NODEID")):
            if variable in env:
                env[key] = env[variable]
        env["DEVICES"] = env["DIST_TRAIN_DEVICES"]
        shown.append(env)
    return compare(expected(seed), shown, not shown)


def compare(rows, shown, status):
    if rows is None:
        return [] if status and not shown else ["it isn't refused"]
    if status or len(shown) != len(rows):
        return ["status %d, %d of %d processes" % (status, len(shown),
                                                  len(rows))]
    faults = []
    shown.sort(key=lambda row: int(row["RANK"]))
    for want, got in zip(rows, shown):
        for key, value in want.items():
            if key in got and got[key] != str(value):
                faults.append("rank %d: %s=%s, not %s" % (
                    want["RANK"], key, got[key], value))
        if want["one"] and got["DEVICES"] != str(want["LOCAL_RANK"]):
            faults.append("rank %d: device %s" % (want["RANK"],
                                                  got["DEVICES"]))
        if not want["gpus"] and got["DEVICES"]:
            faults.append("rank %d has a device" % want["RANK"])
    ports = {(row["MASTER_ADDR"], row["MASTER_PORT"]) for row in shown}
    if len(ports) != 1:
        faults.append("they meet at %s" % sorted(ports))
    return faults


if sys.argv[1] == "command":
    print("\n".join(command(int(sys.argv[2]), sys.argv[3])))
elif sys.argv[1] == "script":
    print(script(int(sys.argv[2]), sys.argv[3]))
else:
    look = explained if sys.argv[1] == "explained" else check
    found = look(int(sys.argv[2]), sys.argv[3])
    for fault in found:
        print("step %s: %s" % (sys.argv[2], fault))
    sys.exit(1 if found else 0)
