# SPDX-License-Identifier: Apache-2.0
"""Training that goes wrong on demand: all ranks add up numbers, again and again.

misbehave.py HOW [RANK]: after some rounds RANK does HOW:
  exit      ends with exit code 3
  zero      ends with exit code 0
  segv      reads from address 0
  kill      is killed
  oom       takes memory without end
  hang      ends with exit code 3, and its peers never end by themselves
  twice     is killed in the first two lives of the step (DIST_TRAIN_RESTART)
  fill      all write more than a small disk takes, and end well
  signal    nothing; SIGUSR1 and SIGUSR2 are told in a line
  raise     raises an exception, which torch writes to its error file
  nothing   nothing: they run until they are ended
"""
import ctypes
import os
import resource
import signal
import sys
import time

import torch
import torch.distributed as dist

from leave import leave

how = sys.argv[1]
culprit = int(sys.argv[2]) if len(sys.argv) > 2 else -1


def say(*words):
    os.write(1, (" ".join(str(w) for w in words) + "\n").encode())


def take_memory():
    hoard = []
    while True:
        hoard.append(b"x" * (16 << 20))


def go_wrong():
    say("failing", dist.get_rank(), f"{time.time():.3f}")
    if how in ("exit", "hang"):
        os._exit(3)
    if how == "zero":
        os._exit(0)
    if how == "raise":
        raise ValueError("the loss is not a number")
    if how == "segv":
        ctypes.string_at(0)
    if how == "oom":
        take_memory()
    if how == "kill" or (how == "twice" and life < 2):
        os.kill(os.getpid(), signal.SIGKILL)


def end_by(*exception):
    sys.__excepthook__(*exception)
    os._exit(1)


def train():
    number = torch.ones(1000)
    for i in range(4 if how in ("fill", "twice") else 10**9):
        dist.all_reduce(number)
        number.fill_(1)
        if i == 0:
            say("ready", dist.get_rank(), life, os.environ["MASTER_PORT"])
        if i == 2 and dist.get_rank() == culprit:
            go_wrong()
        if how == "fill":
            say("x" * 100000)
        time.sleep(0.02)


life = int(os.environ["DIST_TRAIN_RESTART"])
if os.environ.get("TORCHELASTIC_RESTART_COUNT", str(life)) != str(life):
    sys.exit("torch counts other restarts")
resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
if how == "signal":
    for name in ("usr1", "usr2"):
        signal.signal(
            getattr(signal, "SIG" + name.upper()),
            lambda *_, name=name: say(name, os.environ["RANK"]),
        )
dist.init_process_group("gloo")
if how == "raise":
    # The exception is all that the process ends with; see leave.py
    sys.excepthook = end_by
    # A fifth of a second of each process
    from torch.distributed.elastic.multiprocessing.errors import record

    train = record(train)
try:
    train()
except RuntimeError:
    if how != "hang":
        raise
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    while True:
        time.sleep(60)
say("trained", dist.get_rank(), life)
leave()
