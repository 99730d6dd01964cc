#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the launchers of a step would tell, for --rows FILE of status and top.

rows.py FILE NRANKS [PER_NODE [KEY=VALUE...]]: written at once as a whole. Keys:
  at=S       seconds since the step's start (100)
  progress=1 ranks report; slow=R: rank R has half of the others' rate
  device=1   ranks have a device
  dead=R     rank R has ended with 1
  idle=R     rank R takes no CPU and is in state D
  away=NODE  spare=NODE
"""
import os
import sys


def rank_rows(rank, at, keys):
    wave = rank * 7 % 10 / 10
    busy = keys.get("idle") != str(rank)
    dead = keys.get("dead") == str(rank)
    slow = keys.get("slow") == str(rank)
    pid = 4000 + rank
    cpu = int(at * 1000 * (0.95 + wave / 20)) if busy else 120
    rows = [
        ("rank", rank, pid, int(at * 1000), int(dead), int(dead),
         int(300 + 100 * wave)),
    ]
    if not dead:
        rows.append(("use", rank, pid, int(at * 1000) + 5000,
                     "R" if busy else "D", 3, cpu,
                     int((1.1 + wave / 10) * 2**20), int(at * 1000)))
    if keys.get("device"):
        rows.append(("device", rank, 1, 61000 + 10 * rank % 700, 81559,
                     96 if busy else 0))
    if keys.get("progress"):
        rate = 1.9 if slow else 3.8
        rows.append(("progress", rank, f"{at / 20:.2f}", f"{2000 - at:.1f}",
                     int(at * rate), rate, f"{2.5 - at / 1000:.4f}", 0.4,
                     "", "lr=0.001"))
    return rows


def all_rows(nranks, per_node, keys):
    at = float(keys.get("at", 100))
    nnodes = -(-nranks // per_node)
    for node in range(nnodes):
        yield ("launcher", f"node{node + 1}")
        mine = range(node * per_node, min(nranks, (node + 1) * per_node))
        if node == 0:
            yield ("step", nranks, nnodes + ("spare" in keys) +
                   ("away" in keys), 0)
            if "away" in keys:
                yield ("away", keys["away"])
        yield ("node", 0, 0, len(mine))
        for rank in mine:
            yield from rank_rows(rank, at, keys)
    if "spare" in keys:
        yield ("launcher", keys["spare"])
        yield ("node", 0, 1, 0)


def main():
    path, nranks = sys.argv[1], int(sys.argv[2])
    per_node = int(sys.argv[3]) if len(sys.argv) > 3 else 8
    keys = dict(word.split("=", 1) for word in sys.argv[4:])
    with open(path + ".new", "w", encoding="ascii") as f:
        for row in all_rows(nranks, per_node, keys):
            f.write("\t".join(map(str, row)) + "\n")
    os.rename(path + ".new", path)


main()
