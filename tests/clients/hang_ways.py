# SPDX-License-Identifier: Apache-2.0
"""Ways in which one process alone hangs. For the clients hang_*.py: each line
that hangs ends in "# hangs: WAY", so that a test knows its number."""
import os
import re
import signal
import time


def asleep(_):
    time.sleep(10**6)  # hangs: asleep


def loop(_):
    while True: pass  # hangs: loop


def gil(_):
    # Catastrophic: 2 to the power of 64 ways, in C, which keeps the GIL
    re.match(r"(a+)+$", "a" * 64 + "b")  # hangs: gil


def stopped(_):
    os.kill(os.getpid(), signal.SIGSTOP)  # hangs: stopped


def fuse(file):
    with open(file, "rb", buffering=0) as f:
        f.read(1)  # hangs: fuse


WAYS = {w.__name__: w for w in (asleep, loop, gil, stopped, fuse)}


def say(*words):
    """In one piece."""
    os.write(1, (" ".join(str(w) for w in words) + "\n").encode())


def handle_sigterm():
    """As trainers do. Python's handler only notes it; it runs when the main
    thread is back from C, which in a collective it never is."""
    signal.signal(signal.SIGTERM, lambda *_: say("told to end"))
