# SPDX-License-Identifier: Apache-2.0
"""For dist-train-dask."""
import socket


def get_ip(address, port):
    """The one by which this node reaches it."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
        s.connect((address, port))
        return s.getsockname()[0]
