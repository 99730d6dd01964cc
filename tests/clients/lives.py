# SPDX-License-Identifier: Apache-2.0
"""A training that takes several lives of its job.

lives.py FOLDER STEPS [STEP_S]: rank 0 writes each step that is done to
FOLDER/log ("LIFE STEP"), and FOLDER/steps when the signal USR1 comes, or at the
end. Then each rank ends with 0. +STEPS: so many in a life, but for the first one,
which doesn't end by itself. FOLDER/exit: end with that code at once; FOLDER/stuck:
never save.
"""

import os
import signal
import sys
import time

folder, steps = sys.argv[1:3]
step_s = float(sys.argv[3]) if sys.argv[3:] else 0.1
rank = int(os.environ["RANK"])
life = os.environ.get("SLURM_RESTART_COUNT", "0")
came = []
signal.signal(signal.SIGUSR1, lambda number, frame: came.append(1))


def read(name, other):
    try:
        with open(f"{folder}/{name}") as file:
            return int(file.read())
    except FileNotFoundError:
        return other


def save(step):
    with open(f"{folder}/steps.new", "w") as file:
        file.write(f"{step}\n")
    os.replace(f"{folder}/steps.new", f"{folder}/steps")


begin = step = read("steps", 0)
last = int(steps)
if steps[0] == "+":
    last = begin + last if int(life) else sys.maxsize
print(f"life {life} rank {rank} begins at {begin}", flush=True)
code = read("exit", None)
if code is not None:
    sys.exit(code)
done = []
while step < last and not came:
    time.sleep(step_s)
    step += 1
    done.append(step)
if rank == 0 and not os.path.exists(f"{folder}/stuck"):
    with open(f"{folder}/log", "a") as file:
        file.writelines(f"{life} {each}\n" for each in done)
    save(step)
print(f"life {life} rank {rank} ends at {step} signals={len(came)}", flush=True)
