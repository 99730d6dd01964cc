# SPDX-License-Identifier: Apache-2.0
"""Write what jax.distributed.initialize() reads of the environment, and what it
concludes, up to the moment when it would connect.

jax_reads.py FOLDER
"""
import os
import sys

import dump
from jax._src import distributed


class Recorder(dict):
    """An environment that knows which of its names were asked for."""

    asked = set()

    def __getitem__(self, name):
        self.asked.add(name)
        return super().__getitem__(name)

    def __contains__(self, name):
        self.asked.add(name)
        return super().__contains__(name)

    def get(self, name, default=None):
        """As dict's."""
        self.asked.add(name)
        return super().get(name, default)


class Found(Exception):
    """What JAX would connect with."""


class Client:
    """In the place of JAX's C++ library."""

    @staticmethod
    def get_distributed_runtime_service(*_args, **_words):
        """Rank 0's service, which isn't started."""
        return object()

    @staticmethod
    def get_distributed_runtime_client(address, process_id, **_words):
        """The end of what is looked at."""
        raise Found(address, process_id)


def main():
    """One dump."""
    plain = os.environ
    os.environ = Recorder(plain)
    distributed._jax = Client
    state = distributed.State()
    try:
        state.initialize()
    except Found as found:
        address, process_id = found.args
    os.environ = plain
    asked = {name: plain[name] for name in Recorder.asked if name in plain}
    asked["(coordinator)"] = address
    asked["(process_id)"] = str(process_id)
    asked["(num_processes)"] = str(state.num_processes)
    asked["(devices)"] = str(
        distributed.config._read("jax_cuda_visible_devices"))
    dump.write(sys.argv[1], "process", env=asked)


if __name__ == "__main__":
    main()
