# srun -N4 --dist-train=roles serve.roles
# SPDX-License-Identifier: Apache-2.0
"""Asks the router: each request goes through both halves."""
import json
import sys
import urllib.request


def ask(prompt):
    body = json.dumps({"prompt": prompt, "n": 4}).encode()
    with urllib.request.urlopen(sys.argv[1], body) as answer:
        return json.load(answer)


for prompt in ("several", "programs", "in", "one step"):
    said = ask(prompt)
    print(f"{prompt}: {said['words']} by {', '.join(said['by'])}", flush=True)
