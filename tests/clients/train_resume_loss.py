# SPDX-License-Identifier: Apache-2.0
"""Data-parallel training that resumes anywhere, and whose loss can be compared
with that of a training without a break.

train_resume_loss.py FOLDER [--every K] [--pause S] [--steps N] [--timeout S]
                    [--tell-monitor] [--stubborn]

The samples of a step depend on its number alone, and are dealt out to however
many ranks there are. Rank 0 writes FOLDER/checkpoint.STEP each K steps, and all
resume from the newest. Ends after step N, or after the step in FOLDER/end. Each
rank adds to FOLDER/log:

    begin round=R rank=R world=W node=NODE pid=P started=S imported=SECONDS
          cpu=S at=SECONDS from=STEP                        (one line)
    step round=R rank=R world=W number=N at=SECONDS loss=DIGITS
    trained round=R rank=R world=W at=SECONDS steps=N

SECONDS since the epoch are those after the step. tests/clients/loss_curve.py
reads it. --tell-monitor: ft_launcher of nvidia-resiliency-ext is told of each
step. --stubborn: SIGTERM is handled at the next step, as by most trainers.
"""
import argparse
import datetime
import os
import re
import signal
import sys
import time

STARTED = time.time()  # importing PyTorch is what takes long

import torch  # noqa: E402
import torch.distributed as dist  # noqa: E402

IMPORTED = time.time()

BATCH, INPUTS = 48, 8


def new_model():
    """The same in every process, and its optimizer, which has a state."""
    torch.manual_seed(7)
    model = torch.nn.Sequential(torch.nn.Linear(INPUTS, 16), torch.nn.Tanh(),
                                torch.nn.Linear(16, 1)).double()
    return model, torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)


def samples(step):
    """The whole batch of a step, whoever asks."""
    source = torch.Generator().manual_seed(step)
    x = torch.randn(BATCH, INPUTS, generator=source, dtype=torch.float64)
    return x, torch.sin(x.sum(1, keepdim=True))


def train_step(model, optimizer, step, rank=0, world=1):
    """The rank's part of the step; returns its part of the batch's loss."""
    x, y = samples(step)
    optimizer.zero_grad()
    loss = ((model(x[rank::world]) - y[rank::world]) ** 2).sum() / BATCH
    # DDP takes the mean of the ranks' gradients
    (loss * world).backward()
    optimizer.step()
    return loss.detach()


def curve(steps):
    """The losses of a training without a break, in one process."""
    torch.set_num_threads(1)
    model, optimizer = new_model()
    return [float(train_step(model, optimizer, step))
            for step in range(1, steps + 1)]


class Log:
    """Lines of this process in a file that all have, each whole."""

    def __init__(self, folder):
        self.file = os.open(f"{folder}/log",
                            os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o666)
        life = os.environ.get("DIST_TRAIN_RESTART",
                              os.environ.get("TORCHELASTIC_RESTART_COUNT", 0))
        self.who = (f"round={life} rank={os.environ['RANK']} "
                    f"world={os.environ['WORLD_SIZE']}")

    def write(self, word, text):
        line = f"{word} {self.who} {text}\n"
        os.write(self.file, line.encode())


def checkpoints(folder):
    """Their steps, the oldest first."""
    found = [re.fullmatch(r"checkpoint\.(\d+)", f) for f in os.listdir(folder)]
    return sorted(int(f[1]) for f in found if f)


def save(folder, step, model, optimizer):
    """Whole or not at all; of the older ones the last one is kept."""
    state = {"model": model.state_dict(), "optimizer": optimizer.state_dict()}
    new = f"{folder}/new.{os.uname()[1]}.{os.getpid()}"
    with open(new, "wb") as file:
        torch.save(state, file)
        file.flush()
        os.fsync(file.fileno())
    os.replace(new, f"{folder}/checkpoint.{step}")
    for old in [s for s in checkpoints(folder) if s < step][:-1]:
        os.unlink(f"{folder}/checkpoint.{old}")


def load(folder, model, optimizer):
    """Returns the step that is done; all ranks take rank 0's choice."""
    step = torch.tensor([max(checkpoints(folder), default=0)])
    dist.broadcast(step, 0)
    if int(step):
        state = torch.load(f"{folder}/checkpoint.{int(step)}")
        model.load_state_dict(state["model"])
        optimizer.load_state_dict(state["optimizer"])
    # Nobody removes it while another one reads
    dist.barrier()
    return int(step)


def last_step(options):
    try:
        with open(f"{options.folder}/end", encoding="ascii") as file:
            return min(int(file.read()), options.steps)
    except OSError:
        return options.steps


def monitor(options):
    """Returns what is called at each step."""
    if not options.tell_monitor:
        return lambda: None
    from nvidia_resiliency_ext.fault_tolerance import RankMonitorClient

    client = RankMonitorClient()
    client.init_workload_monitoring()
    return client.send_heartbeat


def train(options, log):
    rank, world = dist.get_rank(), dist.get_world_size()
    alive = monitor(options)
    model, optimizer = new_model()
    done = load(options.folder, model, optimizer)
    parallel = torch.nn.parallel.DistributedDataParallel(model)
    # Each collective has less time than the meeting of all ranks
    if options.timeout:
        dist.set_timeout(datetime.timedelta(seconds=options.timeout))
    log.write("begin", f"node={os.uname()[1]} pid={os.getpid()} "
              f"started={STARTED:.3f} imported={IMPORTED:.3f} "
              f"cpu={time.process_time():.1f} at={time.time():.3f} from={done}")
    end = options.steps
    while done < end:
        done += 1
        part = train_step(parallel, optimizer, done, rank, world)
        # With it rank 0 tells how long to go on
        both = torch.stack([part, torch.tensor(
            float(last_step(options) if rank == 0 else 0)).double()])
        dist.all_reduce(both)
        end = int(both[1])
        log.write("step", f"number={done} at={time.time():.3f} "
                  f"loss={float(both[0])!r}")
        if done % options.every == 0 and rank == 0:
            save(options.folder, done, model, optimizer)
        alive()
        time.sleep(options.pause)
    log.write("trained", f"at={time.time():.3f} steps={done}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder")
    parser.add_argument("--every", type=int, default=5)
    parser.add_argument("--pause", type=float, default=0.05)
    parser.add_argument("--steps", type=int, default=10**6)
    parser.add_argument("--timeout", type=float,
                        help="Gloo's, in seconds, of a new PyTorch; its own is "
                        "half an hour")
    parser.add_argument("--tell-monitor", action="store_true")
    parser.add_argument("--stubborn", action="store_true")
    options = parser.parse_args()
    if options.stubborn:
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    torch.set_num_threads(1)
    log = Log(options.folder)
    dist.init_process_group("gloo")
    train(options, log)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
