#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""ask_router.py ROUTER SERVER...: ask the router until all servers (serves.py) have
answered; end the first one, and ask until all have again, that one anew."""
import json
import sys
import time
import urllib.request

router, servers = sys.argv[1], sys.argv[2:]


def completion():
    body = json.dumps({"model": "m", "prompt": "hello"}).encode()
    request = urllib.request.Request(
        f"{router}/v1/completions", body, {"Content-Type": "application/json"})
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)["id"]


def ask_until(wanted):
    seen = set()
    while not wanted <= seen:
        try:
            seen.add(completion())
        except OSError:  # it knows no server yet, or one that has gone
            time.sleep(0.1)
    print("answered:", *sorted(wanted), flush=True)


names = [f"server.{i}.0" for i in range(len(servers))]
ask_until(set(names))
try:
    urllib.request.urlopen(f"{servers[0]}/kill")
except OSError:
    names[0] = "server.0.1"
ask_until(set(names))
