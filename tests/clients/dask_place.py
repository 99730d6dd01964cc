# SPDX-License-Identifier: Apache-2.0
"""One task on each worker of the cluster says where it is; their numbers are
added up. FAIL is the status to end with. WAIT: wait for a file of that name.
SHUTDOWN: end the cluster before."""
import os
import socket
import sys
import time

from distributed import Client


def place(number):
    """Where the task is, and its part of the sum."""
    return os.environ["SLURMD_NODENAME"], socket.gethostname(), 10**number


def main():
    """Place tasks, one per worker."""
    client = Client()
    workers = client.scheduler_info(n_workers=-1)["workers"]
    found = client.gather([
        client.submit(place, i, workers=[w["name"]], pure=False)
        for i, w in enumerate(sorted(workers.values(),
                                     key=lambda w: w["name"]))
    ])
    if any(f[0] != f[1] for f in found):
        sys.exit(f"a task has another node's environment: {found}")
    total = sum(w["nthreads"] for w in workers.values())
    gpus = sum(w["resources"].get("GPU", 0) for w in workers.values())
    limits = {w["memory_limit"] >> 20 for w in workers.values()}
    print(f"placed on={','.join(sorted(f[0] for f in found))}"
          f" of={os.environ['SLURMD_NODENAME']} sum={sum(f[2] for f in found)}"
          f" threads={total} gpus={gpus:g}"
          f" memory={','.join(map(str, sorted(limits)))}"
          f" at={os.environ['DASK_SCHEDULER_ADDRESS']}", flush=True)
    while "WAIT" in os.environ and not os.path.exists(os.environ["WAIT"]):
        time.sleep(0.1)
    if "SHUTDOWN" in os.environ:
        client.shutdown()
    os._exit(int(os.environ.get("FAIL", "0")))


if __name__ == "__main__":
    main()
