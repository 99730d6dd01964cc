# SPDX-License-Identifier: Apache-2.0
"""JAX processes add up their numbers, and one of them hangs (hang_ways.py).

hang_jax.py [--sigterm] WAY RANK [FILE]
"""
import argparse
import os
import time

import jax
import numpy as np
from jax.experimental import multihost_utils

from hang_ways import WAYS, handle_sigterm, say


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--sigterm", action="store_true")
    parser.add_argument("way")
    parser.add_argument("rank", type=int)
    parser.add_argument("file", nargs="?")
    options = parser.parse_args()
    jax.distributed.initialize(initialization_timeout=60)
    if options.sigterm:
        handle_sigterm()  # after JAX's own
    rank = jax.process_index()
    for step in range(10**9):
        if step == 3 and rank == options.rank:
            say("hanging", rank, f"{time.time():.3f}")
            WAYS[options.way](options.file)
        multihost_utils.process_allgather(np.array([rank]))  # waits
        if step == 0:
            say("ready", rank, os.getpid())
        time.sleep(0.02)


main()
