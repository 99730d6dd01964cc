# SPDX-License-Identifier: Apache-2.0
"""A Ray of ours for cases that look at what dist-train-ray does with one, not at
what Ray does: scripts/scripts.py is its `ray start`."""
