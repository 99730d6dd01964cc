# SPDX-License-Identifier: Apache-2.0
"""Nodes that are lost at random from steps of PyTorch training with spares, and
come back or don't: soak's losses.
"""
import os
import re
import subprocess
import time

from live_cluster import TOP, Trouble, read, until
from node_faults import FATAL, FAULTS, Node

PYTHON = "/usr/bin/python3"
LEASE, SPARES, EVERY = 5, 2, 5
# How the processes come up, and how many on each node
MODES = (("--ntasks-per-node=1", "", 1), ("--ntasks-per-node=2", "", 2),
         ("--ntasks-per-node=1", ",procs=2", 2))
# Until a new round trains, on a machine that has other work
LIMIT = 90


class Training:
    """One step of all nodes, and what its ranks have written."""

    def __init__(self, cluster, rng):
        self.cluster = cluster
        args, keys, per_node = rng.choice(MODES)
        self.world = (len(cluster.nodes) - SPARES) * per_node
        self.folder = f"{cluster.out}/training"
        subprocess.run(["rm", "-rf", self.folder], check=True)
        os.mkdir(self.folder)
        os.chmod(self.folder, 0o777)
        self.words = [
            "srun", f"-N{len(cluster.nodes)}", args,
            f"--dist-train=ddp,spares={SPARES},lease={LEASE},grace=2{keys}",
            PYTHON, f"{TOP}/tests/clients/train_resume_loss.py", self.folder,
            f"--every={EVERY}"]
        self.out = open(f"{cluster.work}/losses.out", "w+b")
        self.srun = cluster.start(self.words, self.out, self.out)
        self.lost, self.woken = [], set()

    def told(self):
        self.out.flush()
        return read(self.out.name).decode(errors="replace")

    def alive(self):
        if self.srun.poll() is not None:
            raise Trouble(f"the step has ended: status {self.srun.returncode}")
        return True

    def lines(self, word, number=r"\d+"):
        log = read(f"{self.folder}/log").decode()
        return re.findall(rf"^{word} round=({number}) rank=(\d+) (.*)$", log,
                          re.M)

    def round(self):
        """The newest one in which a step is done, or -1."""
        return max((int(n) for n, _, _ in self.lines("step")), default=-1)

    def nodes(self):
        """Those with ranks in the newest round, rank 0's first."""
        begun = {int(rank): re.search("node=([^ ]*)", rest)[1] for _, rank, rest
                 in self.lines("begin", str(self.round()))}
        return list(dict.fromkeys(begun[rank] for rank in sorted(begun)))

    def trains(self, after, what):
        """Waits for steps of a round that is newer than that one."""
        if not until(LIMIT, lambda: self.alive() and self.round() > after
                     and self.steps() > 2):
            raise Trouble(f"nobody trains {what}")

    def steps(self):
        return sum(rank == "0"
                   for _, rank, _ in self.lines("step", str(self.round())))

    def first_step(self, number):
        return min(float(re.search("at=([^ ]*)", rest)[1])
                   for _, _, rest in self.lines("step", str(number)))

    # --- its end ------------------------------------------------------------

    def finish(self):
        numbers = [int(re.search(r"number=(\d+)", rest)[1])
                   for _, _, rest in self.lines("step")]
        with open(f"{self.folder}/end.new", "w", encoding="ascii") as file:
            print(max(numbers) + 20, file=file)
        os.rename(f"{self.folder}/end.new", f"{self.folder}/end")
        try:
            status = self.srun.wait(LIMIT)
        except subprocess.TimeoutExpired:
            raise Trouble("the step doesn't end") from None
        if status:
            raise Trouble(f"the step ends with status {status}")

    def judge(self):
        words = [PYTHON, "-B", f"{TOP}/tests/clients/loss_curve.py",
                 self.folder, f"--every={EVERY}"]
        for at in self.lost:
            words.append(f"--lost={at}")
        for node in self.woken:
            words.append(f"--woken={node}")
        run = subprocess.run(words, capture_output=True, text=True,
                             check=False)
        if run.returncode:
            raise Trouble("not the training that it would have been: "
                          + run.stdout[-1500:] + run.stderr[-500:])

    def end(self):
        if self.srun.poll() is None:
            self.srun.kill()
            self.srun.wait()
        self.out.close()


class Losses:
    """So many losses, in as many steps as they take."""

    def __init__(self, cluster, rng, count):
        self.cluster, self.rng, self.count = cluster, rng, count
        self.done, self.times = 0, []
        self.gone, self.away = set(), set()

    def run(self):
        began = time.monotonic()
        while self.done < self.count:
            self.step()
        times = sorted(self.times)
        print(f"{self.done} losses: {time.monotonic() - began:.1f} s; from a "
              f"loss to the first step of the next round: median "
              f"{times[len(times) // 2]:.1f} s, longest {times[-1]:.1f} s",
              flush=True)

    def step(self):
        """Until nodes that don't come back have used up the spares."""
        training = Training(self.cluster, self.rng)
        self.gone, self.away = set(), set()
        print(" ".join(training.words), flush=True)
        try:
            training.trains(-1, "at first")
            while self.done < self.count and len(self.gone) < SPARES:
                self.lose_some(training)
            training.finish()
            training.judge()
        except Trouble as trouble:
            print("    | " + training.told()[-3000:].replace("\n", "\n    | "))
            raise trouble
        finally:
            training.end()
            for name in self.cluster.nodes:
                Node(self.cluster.name, name).back()
        self.cluster.nothing_left()

    # --- one or two at once, or one after the other -------------------------

    def lose_some(self, training):
        room = min(SPARES - len(self.gone), self.count - self.done)
        number = self.rng.choice((1, 1, room))
        here = [n for n in self.cluster.nodes if n not in self.gone]
        victims = self.rng.sample(here, number)
        # The second one at once, or in the middle of the replacement
        pause = self.rng.choice((0, self.rng.uniform(0, LEASE + 3)))
        time.sleep(self.rng.uniform(0, 1))
        before, nodes = training.round(), training.nodes()
        text, at = [], 0.0
        for name in victims:
            if at:
                time.sleep(pause)
            how = self.rng.choice(FAULTS)
            place = nodes.index(name) if name in nodes else "none"
            text.append(f"{how} {name} (place {place})")
            self.lose(training, name, how)
            at = at or time.time()
        self.done += number
        told = f"loss {self.done} of {self.count}: " + \
            f", {pause:.1f} s later ".join(text)
        if set(victims) & set(nodes):
            training.trains(before, f"after {told}")
            took = training.first_step(training.round()) - at
            self.times.append(took)
            told += f": trains after {took:.1f} s in round {training.round()}"
        print(told, flush=True)
        self.come_back()

    def lose(self, training, name, how):
        getattr(Node(self.cluster.name, name), how)()
        if how in FATAL:
            self.gone.add(name)
        else:
            self.away.add(name)
        if how == "stop":
            training.woken.add(name)

    def come_back(self):
        """Those that can: they are spares then."""
        for name in sorted(self.away):
            time.sleep(self.rng.uniform(0, 2))
            node = Node(self.cluster.name, name)
            node.back()
            node.joined()
        self.away.clear()
