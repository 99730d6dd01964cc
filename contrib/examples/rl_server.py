# srun -N4 --dist-train=roles rl.roles
# SPDX-License-Identifier: Apache-2.0
"""A rollout server: samples words from the weights that it was given last. It
stands for `vllm serve` or sglang, and needs nothing but Python."""
import json
import math
import os
import random
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

weights = [[[0.0] * 4 for _ in range(8)], [0.0] * 8]


class Server(BaseHTTPRequestHandler):
    def answer(self, what):
        text = json.dumps(what).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def do_GET(self):  # /health
        self.answer("ready")

    def do_POST(self):
        global weights
        what = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if self.path == "/weights":
            weights = what
            return self.answer("taken")
        matrix, bias = weights
        chances = [math.exp(row[what["prompt"]] + b)
                   for row, b in zip(matrix, bias)]
        self.answer(random.choices(range(8), chances, k=what["n"]))

    def log_message(self, *words):
        pass


ThreadingHTTPServer(("", int(os.environ["PORT"])), Server).serve_forever()
