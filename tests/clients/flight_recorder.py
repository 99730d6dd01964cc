# SPDX-License-Identifier: Apache-2.0
"""flight_recorder.py MODE: a loop of collectives over Gloo that ends in a hang.

late: the last rank sleeps before its sixth all_reduce. swapped: it does a
broadcast there. done: all sleep. fail: all write their dumps, as on a timeout,
and end with 7.

A thread stands in for the monitor of ProcessGroupNCCL, which needs a GPU: it
makes the pipe <TORCH_NCCL_DEBUG_INFO_PIPE_FILE><rank>.pipe, and writes
<TORCH_FR_DUMP_TEMP_FILE><rank> when something comes. The dump is PyTorch's
own, where this PyTorch records Gloo, else one of the same shape. "hung rank=N"
on standard output: all that is to happen has happened.
"""

import datetime
import os
import pickle
import select
import sys
import threading
import time

import torch
import torch.distributed as dist

RECORD = []


def make_dump():
    c10d = torch._C._distributed_c10d
    if hasattr(c10d, "_dump_fr_trace") and not os.environ.get("OWN_SHAPE"):
        return c10d._dump_fr_trace()
    ranks = str(list(range(dist.get_world_size())))
    config = {"0": {"name": "0", "desc": "default_pg", "ranks": ranks}}
    dump = {"version": "2.10", "entries": RECORD, "pg_config": config}
    return pickle.dumps(dump, protocol=2)


def serve_pipe(rank):
    path = os.environ["TORCH_NCCL_DEBUG_INFO_PIPE_FILE"] + str(rank) + ".pipe"
    os.mkfifo(path, 0o666)
    fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    keep = os.open(path, os.O_WRONLY)  # no end of file between two writers
    while keep:
        select.select([fd], [], [])
        os.read(fd, 128)
        with open(os.environ["TORCH_FR_DUMP_TEMP_FILE"] + str(rank), "wb") as f:
            f.write(make_dump())


def call(op, what):
    line = sys._getframe(1).f_lineno
    RECORD.append({
        "record_id": len(RECORD),
        "process_group": ("0", "default_pg"),
        "collective_seq_id": len(RECORD) + 1,
        "is_p2p": False,
        "profiling_name": "gloo:" + op,
        "input_sizes": [[4]],
        "state": "scheduled",
        "retired": False,
        "frames": [{"name": "train", "filename": __file__, "line": line}],
    })
    what(torch.ones(4))
    RECORD[-1]["retired"] = True


def tell():
    ras = os.environ.get("NCCL_RAS_ADDR")
    os.write(1, f"hung rank={dist.get_rank()} ras={ras}\n".encode())


def hang(mode, last):
    if mode == "fail":
        with open(os.environ["TORCH_FR_DUMP_TEMP_FILE"] + str(dist.get_rank()), "wb") as f:
            f.write(make_dump())
        dist.barrier()
        os._exit(7)
    if mode == "done" or mode == "late" and last:
        tell()
        time.sleep(3600)
    threading.Timer(1, tell).start()
    if mode == "swapped" and last:
        call("broadcast", lambda t: dist.broadcast(t, 0))
    call("all_reduce", lambda t: dist.all_reduce(t))


def main():
    dist.init_process_group("gloo", timeout=datetime.timedelta(hours=1))
    rank = dist.get_rank()
    if "TORCH_NCCL_DEBUG_INFO_PIPE_FILE" in os.environ:
        threading.Thread(target=serve_pipe, args=(rank,), daemon=True).start()
    for _ in range(5):
        call("all_reduce", dist.all_reduce)
    hang(sys.argv[1], rank == dist.get_world_size() - 1)


main()
