#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""ask_roles.py URL...: what each answers, a line each behind this process's
RANK. A server that goes while it is asked answers "gone"."""
import os
import sys
import urllib.request

for url in sys.argv[1:]:
    try:
        said = urllib.request.urlopen(url).read().decode()
    except OSError:
        said = "gone"
    print("rank", os.environ.get("RANK", "-"), url, "says", said, flush=True)
