# SPDX-License-Identifier: Apache-2.0
"""A node of a test cluster that is lost, in one of several ways, and that comes
back. It is seen from the machine, as live_cluster does: by the namespaces of
the node's first process, so that nothing of another cluster is touched.
"""
import os
import signal
import subprocess
import time

from live_cluster import CLUSTER, STATES, Process, Trouble, read, until

LAUNCHER = "dist-train-laun"  # as the kernel shortens it
ESTABLISHED = "01"  # in /proc/net/tcp
# What the node sends or gets is dropped between eth0 and the line
TABLE = "loss"
DROP = ("add table netdev {0}; add chain netdev {0} it {{ type filter hook "
        "{1} device eth0 priority 0; policy drop; }}")


class Node:
    """A node of the cluster of this name."""

    def __init__(self, cluster, name):
        self.cluster, self.name = cluster, name
        self.state = os.path.join(STATES, cluster)
        record = read(f"{self.state}/pids/{name}.pid").split()
        if not record or Process(int(record[0]), name).began != int(record[1]):
            raise Trouble(f"the cluster {cluster} has no {name}")
        self.first = int(record[0])
        self.space = os.readlink(f"/proc/{self.first}/ns/pid")

    # --- what there is ------------------------------------------------------

    def processes(self):
        """All of the node, but for its first process and what that waits for:
        these two are the machine, and not what runs there."""
        found = []
        for pid in filter(str.isdigit, os.listdir("/proc")):
            try:
                if os.readlink(f"/proc/{pid}/ns/pid") != self.space:
                    continue
            except OSError:
                continue
            process = Process(int(pid), self.name)
            waits = process.parent == self.first and process.comm == "sleep"
            if process.alive() and process.pid != self.first and not waits:
                found.append(process)
        return found

    def has(self, comm):
        return any(p.comm == comm for p in self.processes())

    # --- how it is lost -----------------------------------------------------

    def enter(self, *words):
        """A command of the machine, on the node's network."""
        return subprocess.run(
            ["nsenter", "--target", str(self.first), "--net", "--", *words],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            check=False)

    def need(self, *words):
        run = self.enter(*words)
        if run.returncode:
            raise Trouble(f"{self.name}: {' '.join(words)}: {run.stdout}")

    def cut(self):
        """The line, both ways."""
        self.need("ip", "link", "set", "eth0", "down")

    def deaf(self):
        """Nothing comes to the node."""
        self.need("nft", DROP.format(TABLE, "ingress"))

    def mute(self):
        """Nothing goes from the node."""
        self.need("nft", DROP.format(TABLE, "egress"))

    def each(self, number, left):
        """The signal to all processes, until none is left as it was."""
        def once():
            found = left()
            for process in found:
                process.signal(number)
            return not found
        if not until(20, once, 0.01):
            raise Trouble(f"{self.name}: processes don't take signal {number}")

    def kill(self):
        """All processes, Slurm's too; its kernel says so to the others."""
        self.each(signal.SIGKILL, self.processes)

    def stop(self):
        """All processes stand still, as under a kernel that hangs."""
        self.each(signal.SIGSTOP, lambda: [p for p in self.processes()
                                           if p.state not in "Tt"])

    def off(self):
        """The power: all processes, and not a word of it on the network."""
        self.cut()
        self.kill()

    # --- and how it comes back ----------------------------------------------

    def back(self):
        """As it was at first, whatever has happened to it."""
        self.need("ip", "link", "set", "eth0", "up")
        self.enter("nft", f"delete table netdev {TABLE}")
        for process in self.processes():
            if process.state in "Tt":
                process.signal(signal.SIGCONT)
        key = f"{self.state}/etc/munge.key"
        if os.path.exists(key) and not self.has("munged"):
            self.munged()
        # A node that has been off has an empty /tmp
        if not self.has("slurmd"):
            self.inside("sh", "-c", "rm -rf /tmp/dist-train-[0-9]*")
            self.inside("setsid", "slurmd")

    def munged(self):
        """Slurm's own, again."""
        self.inside("setsid", "munged", "--force", "--num-threads=2",
                    f"--key-file={self.state}/etc/munge.key",
                    "--socket=/run/munge/munge.socket.2",
                    "--pid-file=/run/munge/munged.pid",
                    "--seed-file=/run/munge/munged.seed")

    def inside(self, *words):
        """A command of the node."""
        run = subprocess.run(
            [CLUSTER, "exec", self.name, "--", *words], check=False,
            env=dict(os.environ, DIST_TRAIN_CLUSTER=self.cluster),
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE, text=True)
        if run.returncode:
            raise Trouble(f"{self.name}: {' '.join(words)}: {run.stderr}")


    # --- is it one of the step's again? ---------------------------------------

    def joined(self):
        """Waits until its launcher has a connection to another node's, which
        stays: one of before its loss ends when it wakes."""
        def stays():
            before = self.links()
            time.sleep(1)
            return before & self.links()
        if not until(60, stays):
            raise Trouble(f"the launcher on {self.name} finds no other")

    def links(self):
        """Connections of its launchers to other hosts: to the step's controller,
        which is beside srun or on another node."""
        inodes = set()
        for process in self.processes():
            if process.comm == LAUNCHER:
                inodes |= sockets(process.pid)
        found = set()
        for line in read(f"/proc/{self.first}/net/tcp").decode().splitlines():
            fields = line.split()
            if fields[9] in inodes and fields[3] == ESTABLISHED \
                    and fields[2][:8] != fields[1][:8]:
                found.add((fields[1], fields[2]))
        return found


def sockets(pid):
    """The inodes of a process's sockets."""
    found = set()
    try:
        for fd in os.listdir(f"/proc/{pid}/fd"):
            link = os.readlink(f"/proc/{pid}/fd/{fd}")
            if link.startswith("socket:["):
                found.add(link[8:-1])
    except OSError:
        pass
    return found


# How a node can be lost; after `kill` and `off` nothing of a step is left there
FAULTS = ("cut", "deaf", "mute", "kill", "stop", "off")
FATAL = ("kill", "off")
