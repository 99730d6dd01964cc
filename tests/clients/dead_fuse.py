# SPDX-License-Identifier: Apache-2.0
"""A file system that is dead: nothing that is asked of it has an answer, and who
asks waits until this server ends; SIGKILL doesn't end that. Needs root and
/dev/fuse, no library.

dead_fuse.py FOLDER: mounts it there, and says "mounted"; then "asked PID" for each
question.
"""
import ctypes
import os
import signal
import struct
import sys

MS_NOSUID, MS_NODEV, MNT_DETACH = 2, 4, 2
INIT = 26
IN = struct.Struct("<IIQQIIIHH")  # fuse_in_header

libc = ctypes.CDLL(None, use_errno=True)


def mount(fd, folder):
    options = f"fd={fd},rootmode=40000,user_id=0,group_id=0,allow_other"
    if libc.mount(b"dead", folder.encode(), b"fuse", MS_NOSUID | MS_NODEV,
                  options.encode()):
        raise OSError(ctypes.get_errno(), f"mount {folder}")


def serve(fd):
    while True:
        request = os.read(fd, 1 << 17)
        _, opcode, unique, _, _, _, pid, _, _ = IN.unpack_from(request)
        if opcode != INIT:
            print("asked", pid, flush=True)
            continue
        major, _, ahead = struct.unpack_from("<III", request, IN.size)
        body = struct.pack("<IIIIHHIIHHIIII", major, 31, ahead, 0, 8, 8, 4096,
                           1, 0, 0, 0, 0, 0, 0) + bytes(16)
        os.write(fd, struct.pack("<IiQ", 16 + len(body), 0, unique) + body)


def main():
    folder = sys.argv[1]
    signal.signal(signal.SIGTERM, lambda *_: sys.exit())
    fd = os.open("/dev/fuse", os.O_RDWR)
    mount(fd, folder)
    try:
        print("mounted", flush=True)
        serve(fd)
    finally:
        os.close(fd)
        libc.umount2(folder.encode(), MNT_DETACH)


main()
