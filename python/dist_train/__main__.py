# SPDX-License-Identifier: Apache-2.0
"""python -m dist_train: become the program dist-train that came with this
package, wherever both were moved to."""
import os
import shutil
import sys

PROGRAM = "dist-train"


def find():
    """Return its path: in bin of the environment that this package lies in, a few
    folders up (one with pip's --target), else where PATH has it."""
    folder = os.path.dirname(os.path.abspath(__file__))
    for _ in range(5):
        folder = os.path.dirname(folder)
        path = os.path.join(folder, "bin", PROGRAM)
        if os.access(path, os.X_OK):
            return path
    return shutil.which(PROGRAM)


def main():
    """Start it with the words of this command."""
    path = find()
    if path is None:
        sys.exit("dist-train: the program isn't beside this package, nor in PATH; "
                 "install the wheel of slurm-dist-train again")
    os.execv(path, [PROGRAM, *sys.argv[1:]])


if __name__ == "__main__":
    main()
