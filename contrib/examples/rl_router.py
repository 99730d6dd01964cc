# srun -N4 --dist-train=roles rl.roles
# SPDX-License-Identifier: Apache-2.0
"""A router: gives each request to the next server, and to another one while
that is away. It stands for sglang's or vLLM's router."""
import itertools
import os
import sys
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

servers = itertools.cycle(sys.argv[1:])


class Router(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        for url in itertools.islice(servers, len(sys.argv) - 1):
            try:
                with urllib.request.urlopen(url + self.path, body) as answer:
                    text = answer.read()
                break
            except OSError:  # the next one
                continue
        else:
            return self.send_error(503, "no server answers")
        self.send_response(200)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *words):
        pass


ThreadingHTTPServer(("", int(os.environ["PORT"])), Router).serve_forever()
