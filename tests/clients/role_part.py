#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""role_part.py FOLDER: a process of a role, whatever that does. A trainer runs until
FOLDER/end is there, or saves at SIGUSR1; all others until they are ended, and those
in SERVERS answer at PORT. As soon as it is what it is, FOLDER has a file
ROLE.WORLD.RANK.ROUND: its node, its PID, its launcher's and its agent's, its port."""
import os
import signal
import socket
import sys
import time

SERVERS = ("rollout", "router", "evaluator")


def parent(pid):
    with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
        return int(file.read().rpartition(") ")[2].split()[1])


def note(folder):
    name = ".".join(os.environ[f"DIST_TRAIN_{what}"]
                    for what in ("ROLE", "ROLE_INDEX", "RANK", "RESTART"))
    launcher = os.getppid()
    with open(f"{folder}/{name}.new", "w", encoding="utf-8") as file:
        print(socket.gethostname(), os.getpid(), launcher, parent(launcher),
              os.environ["PORT"], file=file)
    os.rename(f"{folder}/{name}.new", f"{folder}/{name}")


def saves(*_):
    print("saved", flush=True)
    os._exit(0)


def main(folder):
    role = os.environ["DIST_TRAIN_ROLE"]
    if role in SERVERS:
        server = socket.create_server(("", int(os.environ["PORT"])))
        note(folder)
        while True:
            connection = server.accept()[0]
            connection.recv(1000)
            connection.sendall(b"HTTP/1.0 200 OK\r\n\r\n")
            connection.close()
    signal.signal(signal.SIGUSR1, saves if role == "trainer"
                  else signal.SIG_DFL)
    note(folder)
    while role != "trainer" or not os.path.exists(f"{folder}/end"):
        time.sleep(0.02)


if __name__ == "__main__":
    main(sys.argv[1])
