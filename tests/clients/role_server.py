#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A stand-in for a rollout server: role_server.py PORT [SECONDS]. After so long
it answers every path with its role, its world and its round; /end ends it with
the exit code behind it (/end/3), /kill by SIGKILL."""
import http.server
import os
import signal
import sys
import time

names = ("DIST_TRAIN_ROLE", "DIST_TRAIN_ROLE_INDEX", "DIST_TRAIN_RESTART")
about = " ".join(os.environ[name] for name in names)


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        word = self.path.split("/")
        if word[1] == "end":
            os._exit(int(word[2]))
        if word[1] == "kill":
            os.kill(os.getpid(), signal.SIGKILL)
        self.send_response(200)
        self.end_headers()
        self.wfile.write(about.encode())

    def log_message(self, *args):
        pass


time.sleep(float(sys.argv[2]) if len(sys.argv) > 2 else 0)
print("server", about, "at", sys.argv[1], flush=True)
http.server.ThreadingHTTPServer(("", int(sys.argv[1])), Handler).serve_forever()
