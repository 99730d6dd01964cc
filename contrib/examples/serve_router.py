# srun -N4 --dist-train=roles serve.roles
# SPDX-License-Identifier: Apache-2.0
"""A router for servers in two halves: first one that prefills, then one that
decodes. It stands for sglang's or vLLM's router."""
import argparse
import itertools
import json
import os
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

parser = argparse.ArgumentParser()
parser.add_argument("--prefill", nargs="+")
parser.add_argument("--decode", nargs="+")
half = {what: (itertools.cycle(urls), len(urls))
        for what, urls in vars(parser.parse_args()).items()}


def ask(what, body):
    for url in itertools.islice(*half[what]):
        try:
            with urllib.request.urlopen(url, json.dumps(body).encode()) as answer:
                return json.load(answer)
        except OSError:  # the next one
            continue
    return {}


class Router(BaseHTTPRequestHandler):
    def do_POST(self):
        what = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        text = json.dumps(ask("decode", {**what, **ask("prefill", what)})).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)


ThreadingHTTPServer(("", int(os.environ["PORT"])), Router).serve_forever()
