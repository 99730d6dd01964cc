#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""A program whose files change while its job runs (tests/cluster/cases/code.sh).

It says which of its files it has. Then rank 0 does to them what CHANGES has for this
attempt, separated by semicolons, and fails by the signal FAILS; where nothing is left
to do all end. `first' is the word that is changed.
"""
import os
import signal
import subprocess
import sys
import time

import helper
from pkg import part

attempt = int(os.environ["DIST_TRAIN_RESTART"]) + int(os.environ.get("SLURM_RESTART_COUNT", 0))
changes = os.environ.get("CHANGES", "").split(";")
rank = os.environ["RANK"]
here = os.path.dirname(os.path.abspath(__file__))
top = here[:-4] if here.endswith("/pkg") else here
if os.environ.get("BESIDE"):
    open(top + "/beside.txt", "w").close()
    open(top + "/data/y", "w").close()
with open("out.txt", "a") as out:
    out.write(f"{attempt}\n")
with open(top + "/data/x") as data:
    value = data.read().strip()
print(
    f"attempt {attempt} rank {rank} runs first {helper.VALUE} {part.VALUE}",
    f"at {here} from {helper.__file__} data={value}",
    os.environ.get("DIST_TRAIN_CODE"),
    os.environ.get("DIST_TRAIN_CODE_COMMIT"),
    flush=True,
)
if attempt >= len(changes) or not changes[attempt]:
    sys.exit(0)
# All have said what they are when the first one fails
open(f"ready.{attempt}.{rank}", "w").close()
if rank == "0":
    for other in range(int(os.environ["WORLD_SIZE"])):
        while not os.path.exists(f"ready.{attempt}.{other}"):
            time.sleep(0.02)
    subprocess.check_call(changes[attempt], shell=True)
    os.kill(os.getpid(), int(os.environ["FAILS"]))
signal.pause()
