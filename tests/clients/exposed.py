# SPDX-License-Identifier: Apache-2.0
"""What a user's processes expose on this host, to be asked as root.

exposed.py USER SINCE FOLDER OTHERS: only files count that are newer than the file
SINCE, in FOLDER and where temporary files and homes are, but for OTHERS, a folder
of who looks. A line for each:

    problem WORDS            what others may write, enter or read
    listens PROGRAM AT       node, loopback, or all addresses; of our programs
                             and what our services have started
    looked FILES PROCESSES WORDS
"""
import glob
import os
import pwd
import re
import socket
import stat
import sys

TOPS = ["/tmp", "/var/tmp", "/dev/shm", "/run", "/home"]
SECRET = re.compile(rb"[0-9a-f]{24,}|MUNGE:[^:\s]*:|[A-Za-z0-9+/]{64}")
NAMED = re.compile(r"(TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|_KEY|APIKEY)$")
user = pwd.getpwnam(sys.argv[1])
since = os.stat(sys.argv[2]).st_mtime
own, others = sys.argv[3:]
words = {}  # secret: where it stands
nfiles = 0


def problem(*what):
    print("problem", *what)


def by_others(s, own, group, all_):
    """Whether a mode has a bit for somebody else than the user and root."""
    return bool(s.st_mode & all_ or (s.st_mode & group
                                     and s.st_gid != user.pw_gid)
                or (s.st_mode & own and s.st_uid not in (0, user.pw_uid)))


def is_open(s):
    """A folder that others may enter."""
    return by_others(s, stat.S_IXUSR, stat.S_IXGRP, stat.S_IXOTH)


def look_at(path, s):
    """What others reach, of the user's, made since then."""
    global nfiles
    if s.st_uid != user.pw_uid or s.st_ctime < since or stat.S_ISLNK(s.st_mode):
        return
    nfiles += 1
    shown = f"{stat.filemode(s.st_mode)} {path}"
    if by_others(s, 0, stat.S_IWGRP, stat.S_IWOTH):
        problem("others may write to", shown)
    if os.path.basename(path).startswith("dist-train-") and (
            s.st_mode & 0o077):
        problem("others may enter or read", shown)
    if stat.S_ISREG(s.st_mode) and s.st_mode & stat.S_IROTH:
        text = read(path)
        if any(word in text for word in words):
            problem("others may read a secret in", shown)


def walk(top):
    for folder, folders, files in os.walk(top):
        seen = []
        for name in folders + files:
            path = os.path.join(folder, name)
            try:
                s = os.lstat(path)
            except OSError:
                continue
            look_at(path, s)
            if name in folders and is_open(s) and path != others:
                seen.append(name)
        folders[:] = seen


def read(path, most=1 << 20):
    try:
        with open(path, "rb") as file:
            return file.read(most)
    except OSError:
        return b""


def learn():
    """The secrets of the user's environments, and of small files in our folders."""
    for pid in processes(user.pw_uid):
        for pair in read(f"/proc/{pid}/environ").split(b"\0"):
            name, _, value = pair.partition(b"=")
            if len(value) > 7 and NAMED.search(name.decode("ascii", "replace")):
                words[value] = name
            elif not name.endswith(b"_ID"):  # Ray's nodes have long ones
                words.update(dict.fromkeys(SECRET.findall(value), name))
    for folder in glob.glob("/tmp/dist-train-[0-9]*"):
        for path in glob.glob(folder + "/*"):
            text = read(path) if os.path.isfile(path) else b""
            if 0 < len(text) < 8192:
                words.update(dict.fromkeys(SECRET.findall(text), path))
    for word in list(words):
        if word.startswith(b"/") or not word.strip():
            del words[word]


def processes(uid=None):
    for path in glob.glob("/proc/[0-9]*"):
        try:
            if uid is None or os.stat(path).st_uid == uid or (
                    real_uid(path) == uid):
                yield int(path[6:])
        except OSError:
            pass


def real_uid(path):
    found = re.search(rb"^Uid:\s+(\d+)", read(path + "/status"), re.M)
    return int(found[1]) if found else -1


def argv(pid):
    return read(f"/proc/{pid}/cmdline").split(b"\0")


def own_name(pid):
    """Of a program of ours, or srun."""
    name = read(f"/proc/{pid}/comm").decode().strip()
    if name in ("srun", "dist-train-port", "dist-train-keep"):
        return name
    for word in argv(pid)[:2]:
        base = os.path.basename(word).decode()
        if base.startswith("dist-train-"):
            return base
    return None


def program(pid):
    """The one of ours that it is, or that has started it; None: the user's."""
    name, start = own_name(pid), pid
    while not name and pid > 1:
        found = re.search(rb"^PPid:\s+(\d+)", read(f"/proc/{pid}/status"), re.M)
        pid = int(found[1]) if found else 0
        name = own_name(pid)
    if name == "dist-train-launch" and pid != start:
        return None
    return name


def place(address):
    """Of /proc/net/tcp: words of four bytes each in this host's order."""
    raw = b"".join(bytes.fromhex(address[i:i + 8])[::-1]
                   for i in range(0, len(address), 8))
    text = socket.inet_ntop(
        socket.AF_INET if len(raw) == 4 else socket.AF_INET6, raw)
    text = text.removeprefix("::ffff:")
    if text in ("0.0.0.0", "::"):
        return "all"
    return "loopback" if text.startswith("127.") or text == "::1" else "node"


def listeners():
    """{socket's inode: where}"""
    found = {}
    for name in ("tcp", "tcp6"):
        for line in read(f"/proc/self/net/{name}").decode().splitlines()[1:]:
            word = line.split()
            if word[3] == "0A":
                found[word[9]] = place(word[1].split(":")[0])
    return found


def sockets_of(uid):
    """Pairs of a process and a socket's inode."""
    for pid in processes(uid):
        for fd in glob.glob(f"/proc/{pid}/fd/*"):
            try:
                link = os.readlink(fd)
            except OSError:
                continue
            if link.startswith("socket:["):
                yield pid, link[8:-1]


def look_at_sockets():
    """Slurm's own are slurmstepd's, too: tasks inherit that of PMI2."""
    sockets = listeners()
    for _, inode in sockets_of(0):
        sockets.pop(inode, None)
    for pid, inode in sockets_of(user.pw_uid):
        if inode in sockets and program(pid):
            print("listens", program(pid), sockets[inode])


def look_at_arguments():
    for pid in processes():
        line = read(f"/proc/{pid}/cmdline")
        for word, where in words.items():
            if word in line:
                problem("an argument of", own_name(pid) or pid, "has what is in",
                        where)


def main():
    learn()
    for top in TOPS + [own]:
        walk(top)
    look_at_sockets()
    look_at_arguments()
    print("looked", nfiles, len(list(processes(user.pw_uid))), len(words))


main()
