# SPDX-License-Identifier: Apache-2.0
"""Of a server's stand-in: what it is told to listen at is open, and nobody is
answered."""
import socket

sockets = []


def listen(address, port=0):
    """`address' as the server takes it; '' is all."""
    address = address.strip("[]")
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    sockets.append(socket.create_server((address, int(port)), family=family))
