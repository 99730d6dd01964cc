# SPDX-License-Identifier: Apache-2.0
"""A cluster of contrib/cluster as chaos and soak see it: from the machine, where
the processes, files and sockets of all its nodes are in /proc.
"""
import os
import re
import shutil
import subprocess
import tempfile
import time

HERE = os.path.dirname(os.path.realpath(__file__))
TOP = os.path.dirname(os.path.dirname(HERE))
CLUSTER = os.path.join(TOP, "contrib", "cluster")
STATES = "/run/dist-train-cluster"
ALICE = 10001
FOLDERS = ("tmp", "run", "dev/shm", "home")


class Trouble(Exception):
    """What a check has found; its text is for the reader."""


def read(path):
    """The file's bytes, or none if it is gone."""
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError:
        return b""


def until(seconds, condition, pause=0.05):
    """Poll: the condition's value, or False when the time is over."""
    end = time.monotonic() + seconds
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > end:
            return False
        time.sleep(pause)


def build_ring(folder):
    """clients/ring.c as a program that all nodes can start."""
    subprocess.run([os.environ.get("CC", "cc"), "-O1", "-D_GNU_SOURCE",
                    "-static", "-o", f"{folder}/ring",
                    f"{TOP}/tests/clients/ring.c"], check=True)
    os.chmod(f"{folder}/ring", 0o755)


class Process:
    """One process, as /proc has it on the machine."""

    def __init__(self, pid, node):
        self.pid, self.node = pid, node
        stat = read(f"/proc/{pid}/stat").decode(errors="replace")
        head, _, tail = stat.rpartition(") ")
        fields = tail.split()
        self.comm = head.partition("(")[2]
        self.state = fields[0] if fields else "X"
        self.parent = int(fields[1]) if fields else 0
        self.began = int(fields[19]) if fields else 0
        status = read(f"/proc/{pid}/status")
        uid = re.search(rb"^Uid:\s+(\d+)", status, re.M)
        self.uid = int(uid[1]) if uid else -1
        self.command = read(f"/proc/{pid}/cmdline").replace(
            b"\0", b" ").decode(errors="replace").strip()

    def __str__(self):
        return f"{self.node}: {self.pid} {self.state} {self.command[:100]}"

    def alive(self):
        return self.state not in "XZ"

    def same(self):
        """Is it still there?"""
        return Process(self.pid, self.node).began == self.began

    def signal(self, number):
        try:
            os.kill(self.pid, number)
        except ProcessLookupError:
            pass


class Cluster:
    """One with stand-ins for GPUs and NPUs."""

    def __init__(self, prefix, name, nnodes=4):
        self.name = f"{name}-{os.getpid()}"
        self.nodes = tuple(f"node{n + 1}" for n in range(nnodes))
        self.prefix = os.path.realpath(prefix)
        self.state = os.path.join(STATES, self.name)
        self.env = dict(os.environ, DIST_TRAIN_CLUSTER=self.name)
        # All nodes see it, and alice may write there
        self.work = tempfile.mkdtemp(prefix=f"dist-train-{name}.", dir="/tmp")
        self.out = os.path.join(self.work, "out")
        # Another run's tests/traces sees by it whose folder this is
        self.held = os.open(self.work, os.O_RDONLY | os.O_CLOEXEC)
        self.spaces = {}
        self.first_files = {}
        self.first_ports = {}

    # --- its life -----------------------------------------------------------

    def plugstack(self):
        fragment = f"{self.prefix}/etc/dist-train/plugstack.conf"
        if not os.path.exists(fragment):
            raise Trouble(f"no plugin: {fragment}; make install first")
        return f"include {fragment}"

    def up(self):
        os.chmod(self.work, 0o755)
        os.mkdir(self.out)
        os.chown(self.out, ALICE, ALICE)
        command = [CLUSTER, "up", "--npu", "--plugstack", self.plugstack(),
                   "--share", self.work, "--share", self.prefix,
                   str(len(self.nodes))]
        run = subprocess.run(command, env=self.env, capture_output=True,
                             text=True, check=False)
        if run.returncode:
            raise Trouble(f"the cluster doesn't start: {run.stderr[-600:]}")
        for node in ("login",) + self.nodes:
            pid = self.pid_of(node)
            self.spaces[os.readlink(f"/proc/{pid}/ns/pid")] = node
        self.plain_step()
        self.settle()
        self.first_files = {n: self.files(n) for n in self.nodes}
        self.first_ports = {n: self.ports(n) for n in self.nodes}

    def down(self):
        subprocess.run([CLUSTER, "down"], env=self.env, check=False,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        shutil.rmtree(self.work, ignore_errors=True)
        os.close(self.held)

    def pid_of(self, node):
        return int(read(f"{self.state}/pids/{node}.pid").split()[0])

    # --- running things -----------------------------------------------------

    def command(self, words, node="login", user="alice"):
        return [CLUSTER, "exec", "-u", user, "-w", self.out, node, "--",
                *words]

    def run(self, words, node="login", user="root", limit=60):
        """Returns (status, output); status 124 when the limit is over."""
        run = subprocess.run(
            self.command(["timeout", "-k", "5", str(limit), *words], node,
                         user),
            env=self.env, stdin=subprocess.DEVNULL, text=True, check=False,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        return run.returncode, run.stdout

    def start(self, words, out, err, user="alice"):
        """A process of the machine that ends with the command's status."""
        return subprocess.Popen(self.command(words, user=user), env=self.env,
                                stdin=subprocess.DEVNULL, stdout=out,
                                stderr=err)

    def plain_step(self, limit=60):
        status, out = self.run(
            ["srun", f"-N{len(self.nodes)}", "hostname"], user="alice",
            limit=limit)
        if status or sorted(out.split()) != sorted(self.nodes):
            raise Trouble(f"the next plain step: status {status}, "
                          f"{out[-300:]!r}")

    # --- what there is ------------------------------------------------------

    def processes(self):
        """Of all nodes, without zombies and threads."""
        found = []
        for pid in filter(str.isdigit, os.listdir("/proc")):
            try:
                node = self.spaces.get(os.readlink(f"/proc/{pid}/ns/pid"))
            except OSError:
                continue
            if not node:
                continue
            process = Process(int(pid), node)
            if process.alive():
                found.append(process)
        return found

    def files(self, node):
        """Paths below the folders that belong to this node alone."""
        root, found = f"/proc/{self.pid_of(node)}/root", set()
        for top in FOLDERS:
            top = f"{root}/{top}"
            device = os.stat(top).st_dev
            for folder, names, others in os.walk(top):
                # The state folder and shared ones are mounts
                names[:] = [n for n in names if not self.other_device(
                    f"{folder}/{n}", device)]
                found.update(f"{folder}/{n}"[len(root):]
                             for n in names + others)
        # The third one is Slurm's PMIx plugin's, if slurmstepd is killed; the
        # last ones are the steps' records and their folders, which stay
        return {f for f in found
                if not re.search(r"\.pid$|munge|/tmp/spmix_appdir_|/\.local"
                                 r"(/state(/dist-train(/[\w.-]+\.jsonl)?)?)?$",
                                 f)}

    @staticmethod
    def other_device(path, device):
        try:
            return os.lstat(path).st_dev != device
        except OSError:
            return True

    def ports(self, node):
        """TCP ports that something listens at."""
        found = set()
        for table in ("tcp", "tcp6"):
            text = read(f"/proc/{self.pid_of(node)}/net/{table}").decode()
            for line in text.splitlines()[1:]:
                fields = line.split()
                if fields[3] == "0A":
                    found.add(int(fields[1].rpartition(":")[2], 16))
        return found

    def jobs(self):
        return self.run(["squeue", "-h", "-a", "-o", "%A %T %u %N"])[1].strip()

    def all_idle(self):
        status, out = self.run(["sinfo", "-h", "-N", "-o", "%T"], limit=20)
        return status == 0 and out.split() == ["idle"] * len(self.nodes)

    def strays(self):
        """Processes that only a step has."""
        return [p for p in self.processes()
                if p.uid == ALICE or p.comm == "slurmstepd"
                or p.command.startswith("slurmstepd")]

    # --- afterwards ---------------------------------------------------------

    def settle(self, seconds=240):
        """No job, no process of a step, and all nodes idle. A node that was off
        when its job ended is told again by slurmctld, which looks once a minute
        for jobs that have been completing for KillWait and twice MessageTimeout
        (45 s here).
        """
        if not until(seconds, lambda: not self.strays()):
            raise Trouble("processes are left: " + "; ".join(
                str(p) for p in self.strays()[:8]))
        if not until(seconds, lambda: self.all_idle() and not self.jobs(),
                     0.2):
            nodes = self.run(["sinfo", "-h", "-N", "-o", "%N=%T"])[1].split()
            raise Trouble(f"jobs are left, or nodes not idle: {self.jobs()!r}"
                          f" {' '.join(nodes)}")

    def nothing_left(self):
        """settle(), and the nodes are as they were at first."""
        self.settle()
        reasons = self.run(["sinfo", "-h", "-R", "-o", "%n %E"])[1].strip()
        if reasons:
            raise Trouble(f"a node is drained: {reasons}")
        for node in self.nodes:
            new = lambda: self.files(node) - self.first_files[node]
            if not until(5, lambda: not new()):
                raise Trouble(f"files are left on {node}: "
                              + " ".join(sorted(new())[:8]))
            if self.ports(node) - self.first_ports[node]:
                raise Trouble(f"ports are open on {node}: "
                              f"{self.ports(node) - self.first_ports[node]}")

    def end_jobs(self):
        """What a failed step has left must not make the next ones fail."""
        for job in self.run(["squeue", "-h", "-a", "-o", "%A"])[1].split():
            self.run(["scancel", job])
        if until(60, lambda: not self.jobs() and self.all_idle(), 0.3):
            return True
        return False
