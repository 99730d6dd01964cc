# SPDX-License-Identifier: Apache-2.0
"""What SGLang's own parser makes of the arguments, without its server."""

import argparse
import os
import sys

from sglang.srt.server_args import ServerArgs

parser = argparse.ArgumentParser()
ServerArgs.add_cli_args(parser)
args = parser.parse_args(sys.argv[1:])
print("parsed", os.environ["SLURM_PROCID"], args.nnodes, args.node_rank,
      args.dist_init_addr, args.tp_size, args.host, args.port)
