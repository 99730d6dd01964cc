# SPDX-License-Identifier: Apache-2.0
"""A program that says how far it is, until GO is there. A loss may be anything that
float() takes, such as a tensor.

usage: progress_ranks.py EXAMPLES GO
"""
import fractions
import os
import sys
import time

sys.path.insert(0, sys.argv[1])
from progress import progress  # noqa: E402

rank, world = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
step = 0
while step < 1000 and not os.path.exists(sys.argv[2]):
    step += 1
    progress(step, 1000, loss=fractions.Fraction(1, step), busy=50 + rank)
    time.sleep(0.1)
os.write(1, f"trained rank={rank} world={world} \n".encode())
