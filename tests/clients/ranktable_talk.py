# SPDX-License-Identifier: Apache-2.0
"""A process on an Ascend NPU that knows its peers from the rank table alone:
rank 0 hears from all again and again who they are, in which round and with
which table, and answers. Whoever isn't in the table, comes from another round
or has another table ends it; so does a lost connection.

ranktable_talk.py FOLDER

Ends after the step in FOLDER/end. Writes to FOLDER/log what
train_resume_loss.py writes; the loss is a sum over the table's addresses.
"""
import hashlib
import json
import os
import socket
import sys
import time
import zlib

RANK, SIZE = int(os.environ["RANK_ID"]), int(os.environ["RANK_SIZE"])
ROUND = int(os.environ["DIST_TRAIN_RESTART"])
RENDEZVOUS = (os.environ["MASTER_ADDR"], int(os.environ["MASTER_PORT"]))


def read_table():
    with open(os.environ["RANK_TABLE_FILE"], "rb") as file:
        data = file.read()
    table = json.loads(data)
    rows = [(server["server_id"], device["device_ip"])
            for server in table["server_list"] for device in server["device"]]
    if len(rows) != SIZE:
        sys.exit(f"{SIZE} ranks, and {len(rows)} in the table")
    return hashlib.md5(data).hexdigest(), rows


class Log:
    def __init__(self, folder):
        self.file = os.open(f"{folder}/log",
                            os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o666)

    def write(self, word, text):
        os.write(self.file, f"{word} round={ROUND} rank={RANK} world={SIZE} "
                 f"at={time.time():.3f} {text}\n".encode())


def last_step(folder):
    try:
        with open(f"{folder}/end", encoding="ascii") as file:
            return int(file.read())
    except OSError:
        return 10**9


def send(peer, values):
    peer.write(json.dumps(values) + "\n")
    peer.flush()


def receive(peer):
    line = peer.readline()
    if not line:
        sys.exit(f"rank {RANK}: a peer is gone")
    return json.loads(line)


def meet():
    """Rank 0: its peers by rank; the others: rank 0."""
    if RANK:
        for _ in range(300):
            try:
                return [socket.create_connection(RENDEZVOUS).makefile("rw")]
            except ConnectionRefusedError:
                time.sleep(0.1)
        sys.exit("rank 0 doesn't listen")
    listener = socket.create_server(("", RENDEZVOUS[1]), backlog=SIZE)
    return [listener.accept()[0].makefile("rw") for _ in range(SIZE - 1)]


def hear(peers, mine, rows):
    """Who they are: all ranks, this round and this table."""
    told = [mine] + [receive(p) for p in peers]
    for one in told:
        if one["row"] != list(rows[one["rank"]]):
            sys.exit(f"{one} isn't in the table: {rows[one['rank']]}")
        if (one["round"], one["table"]) != (mine["round"], mine["table"]):
            sys.exit(f"{one}, and rank 0 has {mine}")
    if sorted(one["rank"] for one in told) != list(range(SIZE)):
        sys.exit(f"other ranks than 0 to {SIZE - 1}: {told}")


def talk(folder, log):
    table, rows = read_table()
    mine = {"rank": RANK, "row": list(rows[RANK]), "round": ROUND,
            "table": table}
    peers = meet()
    log.write("begin", f"node={os.uname()[1]} pid={os.getpid()} from=0 "
              f"row={','.join(rows[RANK])}")
    step, end = 0, 1
    while step < end:
        step += 1
        if RANK:
            send(peers[0], mine)
            end = receive(peers[0])
        else:
            hear(peers, mine, rows)
            end = last_step(folder)
            for peer in peers:
                send(peer, end)
        log.write("step", f"number={step} "
                  f"loss={zlib.crc32(str(rows).encode())}")
        time.sleep(0.05)
    log.write("trained", f"steps={step}")


if __name__ == "__main__":
    talk(sys.argv[1], Log(sys.argv[1]))
