# SPDX-License-Identifier: Apache-2.0
"""A process of any framework, up to the end of a look at it: stays.py FILE [ARG]...

It says `up' and waits for FILE. MindSpore's scheduler listens first, as the
launcher wants it; with a host file, as mpirun has it, it starts a command on
another node.
"""
import os
import socket
import subprocess
import sys
import time

if os.environ.get("MS_ROLE") == "MS_SCHED":
    scheduler = socket.create_server(
        (os.environ["MS_SCHED_HOST"], int(os.environ["MS_SCHED_PORT"])))
there = None
if "DIST_TRAIN_HOSTFILE" in os.environ:
    # As mpirun's daemon: `cat' ends with its input
    there = subprocess.Popen(["ssh", "node2", "echo there; exec cat"],
                             stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    there.stdout.readline()
print("up", flush=True)
while not os.path.exists(sys.argv[1]):
    time.sleep(0.05)
if there:
    there.stdin.close()
    there.wait()
