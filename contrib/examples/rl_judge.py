# srun -N4 --dist-train=roles rl.roles
# SPDX-License-Identifier: Apache-2.0
"""The judge: a word is right when it is twice its prompt."""
import json
import os
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Judge(BaseHTTPRequestHandler):
    def do_POST(self):
        what = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        rewards = [float(word == 2 * what["prompt"]) for word in what["words"]]
        text = json.dumps(rewards).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *words):
        pass


ThreadingHTTPServer(("", int(os.environ["PORT"])), Judge).serve_forever()
