# SPDX-License-Identifier: Apache-2.0
"""Rank 0 starts JAX only when rank 1, which starts at once, is connected to the
coordinator's port; then nobody but JAX may listen there."""
import os
import sys
import time

import jax

PORT = int(os.environ["JAX_COORDINATOR_ADDRESS"].rpartition(":")[2])
ESTABLISHED, LISTEN = "01", "0A"


def sockets(state):
    """How many of this host's sockets at the port are in that state."""
    count = 0
    for path in "/proc/net/tcp", "/proc/net/tcp6":
        with open(path, encoding="ascii") as f:
            for line in f.readlines()[1:]:
                _, local, _, found = line.split()[:4]
                port = int(local.rpartition(":")[2], 16)
                count += port == PORT and found == state
    return count


def wait_until(condition, what):
    limit = time.monotonic() + 60
    while not condition():
        if time.monotonic() > limit:
            sys.exit(f"not within 60 s: {what}")
        time.sleep(0.01)


def main():
    first = os.environ["SLURM_PROCID"] == "0"
    if first:
        wait_until(lambda: sockets(ESTABLISHED), "rank 1 is connected")
    jax.distributed.initialize(initialization_timeout=60)
    if first:
        wait_until(lambda: sockets(LISTEN) == 1, "one socket listens")
        print("nobody but JAX listens", flush=True)
    print(f"trained rank={jax.process_index()}", flush=True)


main()
