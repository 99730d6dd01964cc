# SPDX-License-Identifier: Apache-2.0
"""A file system whose one file can be opened, and never read: who reads waits
until this server ends, and SIGKILL doesn't end that. Needs root and /dev/fuse, no
library.

hang_fuse.py FOLDER [dead]: mounts it there, and says "mounted"; "reading PID" for
each read. The file is FOLDER/file. dead: nothing has an answer; "asked PID" for
each question.
"""
import ctypes
import errno
import os
import signal
import stat
import struct
import sys

MS_NOSUID, MS_NODEV, MNT_DETACH = 2, 4, 2
LOOKUP, GETATTR, OPEN, READ, INIT, OPENDIR = 1, 3, 14, 15, 26, 27
FORGET, INTERRUPT, BATCH_FORGET = 2, 36, 42  # nobody waits for an answer
IN = struct.Struct("<IIQQIIIHH")  # fuse_in_header
ROOT, FILE = 1, 2  # inodes
DIRECT_IO = 1

libc = ctypes.CDLL(None, use_errno=True)


def mount(fd, folder):
    options = f"fd={fd},rootmode=40000,user_id=0,group_id=0,allow_other"
    if libc.mount(b"hang", folder.encode(), b"fuse", MS_NOSUID | MS_NODEV,
                  options.encode()):
        raise OSError(ctypes.get_errno(), f"mount {folder}")


def attributes(inode):
    mode = stat.S_IFDIR | 0o755 if inode == ROOT else stat.S_IFREG | 0o444
    return struct.pack("<QQQQQQIIIIIIIIII", inode, 4096, 8, 0, 0, 0, 0, 0, 0,
                       mode, 1, 0, 0, 0, 4096, 0)


def answer(opcode, node, body):
    """Its bytes, an error's number, or None for no answer at all."""
    if opcode == INIT:
        major, _minor, ahead = struct.unpack_from("<III", body)
        return struct.pack("<IIIIHHIIHHIIII", major, 31, ahead, 0, 8, 8, 4096,
                           1, 0, 0, 0, 0, 0, 0) + bytes(16)
    if opcode == LOOKUP:
        if body.rstrip(b"\0") != b"file":
            return errno.ENOENT
        return struct.pack("<QQQQII", FILE, 0, 60, 60, 0, 0) + attributes(FILE)
    if opcode == GETATTR:
        return struct.pack("<QII", 60, 0, 0) + attributes(node)
    if opcode in (OPEN, OPENDIR):
        return struct.pack("<QII", 0, DIRECT_IO if opcode == OPEN else 0, 0)
    if opcode in (READ, FORGET, BATCH_FORGET, INTERRUPT):
        return None
    return errno.ENOSYS


def serve(fd, dead):
    while True:
        request = os.read(fd, 1 << 17)
        _, opcode, unique, node, _, _, pid, _, _ = IN.unpack_from(request)
        if dead and opcode != INIT:
            print("asked", pid, flush=True)
            continue
        found = answer(opcode, node, request[IN.size:])
        if opcode == READ:
            print("reading", pid, flush=True)
        if found is None:
            continue
        error, body = (-found, b"") if isinstance(found, int) else (0, found)
        os.write(fd, struct.pack("<IiQ", 16 + len(body), error, unique) + body)


def end(*_):
    # A second one must not end the end
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    sys.exit()


def main():
    folder = sys.argv[1]
    signal.signal(signal.SIGTERM, end)
    fd = os.open("/dev/fuse", os.O_RDWR)
    mount(fd, folder)
    try:
        print("mounted", flush=True)
        serve(fd, sys.argv[2:] == ["dead"])
    finally:
        os.close(fd)
        libc.umount2(folder.encode(), MNT_DETACH)


main()
