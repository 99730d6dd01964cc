# SPDX-License-Identifier: Apache-2.0
"""Another user of the cluster, at the port where a step's launchers meet.

neighbour.py squat PORT...       listen there, accept, and never say a word
neighbour.py relay PORT TO       listen at PORT, pass everything on to port TO
                                 of this host; "passed N" at the end (SIGTERM)
neighbour.py hold HOST PORT N    hold N connections, and open a new one for
                                 each that is closed; says "held" once all are
                                 held, or N have been closed

Each says "ready" when it has begun.
"""
import resource
import select
import signal
import socket
import sys
import threading
import time

threads = []


def say(*words):
    print(*words, flush=True)


def listen_at(port):
    s = socket.socket()
    s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    s.bind(("", port))
    s.listen(100)
    return s


def squat(ports):
    listening = [listen_at(int(p)) for p in ports]
    say("ready")
    kept = []
    while True:
        for s in select.select(listening, [], [])[0]:
            kept.append(s.accept())


def relay(port, to):
    npassed = [0]

    def end(*_):
        say("passed", npassed[0])
        sys.exit()

    def copy(a, b):
        try:
            while data := a.recv(65536):
                b.sendall(data)
            b.shutdown(socket.SHUT_WR)
        except OSError:
            pass

    s = listen_at(int(port))
    signal.signal(signal.SIGTERM, end)
    say("ready")
    while True:
        near, (host, _) = s.accept()
        try:
            far = socket.create_connection((near.getsockname()[0], int(to)))
        except OSError:
            near.close()
            continue
        npassed[0] += 1
        for pair in (near, far), (far, near):
            t = threading.Thread(target=copy, args=pair, daemon=True)
            t.start()


def hold(host, port, n):
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    n = min(int(n), most - 50)
    address = (socket.gethostbyname(host), int(port))
    poll = select.epoll()
    held = {}

    def open_one():
        s = socket.socket()
        s.setblocking(False)
        s.connect_ex(address)
        held[s.fileno()] = s
        poll.register(s, select.EPOLLIN | select.EPOLLRDHUP)

    say("ready")
    nclosed = 0
    while True:
        while len(held) < n:
            open_one()
        events = poll.poll(1, 256)
        for fd, _ in events:
            poll.unregister(fd)
            held.pop(fd).close()
        if nclosed < n and (nclosed + len(events) >= n or not events):
            say("held")
            nclosed = n
        nclosed += len(events)
        time.sleep(0.05)  # 5,000 a second are enough


{"squat": lambda *ports: squat(ports), "relay": relay, "hold": hold}[
    sys.argv[1]
](*sys.argv[2:])
