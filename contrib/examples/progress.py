# srun -N2 --gpus-per-node=8 --dist-train=ddp,metrics=on python3 progress.py
# SPDX-License-Identifier: Apache-2.0
"""Any program says how far it is: copy progress(), or import it. dist-train
status, top and the timeline show it, for each rank."""
import os
import socket
import time


def progress(step, total, **figures):
    """Call it after each step; loss=, busy= (percent) and others are figures.
    Without metrics=on it does nothing."""
    path = os.environ.get("DIST_TRAIN_PROGRESS_FILE")
    begin, first = progress.__dict__.setdefault("begin", (time.time(), step))
    if not path:
        return
    figures.update(percent=100 * step / total, step=step)
    if step > first:
        figures["remaining"] = (time.time() - begin) / (step - first) * (total - step)
    with open(path, "w") as file:
        file.write(" ".join(f"{k}={float(v):.10g}" for k, v in figures.items()) + "\n")


if __name__ == "__main__":
    weights = 0.0
    for step in range(1, 101):
        time.sleep(0.05)  # the work
        weights += 1 / step
        progress(step, 100, loss=1 / step)
    print(f"rank {os.environ['RANK']} of {os.environ['WORLD_SIZE']} on "
          f"{socket.gethostname()}: weights {weights:.6f}")
