# SPDX-License-Identifier: Apache-2.0
"""For dist-train-monarch."""
import signal
import types

import binds


def start_worker_loop_forever(address, **_):
    """Until it is ended."""
    binds.listen(*address.removeprefix("tls://").rsplit(":", 1))
    return types.SimpleNamespace(get=signal.pause)
