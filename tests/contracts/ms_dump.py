# SPDX-License-Identifier: Apache-2.0
"""dump.py for one role of MindSpore's dynamic cluster.

ms_dump.py ROLE FOLDER: a process with another MS_ROLE writes nothing. The
scheduler listens for a launcher that waits for that, in vain under msrun.
"""
import os
import socket
import sys
import time

import dump


def main():
    """See above."""
    role = os.environ["MS_ROLE"]
    if role == sys.argv[1]:
        dump.write(sys.argv[2], "process")
    if role == "MS_SCHED":
        address = os.environ["MS_SCHED_HOST"], int(os.environ["MS_SCHED_PORT"])
        with socket.create_server(address) as server:
            server.settimeout(5)
            try:
                server.accept()
                time.sleep(100)  # until the step ends
            except TimeoutError:
                pass


main()
