# srun -N3 --gpus-per-node=8 --dist-train=roles router.roles
# SPDX-License-Identifier: Apache-2.0
"""ROLE ROUTER...: start vllm-router or sglang-router without a server, and tell it of
each server of that role as it comes and goes."""
import json
import os
import subprocess
import sys
import time
from urllib.parse import quote
from urllib.request import Request, urlopen

workers = f"http://127.0.0.1:{os.environ['PORT']}/workers"


def ask(method, url=workers, what=None):
    head = {"Content-Type": "application/json"}
    with urlopen(Request(url, what, head, method=method), timeout=60) as answer:
        return json.load(answer)


def follow(role):
    with open(os.environ["DIST_TRAIN_ROLES_FILE"]) as file:
        ready = {world["url"] for world in json.load(file)["roles"]
                 if world["role"] == role and world["state"] == "ready"}
    known = {worker["url"]: worker for worker in ask("GET")["workers"]}
    for url in ready - known.keys():
        ask("POST", what=json.dumps({"url": url}).encode())
    for url in known.keys() - ready:
        ask("DELETE", f"{workers}/{quote(known[url].get('id') or url, safe='')}")


router = subprocess.Popen(sys.argv[2:])
while router.poll() is None:
    try:
        follow(sys.argv[1])
    except OSError:
        pass  # the router isn't there yet, or has much to do
    time.sleep(0.5)
sys.exit(router.returncode)
