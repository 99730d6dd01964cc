# SPDX-License-Identifier: Apache-2.0
"""The end of a rank that has trained over Gloo.

A process that ends while it has a process group is ended by std::terminate
("terminate called without an active exception", SIGABRT) now and then: with
Debian 12's PyTorch in 3 of at most 1,000 ends on a loaded machine, and in none of
1,000 that end the group first.
"""

import os
import sys

import torch
import torch.distributed as dist


def leave():
    """End the process group; all ranks call it, as the last thing."""
    if torch.__version__.startswith("2.6."):
        # Gloo of Debian 13 can wait for its own threads for ever in its end,
        # in half of the runs, whoever has started it.
        dist.barrier()
        sys.stdout.flush()
        os._exit(0)
    dist.destroy_process_group()
