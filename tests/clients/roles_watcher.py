#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""roles_watcher.py FILE ROLE: makes FILE when it handles SIGUSR1, and reads
DIST_TRAIN_ROLES_FILE all the time, which is whole each time. Ends when a signal
has come and ROLE is ready."""
import json
import os
import signal
import sys

signals = []
signal.signal(signal.SIGUSR1, lambda *_: signals.append(1))
state = ""
while not (signals and state == "ready"):
    with open(os.environ["DIST_TRAIN_ROLES_FILE"]) as f:
        roles = json.load(f)
    assert roles["schema"] == 1 and len(roles["roles"]) == 3, roles
    state = [r["state"] for r in roles["roles"] if r["role"] == sys.argv[2]][0]
    if not os.path.exists(sys.argv[1]):
        open(sys.argv[1], "w").close()
print("signalled:", sys.argv[2], state, flush=True)
