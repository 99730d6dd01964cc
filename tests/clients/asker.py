#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Somebody who asks the launchers of another user's step for their secret.

asker.py HOST PORT [N]: ask N times (once), one connection after the other; show
the last answer on standard output, and how often there was one on standard
error.
"""

import socket
import sys

QUESTION = b"dist-train: the step's secret?".ljust(32, b"\0")


def ask(host, port):
    """Return what is answered to one question."""
    answer = b""
    with socket.create_connection((host, port), timeout=20) as sock:
        sock.sendall(QUESTION)
        while data := sock.recv(4096):
            answer += data
    return answer


def main():
    """Ask as often as the command line says."""
    host, port = sys.argv[1], int(sys.argv[2])
    answered, answer = 0, b""
    for _ in range(int(sys.argv[3]) if len(sys.argv) > 3 else 1):
        try:
            answer = ask(host, port)
            answered += bool(answer)
        except OSError as err:
            print(err, file=sys.stderr)
    print(f"answered {answered}", file=sys.stderr)
    sys.stdout.buffer.write(answer)


main()
