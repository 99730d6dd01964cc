#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""asks.py ARGUMENT...: in the place of a trainer. It says its rank and its arguments,
and what serves.py answers at each URL in them and in DIST_TRAIN_JUDGE_URLS: by Ray
from each node of its cluster, where there is one."""
import json
import os
import re
import sys
import urllib.request


def ask(url):
    with urllib.request.urlopen(url, b"{}") as answer:
        return json.load(answer)["choices"][0]["text"]


def ask_by_ray(url):
    import ray  # pylint: disable=import-outside-toplevel
    ray.init(log_to_driver=False)
    nodes = [node["NodeManagerAddress"] for node in ray.nodes()]
    said = [ray.remote(ask).options(
        num_cpus=0, resources={f"node:{node}": 0.01}).remote(url) for node in nodes]
    said = f"{ray.get(said)[0]}, by Ray from {len(nodes)} nodes"
    ray.shutdown()
    return said


who = f"rank {os.environ.get('RANK', 'none')} of {os.environ.get('WORLD_SIZE', 'none')}"
print(who, "has", *sys.argv[1:], flush=True)
urls = re.findall(r"https?://[^ ,]+", " ".join(
    sys.argv + [os.environ.get("DIST_TRAIN_JUDGE_URLS", "")]))
for each in urls:
    how = ask_by_ray if "RAY_ADDRESS" in os.environ else ask
    print(who, "hears", how(each), flush=True)
