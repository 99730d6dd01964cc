# SPDX-License-Identifier: Apache-2.0
"""For dist-train-lighthouse."""
import binds


class LighthouseServer:
    """Until it is ended."""

    def __init__(self, bind, **_):
        binds.listen(*bind.rsplit(":", 1))

    def shutdown(self):
        """Nothing is to be ended."""
