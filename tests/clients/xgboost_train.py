# SPDX-License-Identifier: Apache-2.0
"""Each rank has a part of the rows; all end with one model, that of all rows.
FAIL is the rank that ends with 7 before. TRACKER: rank 0 starts it itself."""
import os
import sys

import numpy as np
import xgboost as xgb
from xgboost import collective as coll
from xgboost.tracker import RabitTracker

ROWS = 240


def own_tracker(rank):
    """As a program for Kubeflow does."""
    if "TRACKER" not in os.environ or rank:
        return None
    tracker = RabitTracker(n_workers=int(os.environ["DMLC_NUM_WORKER"]),
                           host_ip=os.environ["DMLC_TRACKER_URI"],
                           port=int(os.environ["DMLC_TRACKER_PORT"]))
    tracker.start()
    return tracker


def train(part, of):
    """The model's prediction for all rows, of a part of them."""
    x = np.random.default_rng(1).normal(size=(ROWS, 4))
    y = x @ np.array([1.0, -2.0, 0.5, 3.0])
    model = xgb.train({"tree_method": "hist", "max_depth": 3, "nthread": 1},
                      xgb.DMatrix(x[part::of], label=y[part::of]), 10)
    return float(np.abs(model.predict(xgb.DMatrix(x)) - y).mean())


def main():
    """Train twice in one communicator."""
    rank = int(os.environ["DMLC_TASK_ID"])
    if os.environ.get("FAIL") == str(rank):
        sys.exit(7)
    tracker = own_tracker(rank)
    with coll.CommunicatorContext(
            dmlc_tracker_uri=os.environ["DMLC_TRACKER_URI"],
            dmlc_tracker_port=int(os.environ["DMLC_TRACKER_PORT"]),
            dmlc_task_id=os.environ["DMLC_TASK_ID"],
            dmlc_retry=30):  # rank 0's tracker may come late
        same = coll.get_rank() == rank
        world = coll.get_world_size()
        errors = {round(train(coll.get_rank(), world), 6) for _ in range(2)}
        total = coll.allreduce(np.array([10 ** rank]), coll.Op.SUM)
    if tracker:
        tracker.wait_for()
    print(f"trained rank={rank} same={same} world={world} sum={total[0]}"
          f" errors={','.join(map(str, errors))}"
          f" node={os.environ['SLURMD_NODENAME']}", flush=True)


main()
