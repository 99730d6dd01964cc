# SPDX-License-Identifier: Apache-2.0
"""Each process has a part of the rows; all end with one model. FAIL is the rank
that ends with 7 before."""
import hashlib
import os
import sys

import lightgbm as lgb
import numpy as np

ROWS = 400


def main():
    """Train."""
    rank = int(os.environ["DIST_TRAIN_RANK"])
    world = int(os.environ["DIST_TRAIN_WORLD_SIZE"])
    if os.environ.get("FAIL") == str(rank):
        sys.exit(7)
    x = np.random.default_rng(1).normal(size=(ROWS, 4))
    y = x @ np.array([1.0, -2.0, 0.5, 3.0])
    model = lgb.train(
        {
            "objective": "regression",
            "tree_learner": "data",
            "verbose": -1,
            "pre_partition": True,
            "num_leaves": 7,
            "machines": os.environ["DIST_TRAIN_PEERS"],
            "local_listen_port": int(os.environ["DIST_TRAIN_PORT"]),
        },
        lgb.Dataset(x[rank::world], y[rank::world]), 60)
    trees = model.model_to_string().split("end of trees")[0]
    error = float(np.abs(model.predict(x) - y).mean())
    print(f"trained rank={rank} world={world} good={error < 1}"
          f" model={hashlib.sha256(trees.encode()).hexdigest()[:12]}"
          f" node={os.environ['SLURMD_NODENAME']}", flush=True)


main()
