#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The same work as ranktable_build and dist-train ranktable check, with
Python's json: what a site's own script would do.

    ranktable.py table ROWS FILE
    ranktable.py check FILE
    ranktable.py memory COMMAND...   largest resident memory of a command, MiB
"""
import json
import resource
import socket
import subprocess
import sys


def table(rows, path):
    servers = {}
    with open(rows, encoding="ascii") as f:
        parsed = [dict(field.split("=", 1) for field in line.split())
                  for line in f]
    parsed.sort(key=lambda row: int(row["rank"]))
    for row in parsed:
        server = servers.setdefault(row["server"], {
            "server_id": row["server"], "host_ip": row["host_ip"],
            "device": []})
        server["device"].append({"device_id": row["device"],
                                 "device_ip": row["device_ip"],
                                 "rank_id": row["rank"]})
    text = json.dumps({"status": "completed", "version": "1.0",
                       "server_count": str(len(servers)),
                       "server_list": list(servers.values())})
    check_loaded(json.loads(text))
    with open(path, "w", encoding="ascii") as f:
        f.write(text)


def check_loaded(loaded):
    """The rules that matter most; not all that ours holds."""
    assert loaded["status"] == "completed" and loaded["version"] == "1.0"
    servers = loaded["server_list"]
    assert int(loaded["server_count"]) == len(servers)
    assert len({s["server_id"] for s in servers}) == len(servers)
    addresses, ranks = set(), []
    for server in servers:
        devices = server["device"]
        ids = {int(d["device_id"]) for d in devices}
        assert len(ids) == len(devices) and max(ids) < 16
        for device in devices:
            addresses.add(socket.inet_pton(socket.AF_INET,
                                           device["device_ip"]))
            ranks.append(int(device["rank_id"]))
    assert sorted(ranks) == list(range(len(ranks)))
    assert len(addresses) == len(ranks)


def memory(command):
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    used = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    print(f"{used / 1024:.0f}")


def main():
    verb, *rest = sys.argv[1:]
    if verb == "table":
        table(*rest)
    elif verb == "check":
        with open(rest[0], encoding="utf-8") as f:
            check_loaded(json.load(f))
    else:
        memory(rest)


main()
