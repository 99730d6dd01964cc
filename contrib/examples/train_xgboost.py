# srun -N2 --ntasks-per-node=2 --dist-train=xgboost python3 train_xgboost.py
# SPDX-License-Identifier: Apache-2.0
"""XGBoost: each rank has a part of the rows, all end with the same trees."""
import hashlib
import os
import socket

import numpy as np
import xgboost as xgb
from xgboost import collective

with collective.CommunicatorContext(
        dmlc_tracker_uri=os.environ["DMLC_TRACKER_URI"],
        dmlc_tracker_port=int(os.environ["DMLC_TRACKER_PORT"]),
        dmlc_task_id=os.environ["DMLC_TASK_ID"]):
    rank, world = collective.get_rank(), collective.get_world_size()
    x = np.random.default_rng(rank).normal(size=(1000, 8))
    data = xgb.DMatrix(x, label=x.sum(1))
    scores = {}
    model = xgb.train({"max_depth": 4, "nthread": 1}, data, 20,
                      evals=[(data, "train")], evals_result=scores,
                      verbose_eval=10 if rank == 0 else False)
    if rank == 0:
        model.save_model("train_xgboost.json")
trees = hashlib.sha256("".join(model.get_dump()).encode()).hexdigest()[:12]
print(f"rank {rank} of {world} on {socket.gethostname()}: "
      f"loss {scores['train']['rmse'][-1]:.4f}, model {trees}")
