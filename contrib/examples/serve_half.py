# srun -N4 --dist-train=roles serve.roles
# SPDX-License-Identifier: Apache-2.0
"""Half of a server: as `prefill` it reads a prompt, as `decode` it writes words
from what was read. What it knows of a prompt is which letters it has."""
import json
import os
import socket
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

role = os.environ["DIST_TRAIN_ROLE"]
name = f"{role}.{os.environ['DIST_TRAIN_ROLE_INDEX']} on {socket.gethostname()}"


class Half(BaseHTTPRequestHandler):
    def answer(self, what):
        text = json.dumps(what).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def do_GET(self):  # /health
        self.answer("ready")

    def do_POST(self):
        what = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if role == "prefill":
            self.answer({"letters": sorted(set(what["prompt"])), "by": [name]})
        else:
            words = "".join(what["letters"])[:what["n"]]
            self.answer({"words": words, "by": what["by"] + [name]})

    def log_message(self, *words):
        pass


ThreadingHTTPServer(("", int(os.environ["PORT"])), Half).serve_forever()
