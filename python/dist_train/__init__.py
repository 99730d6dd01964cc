# SPDX-License-Identifier: Apache-2.0
"""Where this process is in its distributed step, and how far it is.

For programs that srun --dist-train=... or dist-train exec ... has started. Each
function reads the environment when it is called, and starts nothing. Outside of
a step they answer as in a step of one process, so that the same program runs on
a laptop; under a launcher that sets RANK and its like, as torchrun does, they
answer what that one says.

    import dist_train

    for step in range(first, steps):
        train(step)
        dist_train.progress(100 * step / steps, step=step, loss=loss)
        if step % 100 == 0 and all_agree(dist_train.stop_requested()):
            save(step)
            break

dist-train-python(7) has the details. The program is there, too:
python -m dist_train is dist-train.
"""
from __future__ import annotations

import os
import time

__all__ = [
    "devices", "end_time", "local_rank", "local_world_size", "nnodes", "node_rank",
    "progress", "rank", "restarts", "step_id", "stop_requested", "time_left",
    "world_size",
]

# When progress() was called first, and the percentage then: for what remains
_began = (0.0, 101.0)


def __getattr__(name: str) -> str:
    """Return __version__, which only the installed files have."""
    if name != "__version__":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib.metadata import version
    return version("slurm-dist-train")


def _number(name: str, alone: int) -> int:
    """Return DIST_TRAIN_name. A torchrun that we have started counts as one
    process, and its workers have numbers of their own."""
    names = ["DIST_TRAIN_" + name, name]
    if os.environ.get("DIST_TRAIN_ROLE") == "launcher":
        names.reverse()
    for variable in names:
        if os.environ.get(variable):
            return int(os.environ[variable])
    return alone


def rank() -> int:
    """Return the number of this process in the step, from 0."""
    return _number("RANK", 0)


def world_size() -> int:
    """Return how many processes the step has."""
    return _number("WORLD_SIZE", 1)


def local_rank() -> int:
    """Return the number of this process on its node, from 0."""
    return _number("LOCAL_RANK", 0)


def local_world_size() -> int:
    """Return how many processes of the step this node has."""
    return _number("LOCAL_WORLD_SIZE", 1)


def node_rank() -> int:
    """Return the number of this node in the step, from 0."""
    return int(os.environ.get("DIST_TRAIN_NODE_RANK") or os.environ.get("GROUP_RANK") or 0)


def nnodes() -> int:
    """Return how many nodes the step has."""
    return int(os.environ.get("DIST_TRAIN_NNODES") or os.environ.get("GROUP_WORLD_SIZE") or 1)


def devices() -> list[int]:
    """Return the devices of this process, by the numbers with which it opens
    them: cuda:0 is 0. Empty where it has none, or where nobody says it."""
    return [int(n) for n in os.environ.get("DIST_TRAIN_DEVICES", "").split(",") if n]


def step_id() -> str | None:
    """Return JOB.STEP.REQUEUE, a name that no other step of the cluster has, for
    names of files; None outside of a step."""
    return os.environ.get("DIST_TRAIN_STEP") or None


def restarts() -> int:
    """Return how often the processes of this step were started again (the key
    restarts, or a lost node), 0 at first."""
    return int(os.environ.get("DIST_TRAIN_RESTART") or 0)


def progress(percent: float | None = None, **figures: float) -> None:
    """Say how far this rank is: dist-train status and top show it, and the record
    of the step has it. Without the key metrics=on it does nothing.

    percent is from 0 to 100, of the whole training. Figures that are known:
    remaining (seconds; without it, it follows from the percentages so far), step,
    rate (steps per second; without it, it follows from the steps), loss, busy
    (percent). Up to eight others keep the name that you give them. What a call
    doesn't name stays as it was. A value is anything that float() takes: of a
    tensor on a GPU, that waits for the GPU.

    It writes one short line to a file on the node, and never fails for want of
    it: call it as often as you like, in any rank."""
    global _began
    path = os.environ.get("DIST_TRAIN_PROGRESS_FILE")
    if not path:
        return
    if percent is not None:
        percent = min(max(float(percent), 0.0), 100.0)
        now, (begin, first) = time.monotonic(), _began
        if percent < first:
            _began = now, percent
        elif percent > first:
            figures.setdefault("remaining", (now - begin) / (percent - first) * (100 - percent))
        figures["percent"] = percent
    line = " ".join(f"{name}={float(value)!r}" for name, value in figures.items())
    try:
        with open(path, "w", encoding="ascii", errors="replace") as file:
            file.write(line + "\n")
    except OSError:
        pass


def stop_requested() -> bool:
    """Return whether the end of the job is near (the key end-signal): it is time
    to save and to end. Once true, it stays so.

    All ranks see it within the same moment, but not after the same step: let them
    agree, as by an all-reduce of it, before one of them leaves its loop."""
    path = os.environ.get("DIST_TRAIN_STOP_FILE")
    return bool(path) and os.path.exists(path)


def end_time() -> float | None:
    """Return when Slurm will end the job, in seconds since the epoch, as it was
    known when the process started; None where there is no limit, or where nobody
    says it (the keys end-signal and requeue do, and Slurm from 23.02)."""
    text = os.environ.get("DIST_TRAIN_END_TIME") or os.environ.get("SLURM_JOB_END_TIME")
    return float(text) if text else None


def time_left() -> float | None:
    """Return the seconds until end_time(), negative after it; None as there."""
    end = end_time()
    return None if end is None else end - time.time()
