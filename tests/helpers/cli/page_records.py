# SPDX-License-Identifier: Apache-2.0
"""Records of steps, made up for pages: page_records.py FOLDER writes failure,
hang, large and, in week/, those of a job of seven days."""
import json
import os
import sys

BEGIN = 1795364556.0


class Record:
    """The lines of one step, whose times are seconds since its begin."""

    def __init__(self, step, nodes, per_node, begin=BEGIN, **head):
        self.step, self.begin, self.lines = step, begin, []
        self.nodes = [f"node{n + 1}" for n in range(nodes)]
        self.per_node, self.world = per_node, nodes * per_node
        self.line(0, "step", schema=2, job_name="llama-7b", framework="ddp",
                  command="python3 train.py --config big.yaml",
                  keys="ddp,hang=600,restarts=1,metrics=on",
                  nodes=f"node[1-{nodes}]", nnodes=nodes,
                  world_size=self.world, **head)

    def line(self, at, event, **members):
        members = {"round": 0, **members} if event != "step" else members
        self.lines.append({"t_ms": round((self.begin + at) * 1000, 3),
                           "step": self.step, "event": event, **members})

    def rank(self, at, event, rank, round=0, **members):
        self.line(at, event, rank=rank, node=self.nodes[rank // self.per_node],
                  role="worker", round=round, **members)

    def start(self, at, round=0, late=None):
        """All ranks come up; the node `late` two seconds after the others."""
        for rank in range(self.world):
            node = rank // self.per_node
            came = at + 0.02 * node + 0.003 * (rank % self.per_node)
            came += 2.1 if node == late else 0
            self.rank(came, "waiting", rank, round)
            self.rank(at + 2.4 + 0.01 * rank % 1, "starting", rank, round)
            self.rank(at + 9 + 0.37 * (rank % 7), "running", rank, round)
        self.line(at + 3.5, "runs", round=round)

    def end(self, at, round=0, but=None, by_step=True, **how):
        """All ranks end; the one of `but` in the way that `how` says."""
        for rank in range(self.world):
            if rank == but:
                self.rank(at, "ended", rank, round, **how)
            elif but is None:
                self.rank(at + 0.01 * rank % 1, "ended", rank, round, code=0)
            else:
                self.rank(at + 1 + 0.04 * rank % 1, "ended", rank, round,
                          signal=15, by_step=by_step)

    def text(self):
        return "".join(json.dumps(line) + "\n" for line in self.lines)


REPORT = """dist-train: rank 11 (worker) on node2, device 3, pid 4711: exit code 1 after 184 s (first failure)
  Traceback (most recent call last):
    File "train.py", line 212, in <module>
      loss = step(model, batch)
  RuntimeError: CUDA error: an illegal memory access was encountered
dist-train: 31 other processes were ended"""

HANG = """dist-train: hang: no rank has worked for 12 min 4 s (hang=600)
dist-train:   suspect: 1 rank (17, node3): load data.py:88 (isn't in a collective, as others are)
dist-train:     rank 17: pid 5313 on node3, waits for the disk
dist-train:   30 ranks (0-16,18-30): all_reduce distributed_c10d.py:1541 < train train.py:31
dist-train:   1 rank (31, node4): barrier distributed_c10d.py:3700 < save train.py:77
dist-train: the step goes on: `dist-train stack 4711.0 --all` shows whole stacks; hang=600:restart would start its processes again, hang=600:fail end it
"""


def failure():
    """4 x 8 ranks; rank 11 fails, all start again, and succeed."""
    r = Record("4711.0.0", 4, 8)
    r.start(0, late=2)
    r.line(184, "failure", node="node2", code=1)
    r.line(184.1, "report", node="node2", text=REPORT)
    r.end(184, but=11, code=1)
    r.line(187, "round", round=1, nnodes=4, world_size=32, places="0-3")
    r.start(187, 1)
    for tenth in range(1, 10):
        r.line(190 + 40 * tenth, "progress", round=1, rank=0, node="node1",
               percent=10 * tenth)
    r.end(600, 1)
    r.line(601, "end", round=1, code=0)
    return r


def hang():
    """4 x 8 ranks, one of which waits for a disk; it has no end yet."""
    r = Record("4712.0.0", 4, 8)
    r.start(0)
    r.line(2000, "slow", node="node3", text="rank 17 on node3 is slower than others")
    r.line(3000, "hang", node="node3", text=HANG)
    r.line(3001, "stacks", text="/home/a/.local/state/dist-train/4712.0.0.stacks")
    return r


def failed(nodes=4, per_node=8):
    """The same failure, with no restart left."""
    r = Record("4713.0.0", nodes, per_node)
    r.start(0, late=2)
    r.line(184, "failure", node="node2", code=1)
    r.line(184.1, "report", node="node2", text=REPORT)
    r.end(184, but=11, code=1)
    r.line(186, "end", code=1)
    return r


def week():
    """Seven days of a job: a run ends each day by its time limit, one by a lost
    node, one by a failure; in one of them there is a hang."""
    at = BEGIN
    for life in range(7):
        r = Record(f"4800.0.{life}", 4, 8, at, submitted=at - 600 - 900 * life,
                   job_start=at - 20)
        long = 86400 - 3000 * life
        r.line(45, "runs")
        if life == 2:
            r.line(30000, "lost", node="node3", text="no sign of life for 15 s",
                   why="no sign of life for 15 s")
            r.line(30020, "round", round=1, nnodes=4, world_size=32)
            r.line(30070, "runs", round=1)
        if life == 4:
            r.line(40000, "hang", node="node3", text=HANG)
            r.line(40010, "round", round=1, nnodes=4, world_size=32)
            r.line(40060, "runs", round=1)
        last = 1 if life in (2, 4) else 0
        r.line(45, "saved", value=10000 * life, age_s=1200)
        if last:
            r.line(40000, "saved", value=10000 * life + 4000, age_s=240)
            r.line(40060, "saved", round=1, value=10000 * life + 4000, age_s=300)
        r.line(long - 0.5, "saved", round=last, value=10000 * life + 9000,
               age_s=300)
        for rank in range(32):
            if rank % 8 == 0:
                r.line(long - 1, "progress", round=last, rank=rank,
                       node=f"node{rank // 8 + 1}",
                       last_step=10000 * life + 9400)
        if life == 5:
            r.line(long, "failure", round=last, node="node4", code=1)
            r.line(long + 2, "end", round=last, code=1)
        elif life < 6:
            r.line(long - 60, "signalled", round=last,
                   text="60 s before the time limit")
            r.line(long, "end", round=last, code=0)
        else:
            r.line(long, "end", round=last, code=0)
        yield r
        at += long + 1200 + 1800 * life


def main():
    folder = sys.argv[1]
    os.makedirs(f"{folder}/week", exist_ok=True)
    for name, record in (("failure", failure()), ("hang", hang()),
                         ("failed", failed()), ("large", failed(128, 8))):
        with open(f"{folder}/{name}", "w", encoding="utf-8") as file:
            file.write(record.text())
    for record in week():
        with open(f"{folder}/week/{record.step}.jsonl", "w",
                  encoding="utf-8") as file:
            file.write(record.text())


if __name__ == "__main__":
    main()
