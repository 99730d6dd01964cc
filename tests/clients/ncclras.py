# SPDX-License-Identifier: Apache-2.0
"""ncclras.py PORT MODE: a stand-in for NCCL's RAS, which needs GPUs. It speaks
what src/ras/client_support.cc of NCCL 2.30 does.

status: a report of a rank that is missing. slow: the first connection gets no
answer, as from a process that is stopped. error: it refuses the command.
other: another program's port.
"""

import socket
import sys

REPORT = """NCCL version 2.30.7 compiled with CUDA 13.3
CUDA runtime version 13030, driver version 13030

Job summary
===========

  Nodes  Processes         GPUs  Processes     GPUs
(total)   per node  per process    (total)  (total)
      4          2            1          8        8

Communicators... (2.05s)
=============

Group     Comms     Nodes     Ranks     Ranks     Ranks    Status  Errors
    #  in group  per comm  per node  per comm  in group
    0         1         4       1-2         8         8   RUNNING  INCOMPLETE

Errors
======

#0-0 (cf264af53edbe986) INCOMPLETE
  Missing communicator data from 1 rank
  The missing rank: 5

"""


def answer(line, mode):
    if mode == "other":
        return b"220 mail.example ESMTP\r\n", True
    if line.startswith("client protocol "):
        return b"SERVER PROTOCOL 2\n", False
    if line == "verbose status" and mode != "error":
        return REPORT.encode(), True
    return f"ERROR: Unknown command {line}\n".encode(), True


def serve(connection, mode):
    with connection, connection.makefile("rb") as lines:
        for line in lines:
            text, last = answer(line.decode().strip().lower(), mode)
            connection.sendall(text)
            if last:
                return


def main():
    port, mode = int(sys.argv[1]), sys.argv[2]
    with socket.create_server(("127.0.0.1", port)) as server:
        print("ready", flush=True)
        held = server.accept() if mode == "slow" else None
        while held or True:
            serve(server.accept()[0], mode)


main()
