# SPDX-License-Identifier: Apache-2.0
"""A long line between two network interfaces, for kernels without netem.

delay.py ONE OTHER MILLISECONDS: each frame that comes in at ONE goes out at
OTHER so much later, and the other way round. SIGUSR1: nothing goes from ONE to
OTHER any more, or again; SIGUSR2: the same from OTHER to ONE. Root.
"""
import collections
import select
import signal
import socket
import sys
import time

SOL_PACKET, PACKET_VNET_HDR, OUTGOING = 263, 15, 4
ETH_P_ALL = socket.htons(3)
FRAME_MAX = 10 + 14 + 65536 + 100


def open_interface(name):
    """With the header that says which checksums are still to be made, and
    which frames are larger than the line takes: veth leaves both undone."""
    s = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, ETH_P_ALL)
    s.setsockopt(SOL_PACKET, PACKET_VNET_HDR, 1)
    s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 16 << 20)
    s.bind((name, 0))
    s.setblocking(False)
    return s


def take(s, to, queue, due):
    """All that has come in; due None: it is lost."""
    while True:
        try:
            frame, where = s.recvfrom(FRAME_MAX)
        except BlockingIOError:
            return
        if where[2] != OUTGOING and due is not None:
            queue.append((due, to, frame))


def give(queue):
    while queue and queue[0][0] <= time.monotonic():
        _, s, frame = queue.popleft()
        try:
            s.send(frame)
        except OSError:
            pass  # as a line does


def turn(way):
    cut[way] = not cut[way]
    print("cut", cut, flush=True)


one, other = open_interface(sys.argv[1]), open_interface(sys.argv[2])
delay = float(sys.argv[3]) / 1000
cut = [False, False]
queue = collections.deque()
signal.signal(signal.SIGUSR1, lambda *_: turn(0))
signal.signal(signal.SIGUSR2, lambda *_: turn(1))
poll = select.poll()
poll.register(one, select.POLLIN)
poll.register(other, select.POLLIN)
print("forwards", flush=True)
while True:
    wait = max(queue[0][0] - time.monotonic(), 0) * 1000 if queue else 1000
    poll.poll(wait)
    now = time.monotonic()
    take(one, other, queue, None if cut[0] else now + delay)
    take(other, one, queue, None if cut[1] else now + delay)
    give(queue)
