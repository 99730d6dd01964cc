#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs a command on a terminal and types what a file says.

    typist.py FILE COMMAND [ARGUMENT]...

A line of FILE is what is waited for in the output, a tab, and what is then
typed with a return; "^C" is that key. The output is copied. Ends with the
command's exit status, or 99 if what is waited for never came.
"""
import os
import pty
import sys


def main():
    with open(sys.argv[1], encoding="utf-8") as f:
        steps = [line.rstrip("\n").split("\t") for line in f]
    pid, terminal = pty.fork()
    if pid == 0:
        os.execvp(sys.argv[2], sys.argv[2:])
    seen = b""
    while True:
        try:
            data = os.read(terminal, 4096)
        except OSError:  # the command has closed it
            data = b""
        if not data:
            break
        os.write(1, data.replace(b"\r", b""))
        seen += data
        while steps and steps[0][0].encode() in seen:
            expected, typed = steps.pop(0)
            seen = seen.split(expected.encode(), 1)[1]
            os.write(terminal,
                     b"\x03" if typed == "^C" else typed.encode() + b"\n")
    status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    sys.exit(99 if steps else status)


main()
