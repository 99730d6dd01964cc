#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What NCCL would do with this node's interfaces, where there is no GPU.

The order of choice is that of its user guide (NCCL_SOCKET_IFNAME): the list if
there is one, else those that begin with "ib", else all but docker, lo and
virbr, else docker, lo, virbr; only interfaces that run, the first address of
each. Its socket transport uses them all: so each rank must be reached at each
of the addresses that it has chosen. The ranks meet at MASTER_ADDR.
"""
import json
import os
import socket
import subprocess
import threading

RANK, WORLD = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
MASTER = (os.environ["MASTER_ADDR"], int(os.environ["MASTER_PORT"]))
OWN_ORDER = ("ib", "^docker,lo,virbr", "docker", "lo", "virbr")


def interfaces():
    """{name: first address}, IPv4 before IPv6."""
    found = {}
    links = json.loads(subprocess.run(["ip", "-j", "addr"], check=True,
                                      stdout=subprocess.PIPE).stdout)
    for family in ("inet", "inet6"):
        for link in links:
            if "UP" not in link["flags"] or "NO-CARRIER" in link["flags"]:
                continue
            for a in link.get("addr_info", ()):
                if a["family"] == family and a["local"] != "::1":
                    found.setdefault(link["ifname"], a["local"])
    return found


def match(words, have):
    """The interfaces that a list in NCCL's syntax names."""
    without = words.startswith("^")
    exact = words.lstrip("^").startswith("=")
    names = words.lstrip("^=").split(",")
    return {n: a for n, a in have.items()
            if any(n == w if exact else n.startswith(w)
                   for w in names) != without}


def choose():
    """{name: address} of those that NCCL uses."""
    have = interfaces()
    words = os.environ.get("NCCL_SOCKET_IFNAME")
    for group in [words] if words else OWN_ORDER:
        found = match(group, have)
        if found:
            return found
    return {}


def serve(server):
    """Say the own rank to whoever comes."""
    while True:
        connection, _ = server.accept()
        with connection:
            connection.sendall(b"%d" % RANK)


def listen(address):
    """At a port of its own; what others need to reach it."""
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    server = socket.socket(family, socket.SOCK_STREAM)
    server.bind((address, 0))
    server.listen(64)
    threading.Thread(target=serve, args=(server,), daemon=True).start()
    return [address, server.getsockname()[1]]


def exchange(stream, value):
    """Everybody's values, by rank 0; the second exchange is a barrier."""
    if RANK:
        stream[0].write(json.dumps([RANK, value]) + "\n")
        stream[0].flush()
        return json.loads(stream[0].readline())
    values = {str(RANK): value}
    for s in stream:
        rank, theirs = json.loads(s.readline())
        values[str(rank)] = theirs
    for s in stream:
        s.write(json.dumps(values) + "\n")
        s.flush()
    return values


def meet():
    """Streams to the others, or to rank 0."""
    if RANK:
        while True:
            try:
                return [socket.create_connection(MASTER, 30).makefile("rw")]
            except ConnectionRefusedError:
                pass
    with socket.create_server(MASTER) as server:
        return [server.accept()[0].makefile("rw") for _ in range(WORLD - 1)]


def is_reached(rank, address):
    """Whether that rank answers there, and not somebody else."""
    try:
        with socket.create_connection(address, 5) as s:
            return s.recv(16) == rank.encode()
    except OSError:
        return False


def main():
    """One line: the interfaces, and whether each rank is reached."""
    chosen = choose()
    where = []
    for name, address in chosen.items():
        try:
            where.append(listen(address))
        except OSError:
            where.append([address, 9])  # link-local: it needs its interface
        print(f"rank {RANK} takes {name}", flush=True)
    stream = meet()
    everybody = exchange(stream, where)
    lost = [f"{rank} at {address[0]}"
            for rank, places in everybody.items() for address in places
            if not is_reached(rank, tuple(address))]
    print(f"rank {RANK} of {WORLD} by {','.join(chosen)}: "
          + (f"not reached: {'; '.join(lost)}" if lost else "all reached"),
          flush=True)
    exchange(stream, not lost)


main()
