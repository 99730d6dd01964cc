#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Random heterogeneous steps, and what each of their processes has to find.

    het_steps.py command SEED SHOW    the command line, one word a line
    het_steps.py check SEED FILE      what show.sh has printed, and its status
    het_steps.py script SEED SHOW     the same as a batch script, for explain
    het_steps.py explained SEED FILE  what explain --json has printed
    het_steps.py scenarios SEED       for tests/spank/host: scenario.N for each
                                      component, here
    het_steps.py played SEED FILE     what tests/spank/launchers has printed, and
                                      its status

On a cluster of four nodes with eight GPUs each; played ones have nodes of any kind,
whose tasks are dealt out in turn now and then. The expected numbers are counted
here from how the step was made up; nothing of the product has a part in it.
"""
import json
import random
import re
import sys

NODES = 4
ORDINARY = "ddp"


class Component:
    def __init__(self, rng, nodes, odd=False):
        self.nodes = nodes
        gpus = rng.randint(0, 8)
        tasks = 1 if rng.random() < 0.75 else rng.randint(2, 3)
        self.procs = rng.choice(
            ["auto"] * 5 + ["task", "device", str(rng.randint(1, 4))])
        self.gpus, self.tasks = [gpus] * nodes, [tasks] * nodes
        if odd:
            self.make_odd(rng)
        self.single = max(self.tasks) == 1

    def make_odd(self, rng):
        if rng.random() < 0.5:
            self.gpus = [rng.randint(0, 8) for _ in self.gpus]
        if rng.random() < 0.2:
            self.tasks = [rng.randint(1, 3) for _ in self.tasks]
        self.cyclic = rng.random() < 0.3

    def arguments(self):
        words = ["-N%d" % self.nodes, "-n%d" % sum(self.tasks),
                 "--ntasks-per-node=%d" % self.tasks[0]]
        return words + (["--gres=gpu:%d" % self.gpus[0]] if self.gpus[0] else
                        ["--gres=none"])

    def option(self):
        return ORDINARY + ("" if self.procs == "auto" else
                           ",procs=" + self.procs)

    def by_task(self, node):
        """Processes of a task there; 0: it can't be."""
        device = self.procs == "device" or (
            self.procs == "auto" and self.single and max(self.gpus) > 1)
        if device:
            return self.gpus[node] if self.single else 0
        if self.procs.isdigit():
            return int(self.procs) if self.single else 0
        return 1

    def can_be(self):
        return all(self.by_task(node) for node in range(self.nodes))

    def places(self):
        """Of its tasks, in their order: node, and number there."""
        if not getattr(self, "cyclic", False):
            return [(node, local) for node in range(self.nodes)
                    for local in range(self.tasks[node])]
        return [(node, local) for local in range(max(self.tasks))
                for node in range(self.nodes) if local < self.tasks[node]]


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


def expected(components):
    """By rank: what a process finds, or None where the step can't be."""
    if not all(c.can_be() for c in components):
        return None
    rows, first = [], 0
    for c in components:
        used = [0] * c.nodes
        for node, _ in c.places():
            n = c.by_task(node)
            size = c.tasks[node] * n
            for _ in range(n):
                rows.append({"RANK": len(rows), "LOCAL_RANK": used[node],
                             "LOCAL_WORLD_SIZE": size,
                             "GROUP_RANK": first + node,
                             "gpus": c.gpus[node],
                             "one": c.tasks[node] == 1 and n == c.gpus[node]})
                used[node] += 1
        first += c.nodes
    for row in rows:
        row.update(WORLD_SIZE=len(rows), D_WORLD_SIZE=len(rows),
                   D_RANK=row["RANK"], D_NNODES=first, procid=row["RANK"],
                   ntasks=len(rows), nodeid=row["GROUP_RANK"])
    return rows


def of_step(job, part):
    return [job[i] for i in sorted(part)]


def read_shown(name):
    with open(name) as f:
        text = f.read().splitlines()
    return int(text[-1].split()[-1]), [
        dict(re.findall(r"(\w+)=(\S*)", line)) for line in text
        if line.startswith("show ")]


def check(seed, name):
    status, shown = read_shown(name)
    return compare(expected(of_step(*make_up(seed))), shown, status)


# --- played by tests/spank/host ---------------------------------------------


class Played:
    """A step of nodes of any kind, and what Slurm tells of it."""

    def __init__(self, seed):
        rng = random.Random(seed)
        self.job = [Component(rng, rng.randint(1, 3), True)
                    for _ in range(rng.randint(1, 4))]
        self.part = list(range(len(self.job)))
        if rng.random() < 0.35:
            rng.shuffle(self.part)
            self.part = self.part[:rng.randint(1, len(self.part))]
        # 22.05's srun has the old name
        self.group = rng.choice(["HET", "HET", "PACK"])
        self.components = of_step(self.job, self.part)
        names = ["n%02d" % i for i in range(sum(c.nodes for c in self.job))]
        groups = list(range(len(self.job)))
        rng.shuffle(groups)
        self.names = {}
        for i in groups:
            self.names[i] = [names.pop(0) for _ in range(self.job[i].nodes)]
        self.given = [self.job[i].option() for i in self.part]
        # A component without an option has the last one of the line
        self.given = [
            "-" if text == self.given[-1] and i + 1 < len(self.given) and
            rng.random() < 0.5 else text for i, text in enumerate(self.given)]

    def nodes(self):
        """By SLURM_NODEID: name, tasks, devices."""
        rows, task = [], 0
        for i, c in zip(sorted(self.part), self.components):
            mine = [(name, [], gpus) for name, gpus in
                    zip(self.names[i], c.gpus)]
            for node, _ in c.places():
                mine[node][1].append(task)
                task += 1
            rows += mine
        return rows

    def head(self, number):
        first = sum(sum(c.tasks) for c in self.components[:number])
        nodes = self.nodes()
        lines = ["layout " + " ".join(
            "%s:%s" % (name, ",".join(map(str, tasks)))
            for name, tasks, _ in nodes), "grestypes gpu", "munge SECRET",
            "ntasks %d" % sum(self.components[number].tasks),
            "first %d" % first]
        for at, (name, _, gpus) in enumerate(nodes):
            lines += ["conf %s 10.0.0.%d" % (name, at + 1),
                      "resolve %s 10.0.0.%d" % (name, at + 1)]
            if len(self.components) == 1:
                lines.append("gres " + ("gpu:%d(IDX:0-%d)" % (gpus, gpus - 1)
                                        if gpus else ""))
        if len(self.components) == 1:
            lines.append("tres per_step gres/gpu:%d" % sum(
                gpus for _, _, gpus in nodes))
        for i, names in self.names.items():
            lines.append("env SLURM_JOB_NODELIST_%s_GROUP_%d=%s" % (
                self.group, i, ",".join(names)))
        return lines, first

    def srun(self, number):
        words = " : ".join(
            "--het-group=%d %sprog" % (
                group, "" if text == "-" else "--dist-train=%s " % text)
            for group, text in zip(self.part, self.given))
        lines = ["srun", "\tcmdline srun " + words]
        lines += ["\tcomponent " + text for text in self.given]
        return lines + ["\tkeeps srun.%d" % number]

    def task(self, number, task):
        by_name = sorted(self.nodes())
        gpus = [n for _, tasks, n in by_name if task in tasks][0]
        lines = ["task %d" % task, "\toption " + self.given[-1],
                 "\tenv SLURM_STEP_NODELIST=" + ",".join(
                     name for name, _, _ in by_name),
                 "\tenv SLURM_STEP_TASKS_PER_NODE=" + ",".join(
                     str(len(tasks)) for _, tasks, _ in by_name)]
        if gpus:
            devices = ",".join(map(str, range(gpus)))
            lines += ["\tenv SLURM_STEP_GPUS=" + devices,
                      "\tenv CUDA_VISIBLE_DEVICES=" + devices]
        return lines + ["\tkeeps task.%d" % task]


def scenarios(seed):
    step = Played(seed)
    for number, c in enumerate(step.components):
        lines, first = step.head(number)
        lines += step.srun(number)
        for task in range(first, first + sum(c.tasks)):
            lines += step.task(number, task)
        with open("scenario.%d" % number, "w") as f:
            f.write("\n".join(lines) + "\n")


def played(seed, name):
    status, shown = read_shown(name)
    rows = expected(Played(seed).components)
    for row in shown:
        for key in ("RANK", "WORLD_SIZE", "NNODES"):
            row["D_" + key] = row["DIST_TRAIN_" + key]
        row.update(procid=row["SLURM_PROCID"], nodeid=row["SLURM_NODEID"],
                   ntasks=row["SLURM_NTASKS"] or row["SLURM_STEP_NUM_TASKS"],
                   DEVICES=row["DIST_TRAIN_DEVICES"])
    faults = compare(rows, shown, status)
    nnodes = len(Played(seed).nodes())
    where = "127.0.0.1" if nnodes == 1 else "10.0.0.1"
    if rows and {row["MASTER_ADDR"] for row in shown} != {where}:
        faults.append("they meet elsewhere than at %s" % where)
    if rows and {row["DIST_TRAIN_STEP"] for row in shown} != {"7.0.0"}:
        faults.append("they aren't of one step")
    return faults


# ------------------------------------------------------------------------------


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
    return compare(expected(of_step(*make_up(seed))), shown, not shown)


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
elif sys.argv[1] == "scenarios":
    scenarios(int(sys.argv[2]))
else:
    look = {"explained": explained, "played": played, "check": check}
    found = look[sys.argv[1]](int(sys.argv[2]), sys.argv[3])
    for fault in found:
        print("step %s: %s" % (sys.argv[2], fault))
    sys.exit(1 if found else 0)
