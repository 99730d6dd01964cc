# SPDX-License-Identifier: Apache-2.0
"""Write this process's environment and arguments as JSON.

dump.py FOLDER [ARGUMENT]...: a file of its own in FOLDER. A launcher may add
arguments; those that begin with "-" may also come before FOLDER.
"""
import json
import os
import socket
import sys


def write(folder, name, arguments=(), env=None):
    """One dump: all of the environment, or `env` of it."""
    host = socket.gethostname()
    path = os.path.join(folder, f"{name}.{host}.{os.getpid()}")
    with open(path + ".part", "w", encoding="utf-8") as file:
        json.dump({"host": host, "name": name, "arguments": list(arguments),
                   "env": dict(os.environ if env is None else env)}, file)
    os.rename(path + ".part", path + ".json")


def main():
    """The folder is the first word that is no option."""
    words = sys.argv[1:]
    folder = next(word for word in words if not word.startswith("-"))
    words.remove(folder)
    write(folder, "process", words)


if __name__ == "__main__":
    main()
