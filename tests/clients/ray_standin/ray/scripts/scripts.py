# SPDX-License-Identifier: Apache-2.0
"""`ray start`: leaves the processes of Ray's names behind, as Ray does, and a file
in the folder RAY_STANDIN with its own arguments and what it was told by variables.
It opens its folder to everybody, as Ray does.
RAY_STANDIN_FAILS: on that node it ends with an error; late: the first time, it
says that the node timed out, in Ray's words; hangs: on node2 it never answers.
"""
import ctypes
import os
import signal
import sys

PR_SET_NAME = 15
HOST = os.environ["SLURMD_NODENAME"]
FOLDER = os.environ["RAY_STANDIN"]
NAMES = ("CUDA_VISIBLE_DEVICES", "ASCEND_RT_VISIBLE_DEVICES",
         "RAY_OVERRIDE_RESOURCES", "AUTOSCALER_METRIC_PORT",
         "DASHBOARD_METRIC_PORT")


def tell():
    """What the case looks at: a line for each start of this node, of any user."""
    os.umask(0)
    with open(f"{FOLDER}/{HOST}", "a", encoding="utf-8") as file:
        print(*sys.argv[1:], file=file)
        for name in NAMES:
            print(f"{name}={os.environ.get(name, '-')}", file=file)


def share():
    """The folder for its files."""
    for word in sys.argv:
        if word.startswith("--temp-dir="):
            os.chmod(word.split("=", 1)[1], 0o777)


def go_wrong():
    """As Ray does, where the case wants it."""
    how = os.environ.get("RAY_STANDIN_FAILS")
    once = f"{FOLDER}/late.{HOST}"
    if how == HOST:
        sys.exit("ray: a reason of its own")
    if how == "late" and not os.path.exists(once):
        with open(once, "w", encoding="utf-8"):
            pass
        sys.exit("The current node timed out during startup.")
    if how == "hangs" and HOST == "node2":
        signal.pause()


def leave(name):
    """A process of that name, without this one as its parent."""
    ready, named = os.pipe()
    if os.fork() == 0:
        os.close(ready)
        os.setsid()
        ctypes.CDLL(None).prctl(PR_SET_NAME, name, 0, 0, 0)
        os.write(named, b".")
        signal.pause()
        os._exit(0)
    os.close(named)
    os.read(ready, 1)


def main():
    """See above."""
    tell()
    share()
    go_wrong()
    if "--head" in sys.argv:
        leave(b"gcs_server")
    leave(b"raylet")


main()
