# SPDX-License-Identifier: Apache-2.0
"""Wait for the end of the job: the signal USR1, or the stop file; then save.

What it says, a line each: "ready rank=R", "saved rank=R at=SECONDS by=signal|file",
"done rank=R signals=N" one second later, in which a second signal may come.

saves.py [deaf]: deaf has no handler and looks for the file alone.
"""

import os
import signal
import sys
import time

rank = os.environ.get("RANK", "0")
deaf = sys.argv[1:] == ["deaf"]
came = []


def say(text):
    os.write(1, f"{text}\n".encode())


if not deaf:
    signal.signal(signal.SIGUSR1, lambda number, frame: came.append(time.time()))
stop = os.environ["DIST_TRAIN_STOP_FILE"]
say(f"ready rank={rank}")
while not came and not (deaf and os.path.exists(stop)):
    time.sleep(0.01)
at = came[0] if came else time.time()
by = "signal" if came else "file"
say(f"saved rank={rank} at={at:.3f} by={by} stop={os.path.exists(stop)}")
time.sleep(1)
say(f"done rank={rank} signals={len(came)}")
