# SPDX-License-Identifier: Apache-2.0
"""In the place of a server of language models, one on each node.

    api_server.py [--host ADDRESS] [--port N] [--silent] [OPTION]...

Prints its rank and arguments. The one of rank 0 answers "GET /health", with 503
at first; with --silent nobody ever answers. All run until they are ended.
"""

import http.server
import os
import sys
import threading


def value(name, default):
    """What the command line has for an option."""
    args = sys.argv
    return args[args.index(name) + 1] if name in args else default


class Api(http.server.BaseHTTPRequestHandler):
    """Not ready when it is asked for the first time."""

    asked = 0

    def do_GET(self):
        """Answer /health."""
        Api.asked += 1
        self.send_response(503 if Api.asked == 1 else 200)
        self.end_headers()

    def log_message(self, *args):
        """Be silent."""


print("serves", os.environ["SLURM_PROCID"], *sys.argv[1:], flush=True)
if os.environ["SLURM_PROCID"] == "0" and "--silent" not in sys.argv:
    at = (value("--host", ""), int(value("--port", "8000")))
    http.server.HTTPServer(at, Api).serve_forever()
threading.Event().wait()
