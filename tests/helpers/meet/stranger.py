#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Somebody else at a port at which launchers meet.

stranger.py PORT ANSWER [ADDRESS]: listen on ADDRESS (127.0.0.1) at PORT, and
answer each question with ANSWER, which may also be one of these words:

    silence   nothing, the connection stays open
    garbage   bytes that are no credential
    endless   the same, for ever
    echo      what was asked
"""

import socket
import sys
import threading


def serve(conn, answer):
    """Answer one connection."""
    try:
        asked = conn.recv(4096)
        if answer == "silence":
            conn.recv(4096)
        elif answer == "garbage":
            conn.sendall(b"\x00\xff\n\n MUNGE:" * 10)
        elif answer == "endless":
            while True:
                conn.sendall(b"MUNGE:" * 1000)
        elif answer == "echo":
            conn.sendall(asked)
        else:
            conn.sendall(answer.encode() + b"\n")
    except OSError:
        pass
    conn.close()


def main():
    """Listen until somebody ends this."""
    port, answer = int(sys.argv[1]), sys.argv[2]
    sock = socket.socket()
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    sock.bind((sys.argv[3] if len(sys.argv) > 3 else "127.0.0.1", port))
    sock.listen(64)
    print("listening", flush=True)
    while True:
        conn, _ = sock.accept()
        threading.Thread(target=serve, args=(conn, answer), daemon=True).start()


main()
