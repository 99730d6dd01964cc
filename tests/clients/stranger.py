# SPDX-License-Identifier: Apache-2.0
"""What another user of the cluster may do to the ports of a step.

stranger.py KIND SECONDS HOST PORT: many connections of that kind, each
replaced when it is closed. KIND:
  junk     random bytes, as many as are taken
  silent   not a byte
  slow     a byte each second
  churn    closed at once
  partial  1, 2, 3, ... bytes of a handshake, and no more
  lengths  a handshake, then records whose length is a lie
  forged   messages as launchers and srun exchange them, not sealed

stranger.py snipe SECONDS USER-ID [HELD]: 200 connections to each port on this
host that USER-ID listens on, from the moment it appears; each for HELD seconds
(1).

Its last line: connections made, bytes sent, connections that the other side
has closed, and for how many seconds it kept the most patient one.
"""
import os
import random
import resource
import selectors
import socket
import struct
import sys
import time

SALT, HEADER = 32, 24  # bytes of the launchers' handshake
AT_ONCE = {"junk": 40, "silent": 3000, "slow": 300, "churn": 100,
           "partial": 200, "lengths": 100, "forged": 100}
LENGTHS = (0, 1, 17, 18, 4096, 4097, 8209, 0x7FFFFFFF, 0xFFFFFFFF)
FORGED = (b"f0 137 0 0", b"s137", b"h1 1 node2", b"N", b"E", b"R", b"M", b"T")


def text_of(kind, i):
    """The bytes of the i-th connection; None: no end of them."""
    if kind == "junk":
        return None
    if kind in ("silent", "churn"):
        return b""
    if kind == "slow":
        return os.urandom(1000)
    if kind == "partial":
        return os.urandom(i % 150 if i % 10 else 20000)
    start = os.urandom(SALT + HEADER)
    if kind == "lengths":
        length = LENGTHS[i % len(LENGTHS)]
        return start + struct.pack("!I", length) + os.urandom(9000)
    text = FORGED[i % len(FORGED)]
    start = (b"", os.urandom(16), start + struct.pack("!I", len(text)))
    return start[i // len(FORGED) % 3] + text


class Stranger:
    def __init__(self, kind, i, address):
        self.socket = socket.socket()
        self.socket.setblocking(False)
        self.socket.connect_ex(address)
        self.kind, self.born, self.sent = kind, time.monotonic(), 0
        self.text = text_of(kind, i)

    def piece(self):
        """What is to be sent now; None: nothing any more."""
        if self.text is None:
            return JUNK
        if self.kind != "slow":
            return self.text[self.sent:] or None
        due = int(time.monotonic() - self.born)
        return self.text[self.sent:due]


class Crowd:
    def __init__(self, kind, addresses):
        self.kind, self.addresses = kind, addresses
        self.selector = selectors.DefaultSelector()
        self.made = self.bytes = self.closed = self.longest = self.here = 0

    def come(self):
        address = self.addresses[self.made % len(self.addresses)]
        stranger = Stranger(self.kind, self.made, address)
        self.selector.register(
            stranger.socket, selectors.EVENT_READ | selectors.EVENT_WRITE,
            stranger)
        self.made += 1
        self.here += 1

    def go(self, stranger, closed):
        self.longest = max(self.longest, time.monotonic() - stranger.born)
        self.selector.unregister(stranger.socket)
        stranger.socket.close()
        self.closed += closed
        self.here -= 1

    def act(self, stranger, events):
        try:
            if events & selectors.EVENT_READ:
                if not stranger.socket.recv(65536):
                    raise ConnectionError
            if events & selectors.EVENT_WRITE:
                self.write(stranger)
        except BlockingIOError:
            pass
        except OSError:
            self.go(stranger, True)

    def write(self, stranger):
        piece = stranger.piece()
        if piece:
            n = stranger.socket.send(piece)
            stranger.sent += n
            self.bytes += n
        elif self.kind == "churn":
            self.go(stranger, False)
        elif piece is None or not stranger.text:
            self.selector.modify(
                stranger.socket, selectors.EVENT_READ, stranger)

    def disturb(self, seconds, at_once):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            for _ in range(min(at_once - self.here, 50)):
                self.come()
            for key, events in self.selector.select(0.05):
                self.act(key.data, events)
            if self.kind in ("slow", "churn"):
                time.sleep(0.02)
        now = time.monotonic()
        for key in self.selector.get_map().values():
            self.longest = max(self.longest, now - key.data.born)

    def report(self):
        print(f"{self.kind}: connections={self.made} bytes={self.bytes}"
              f" closed={self.closed} longest={self.longest:.0f}", flush=True)


def own_address(text):
    """As /proc/net/tcp writes it; 127.0.0.1 for all, and for IPv6."""
    if len(text) > 8 or not int(text, 16):
        return "127.0.0.1"
    return socket.inet_ntoa(struct.pack("=I", int(text, 16)))


def ports_of(user):
    for name in ("/proc/net/tcp", "/proc/net/tcp6"):
        with open(name) as lines:
            for line in list(lines)[1:]:
                f = line.split()
                if f[3] == "0A" and f[7] == user:
                    address, port = f[1].split(":")
                    yield own_address(address), int(port, 16)


def snipe(seconds, user, hold=1.0):
    end, held, seen = time.monotonic() + seconds, [], set()
    while (now := time.monotonic()) < end:
        for port in set(ports_of(user)) - seen:
            seen.add(port)
            for _ in range(200):
                s = socket.socket()
                s.setblocking(False)
                s.connect_ex(port)
                held.append((now + hold, s))
        while held and held[0][0] < now:
            held.pop(0)[1].close()
        time.sleep(0.001)
    print(f"snipe: ports={len(seen)}", flush=True)


JUNK = random.Random(1).randbytes(65536)
resource.setrlimit(
    resource.RLIMIT_NOFILE, (resource.getrlimit(resource.RLIMIT_NOFILE)[1],) * 2)
kind, seconds = sys.argv[1], float(sys.argv[2])
print("begins", flush=True)
if kind == "snipe":
    snipe(seconds, sys.argv[3], *map(float, sys.argv[4:]))
else:
    host = socket.gethostbyname(sys.argv[3])
    crowd = Crowd(kind, [(host, int(port)) for port in sys.argv[4:]])
    crowd.disturb(seconds, AT_ONCE[kind])
    crowd.report()
