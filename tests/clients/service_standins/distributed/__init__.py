# SPDX-License-Identifier: Apache-2.0
"""For dist-train-dask."""
import asyncio

import binds


class Server:
    """Its own port, and the one of its pages, which is at all addresses where
    none is named."""

    def __init__(self, host, port, dashboard_address):
        binds.listen(host, port)
        binds.listen(*dashboard_address.rsplit(":", 1))

    def __await__(self):
        return asyncio.sleep(0, self).__await__()

    async def finished(self):
        """When it is ended."""
        await asyncio.sleep(1e6)


class Scheduler(Server):
    """On the first node."""

    def __init__(self, host, port, dashboard_address, **_):
        super().__init__(host, port, dashboard_address)


class Nanny(Server):
    """On each node."""

    def __init__(self, scheduler, host, dashboard_address, **_):
        super().__init__(host, 0, dashboard_address)
