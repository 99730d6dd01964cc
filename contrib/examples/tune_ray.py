# srun -N2 --cpus-per-task=16 --gpus-per-node=8 --dist-train=ray python3 tune_ray.py
# SPDX-License-Identifier: Apache-2.0
"""Ray Tune: many trials of one learning rate each, on all nodes of the step."""
import os
import socket

import ray
from ray import tune


def trial(config):
    """Gradient descent on w ** 2; put your training in its place."""
    w = 1.0
    for _ in range(20):
        w -= config["lr"] * 2 * w
    return {"loss": w ** 2, "host": socket.gethostname()}


ray.init()
results = tune.Tuner(
    trial,
    param_space={"lr": tune.grid_search([0.01, 0.1, 0.4, 1.1])},
    tune_config=tune.TuneConfig(metric="loss", mode="min"),
    run_config=tune.RunConfig(storage_path=os.path.abspath("tune_ray.saved")),
).fit()
best = results.get_best_result()
hosts = {result.metrics["host"] for result in results}
print(f"{len(results)} trials on {len(hosts)} nodes: lr "
      f"{best.config['lr']}, loss {best.metrics['loss']:.6f}", flush=True)
