# SPDX-License-Identifier: Apache-2.0
"""What launchers have said is said again by somebody else.

replay.py record INTERFACE HOST FIRST LAST FILE: until SIGTERM, keep what goes
out there to ports FIRST to LAST of HOST (root: raw packets).
replay.py say HOST PORT FILE: say each of it at a connection of its own, and
wait until the other side closes it, at most 30 s; "replayed N closed N".
"""
import json
import signal
import socket
import struct
import sys

OUTGOING = 4  # PACKET_OUTGOING


class Stop(Exception):
    pass


def stop(*_):
    # `timeout` passes on the signal that this process has had, too
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    raise Stop


def parse(frame, host, ports):
    """(ports of the connection), sequence number, bytes; or None."""
    if frame[12:14] != b"\x08\x00" or frame[23] != 6:
        return None
    ip = frame[14:]
    tcp = ip[(ip[0] & 15) * 4: struct.unpack("!H", ip[2:4])[0]]
    source, target, sequence = struct.unpack("!HHI", tcp[:8])
    if ip[16:20] != host or target not in ports:
        return None
    return (source, target), sequence, tcp[(tcp[12] >> 4) * 4:]


def record(interface, host, first, last, name):
    found, ports = {}, range(int(first), int(last) + 1)
    address = socket.inet_aton(socket.gethostbyname(host))
    raw = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.ntohs(3))
    raw.bind((interface, 0))
    signal.signal(signal.SIGTERM, stop)
    print("records", flush=True)
    try:
        while True:
            frame, where = raw.recvfrom(70000)
            said = where[2] == OUTGOING and parse(frame, address, ports)
            if said and said[2]:
                found.setdefault(said[0], {})[said[1]] = said[2]
    except Stop:
        pass
    with open(name, "w") as out:
        json.dump([b"".join(said[key] for key in sorted(said)).hex()
                   for said in found.values()], out)
    print("recorded", len(found), flush=True)


def say(host, port, name):
    with open(name) as recorded:
        streams = [bytes.fromhex(text) for text in json.load(recorded)]
    closed = 0
    for stream in streams:
        with socket.create_connection((host, int(port)), 10) as s:
            s.settimeout(30)
            try:
                s.sendall(stream)
                while s.recv(4096):
                    pass
                closed += 1
            except TimeoutError:
                pass
            except OSError:
                closed += 1
    print("replayed", len(streams), "closed", closed, flush=True)


{"record": record, "say": say}[sys.argv[1]](*sys.argv[2:])
