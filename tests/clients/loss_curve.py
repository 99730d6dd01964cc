# SPDX-License-Identifier: Apache-2.0
"""Judges what train_resume_loss.py has written: is it the training that it
would have been without a break?

loss_curve.py FOLDER [--every K] [--lost SECONDS]... [--woken NODE]...
              [--worlds REGEX] [--curve PROGRAM] [--no-curve]

Prints a line for each round; with --lost also how long it took from that time
to the first step of the round after it. Status 1 with a line for each fault:
- a loss differs between the ranks of a step, or by more than rounding from
  that of a single process (DDP adds in another order in its first step than in
  later ones, so that the last digit may differ between rounds);
- a step is missing, or a round didn't begin at the newest checkpoint;
- a round has other ranks than 0 to W - 1, or not all have trained to the end;
  or the rounds that did steps had other numbers of ranks than "4,4,3" (--worlds);
- a process of a round was alive when the next round began. One on a node that
  was stopped (--woken) may write a last line when it wakes.

--curve: the program is another one, such as plain_resume_loss.
--no-curve: the program is ranktable_talk.py, which has no loss and no
checkpoints.
"""
import argparse
import importlib
import re
import sys

CLOSE = 1e-9


class Line:
    """One line of the log."""

    def __init__(self, text):
        self.word, _, rest = text.partition(" ")
        self.values = dict(re.findall(r"(\w+)=(\S+)", rest))
        self.round, self.rank, self.world = (
            int(self.values[k]) for k in ("round", "rank", "world"))
        self.at = float(self.values["at"])


class Round:
    """What the processes of one round have written."""

    def __init__(self, number):
        self.number, self.world, self.begun = number, 0, {}
        self.steps, self.times, self.trained = {}, {}, {}
        self.first, self.last, self.done = 0.0, {}, 0

    def add(self, line):
        self.world = line.world
        if line.word == "begin":
            self.begun.setdefault(line.rank, []).append(line)
            self.first = self.first or line.at
            self.done = int(line.values["from"])
        elif line.word == "step":
            number = int(line.values["number"])
            self.steps.setdefault(number, set()).add(line.values["loss"])
            self.times.setdefault(number, line.at)
        else:
            self.trained[line.rank] = int(line.values["steps"])
        self.last[line.rank] = line.at

    @property
    def nodes(self):
        return [self.begun[rank][0].values["node"]
                for rank in sorted(self.begun)]

    def __str__(self):
        text = (f"round {self.number}: {self.world} ranks on "
                f"{','.join(dict.fromkeys(self.nodes))}, from step {self.done}")
        if self.steps:
            text += f" to {max(self.steps)}"
        return text


class Judge:
    """All rounds, and what is wrong with them."""

    def __init__(self, options):
        self.options, self.faults = options, []
        self.rounds = read_rounds(options.folder)

    def fault(self, text):
        if len(self.faults) < 20:
            self.faults.append(text)

    def judge(self):
        for one in self.rounds:
            self.judge_ranks(one)
        trained = [r for r in self.rounds if r.steps]
        for before, after in zip(self.rounds, self.rounds[1:]):
            self.judge_order(before, after)
        if not trained:
            self.fault("no round has done a step")
            return
        self.judge_end(trained[-1])
        if not self.options.no_curve:
            for before, after in zip(trained, trained[1:]):
                self.judge_resume(before, after)
            self.judge_losses(trained)

    def judge_ranks(self, one):
        twice = [r for r, lines in one.begun.items() if len(lines) > 1]
        if twice:
            self.fault(f"round {one.number}: ranks begun twice: {twice}")
        if one.steps and sorted(one.begun) != list(range(one.world)):
            self.fault(f"round {one.number}: ranks {sorted(one.begun)} of "
                       f"{one.world}")
        for number, losses in one.steps.items():
            if len(losses) > 1:
                self.fault(f"round {one.number}, step {number}: the ranks' "
                           f"losses are {sorted(losses)}")

    def judge_order(self, before, after):
        """Is everybody of a round silent before the next one begins?"""
        for rank, at in before.last.items():
            lines = before.begun.get(rank)
            node = lines[0].values["node"] if lines else "?"
            if at >= after.first and node not in self.options.woken:
                self.fault(f"rank {rank} of round {before.number} on {node} "
                           f"wrote {at - after.first:.3f} s after round "
                           f"{after.number} had begun")

    def judge_resume(self, before, after):
        last = max(before.steps)
        every = self.options.every
        # A save may have been cut off, and a rank 0 that is lost takes its
        # last line with it
        allowed = {last // every * every, max((last - 1) // every * every, 0),
                   (last + 1) // every * every}
        allowed.add(before.done)
        if after.done not in allowed or after.done < before.done:
            self.fault(f"round {after.number} goes on from step {after.done}, "
                       f"after step {last} with a checkpoint each {every}")
        if min(after.steps) != after.done + 1:
            self.fault(f"round {after.number}: its first step is "
                       f"{min(after.steps)}, after {after.done}")

    def judge_end(self, last):
        if sorted(last.trained) != list(range(last.world)):
            self.fault(f"round {last.number}: only ranks "
                       f"{sorted(last.trained)} have trained to the end")
        done = set().union(*(r.steps for r in self.rounds))
        missing = sorted(set(range(1, max(done) + 1)) - done)
        if missing:
            self.fault(f"no round has done the steps {missing[:9]}")

    def judge_losses(self, trained):
        program = importlib.import_module(self.options.curve)
        right = program.curve(max(max(r.steps) for r in trained))
        for one in trained:
            for number, losses in one.steps.items():
                value = float(next(iter(losses)))
                if not abs(value - right[number - 1]) <= CLOSE * abs(value):
                    self.fault(f"step {number}, {one.world} ranks: loss "
                               f"{value}, and {right[number - 1]} in one "
                               "process")

    def show(self):
        for one in self.rounds:
            print(one)
        for lost in self.options.lost:
            later = [min(r.times.values()) for r in self.rounds
                     if r.steps and r.first > lost]
            if later:
                print(f"loss to first step: {min(later) - lost:.1f} s")
            else:
                self.fault("no step after the loss")
        worlds = ",".join(str(r.world) for r in self.rounds if r.steps)
        if not re.fullmatch(self.options.worlds, worlds):
            self.fault(f"rounds with {worlds} ranks, not "
                       f"{self.options.worlds}")
        for text in self.faults:
            print(f"fault: {text}")


def read_rounds(folder):
    rounds = {}
    with open(f"{folder}/log", encoding="ascii") as file:
        for text in file:
            line = Line(text)
            rounds.setdefault(line.round, Round(line.round)).add(line)
    return [rounds[n] for n in sorted(rounds)]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder")
    parser.add_argument("--every", type=int, default=5)
    parser.add_argument("--lost", type=float, action="append", default=[])
    parser.add_argument("--woken", action="append", default=[])
    parser.add_argument("--worlds", default=".*")
    parser.add_argument("--curve", default="train_resume_loss")
    parser.add_argument("--no-curve", action="store_true")
    judge = Judge(parser.parse_args())
    judge.judge()
    judge.show()
    sys.exit(1 if judge.faults else 0)


if __name__ == "__main__":
    main()
