# SPDX-License-Identifier: Apache-2.0
"""The training of train_resume_loss.py without PyTorch, whose start takes 2 s of a
processor: a line through points, whose loss can be compared in the same way. It
writes the same log and the same checkpoints, resumes anywhere, and ends with 1 when
it loses a peer, as with Gloo.

plain_resume_loss.py FOLDER

All ranks send their part of the loss and of the gradient to rank 0, which answers
with the sum. Ends after the step in FOLDER/end.
"""
import json
import math
import os
import random
import socket
import sys
import time

BATCH, INPUTS, EVERY, PAUSE = 12, 4, 5, 0.05


def new_model():
    """The weights, and the optimizer's momentum."""
    return {"weights": [0.1] * INPUTS, "momentum": [0.0] * INPUTS}


def samples(step):
    """The whole batch of a step, whoever asks."""
    source = random.Random(step)
    for _ in range(BATCH):
        x = [source.gauss(0, 1) for _ in range(INPUTS)]
        yield x, math.sin(sum(x))


def part(model, step, rank=0, world=1):
    """The rank's part of the loss, and of its gradient."""
    loss, gradient = 0.0, [0.0] * INPUTS
    for x, y in list(samples(step))[rank::world]:
        off = sum(w * v for w, v in zip(model["weights"], x)) - y
        loss += off * off / BATCH
        gradient = [g + 2 * off * v / BATCH for g, v in zip(gradient, x)]
    return [loss, *gradient]


def update(model, gradient):
    model["momentum"] = [0.9 * m + g
                         for m, g in zip(model["momentum"], gradient)]
    model["weights"] = [w - 0.05 * m
                        for w, m in zip(model["weights"], model["momentum"])]


def curve(steps):
    """The losses of a training without a break, in one process."""
    model, losses = new_model(), []
    for step in range(1, steps + 1):
        loss, *gradient = part(model, step)
        update(model, gradient)
        losses.append(loss)
    return losses


class Peers:
    """Rank 0 has all others, and these have rank 0."""

    def __init__(self, rank, world):
        place = (os.environ["MASTER_ADDR"], int(os.environ["MASTER_PORT"]))
        if rank == 0:
            listener = socket.create_server(("", place[1]), backlog=world)
            self.files = [listener.accept()[0].makefile("rw")
                          for _ in range(world - 1)]
        else:
            self.files = [self.reach(place).makefile("rw")]
        self.leads = rank == 0

    @staticmethod
    def reach(place):
        while True:
            try:
                return socket.create_connection(place)
            except ConnectionRefusedError:
                time.sleep(0.05)

    def send(self, value):
        for file in self.files:
            file.write(json.dumps(value) + "\n")
            file.flush()

    def receive(self):
        lines = [file.readline() for file in self.files]
        if "" in lines:
            raise RuntimeError("Connection closed by peer")
        return [json.loads(line) for line in lines]

    def all_reduce(self, values):
        """The sums, in the order of the connections."""
        if not self.leads:
            self.send(values)
            return self.receive()[0]
        sums = [math.fsum(v) for v in zip(values, *self.receive())]
        self.send(sums)
        return sums

    def broadcast(self, value):
        """Rank 0's."""
        if not self.leads:
            return self.receive()[0]
        self.send(value)
        return value


class Log:
    """Lines of this process in a file that all have, each whole."""

    def __init__(self, folder, rank, world):
        self.file = os.open(f"{folder}/log",
                            os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o666)
        self.who = (f"round={os.environ['DIST_TRAIN_RESTART']} rank={rank} "
                    f"world={world}")

    def write(self, word, text):
        line = f"{word} {self.who} at={time.time():.3f} {text}\n"
        os.write(self.file, line.encode())


def checkpoints(folder):
    """Their steps, the oldest first."""
    return sorted(int(name.split(".")[1]) for name in os.listdir(folder)
                  if name.startswith("checkpoint."))


def save(folder, step, model):
    """Whole or not at all; of the older ones the last one is kept."""
    new = f"{folder}/new.{os.uname()[1]}.{os.getpid()}"
    with open(new, "w", encoding="ascii") as file:
        json.dump(model, file)
        file.flush()
        os.fsync(file.fileno())
    os.replace(new, f"{folder}/checkpoint.{step}")
    for old in [s for s in checkpoints(folder) if s < step][:-1]:
        os.unlink(f"{folder}/checkpoint.{old}")


def load(folder, peers):
    """The step that is done, and the model; all take rank 0's."""
    step, model = 0, new_model()
    if peers.leads and checkpoints(folder):
        step = checkpoints(folder)[-1]
        with open(f"{folder}/checkpoint.{step}", encoding="ascii") as file:
            model = json.load(file)
    return peers.broadcast([step, model])


def last_step(folder):
    try:
        with open(f"{folder}/end", encoding="ascii") as file:
            return int(file.read())
    except OSError:
        return 10**6


def train(folder):
    rank, world = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
    log, peers = Log(folder, rank, world), Peers(rank, world)
    done, model = load(folder, peers)
    log.write("begin", f"node={os.uname()[1]} pid={os.getpid()} from={done}")
    end = 10**6
    while done < end:
        done += 1
        mine = part(model, done, rank, world)
        # With it rank 0 tells how long to go on
        *sums, end = peers.all_reduce(
            mine + [last_step(folder) if peers.leads else 0])
        update(model, sums[1:])
        log.write("step", f"number={done} loss={sums[0]!r}")
        if done % EVERY == 0 and peers.leads:
            save(folder, done, model)
        time.sleep(PAUSE)
    log.write("trained", f"steps={done}")


if __name__ == "__main__":
    train(sys.argv[1])
