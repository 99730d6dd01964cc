#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""serves.py NAME ARGUMENT...: in the place of any server of language models, rewards
or of a router. It answers every path at --port or --server.port with who it is and
its arguments, in the form of a completion; /kill ends it as SIGKILL does."""
import json
import os
import signal
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

who = ".".join(os.environ[f"DIST_TRAIN_{name}"]
               for name in ("ROLE", "ROLE_INDEX", "RESTART"))
answer = json.dumps({
    "id": who, "object": "text_completion", "model_path": "m",
    "choices": [{"index": 0, "text": f"{who} {' '.join(sys.argv[1:])}"}]}).encode()


class Server(BaseHTTPRequestHandler):
    def do_GET(self):
        if self.path == "/kill":
            os.kill(os.getpid(), signal.SIGKILL)
        self.rfile.read(int(self.headers["Content-Length"] or 0))
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    do_POST = do_GET

    def log_message(self, *words):
        pass


port = next(after for word, after in zip(sys.argv, sys.argv[1:])
            if word in ("--port", "--server.port"))
ThreadingHTTPServer(("", int(port)), Server).serve_forever()
