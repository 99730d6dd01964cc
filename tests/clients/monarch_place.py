# SPDX-License-Identifier: Apache-2.0
"""One actor on each node, or PROCS of them, says where it is; their numbers are
added up. FAIL is the status to end with. WAIT: wait for a file of that name."""
import os
import socket
import time

from monarch.actor import Actor, attach_to_workers, current_rank, endpoint


class Place(Actor):
    """On a node."""

    @endpoint
    def tell(self):
        """Where it is, and which of all it is."""
        return os.environ["SLURMD_NODENAME"], socket.gethostname(), \
            current_rank().rank


def main():
    """Place actors."""
    hosts = attach_to_workers(
        ca="trust_all_connections",
        workers=["tls://" + p
                 for p in os.environ["DIST_TRAIN_PEERS"].split(",")])
    procs = hosts.spawn_procs(
        per_host={"gpus": int(os.environ.get("PROCS", "1"))})
    places = procs.spawn("place", Place)
    found = [f[1] for f in places.tell.call().get()]
    print(f"placed on={','.join(f[0] for f in found)}"
          f" same={all(f[0] == f[1] for f in found)}"
          f" sum={sum(10 ** f[2] for f in found)}"
          f" of={os.environ['SLURMD_NODENAME']}"
          f" at={os.environ['DIST_TRAIN_PEERS']}", flush=True)
    while "WAIT" in os.environ and not os.path.exists(os.environ["WAIT"]):
        time.sleep(0.1)
    if "FAIL" in os.environ:
        os._exit(int(os.environ["FAIL"]))
    procs.stop().get()


main()
