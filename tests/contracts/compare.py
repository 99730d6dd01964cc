# SPDX-License-Identifier: Apache-2.0
"""Compare what a launcher gave its processes with what we gave ours.

compare.py [--draft] CONTRACT RUN THEIRS OURS BARE...: the folders have dumps
(dump.py) of the launcher's processes, of ours, and of bare steps, whose
variables don't count. A line for each difference that CONTRACT (a file) doesn't
explain, and for each explanation of what isn't there; status 1 if there is one.
--draft: rows for the contract instead.
"""
import glob
import json
import os
import sys

import contract

# The shell's, and Slurm's that are another number in each step
PASSING = {"_", "SHLVL", "PWD", "OLDPWD", "SLURM_STEP_ID", "SLURM_STEPID",
           "SLURM_TASK_PID", "SLURM_SRUN_COMM_PORT", "SLURM_STEP_RESV_PORTS",
           "SLURM_STEP_LAUNCHER_PORT"}


def read(folder):
    """The dumps of a folder."""
    dumps = []
    for path in sorted(glob.glob(os.path.join(folder, "*.json"))):
        with open(path, encoding="utf-8") as file:
            dumps.append(json.load(file))
    if not dumps:
        raise SystemExit(f"no process has written to {folder}")
    return dumps


def own(dump, bare):
    """What a process has that the bare ones of its host haven't."""
    known = {item for other in bare if other["host"] == dump["host"]
             for item in other["env"].items()}
    found = {name: value for name, value in dump["env"].items()
             if name not in PASSING and (name, value) not in known}
    if dump["arguments"]:
        found["(arguments)"] = " ".join(dump["arguments"])
    return found


def by_rank(dumps, names, bare):
    """{rank: (host, variables)}; the rank is the first of `names` that is
    there, else the dump's own name."""
    ranks = {}
    for dump in dumps:
        rank = next((dump["env"][name] for name in names
                     if name in dump["env"]), dump["name"])
        if rank in ranks:
            raise SystemExit(f"two processes have the rank {rank}")
        ranks[rank] = dump["host"], own(dump, bare)
    return ranks


def sort_key(rank):
    """Numbers as numbers."""
    return (0, int(rank), "") if rank.isdigit() else (1, 0, rank)


def verdict_of(theirs, ours):
    """What a row has to say of these values, one of each in each process."""
    if not any(value is not None for value in ours):
        return "not ours"
    if not any(value is not None for value in theirs):
        return "only ours"
    return "same" if theirs == ours else "other"


def values(ranks, name):
    """The variable's values, in the order of ranks."""
    return [ranks[rank][1].get(name) for rank in sorted(ranks, key=sort_key)]


def last(found):
    """The value of the last process that has one, or None."""
    return next((value for value in reversed(found) if value is not None),
                None)


def same_in_form(row, theirs, ours):
    """Whether all values have the form of the row; a process may have none, in
    both."""
    return contract.has_form(row.theirs) and all(
        one is None and other is None or
        contract.agrees(row.theirs, one) and contract.agrees(row.ours, other)
        for one, other in zip(theirs, ours))


def check_value(row, name, theirs, ours):
    """The complaint about a variable that has a row, or None."""
    found = verdict_of(theirs, ours)
    if found == "other" and row.verdict == "same" and \
            same_in_form(row, theirs, ours):
        found = "same"
    if found != row.verdict:
        return f"{name}: '{found}', not '{row.verdict}': " \
            f"theirs {theirs}, ours {ours}"
    pair = last(theirs), last(ours)
    if row.name == name and not (contract.agrees(row.theirs, pair[0]) and
                                 contract.agrees(row.ours, pair[1])):
        return f"{name}: {pair[0]!r} and {pair[1]!r}, not " \
            f"'{row.theirs}' and '{row.ours}'"
    return None


def all_names(*sides):
    """Of all processes."""
    return sorted({name for side in sides for _, env in side.values()
                   for name in env})


def complaints(rows, theirs, ours, shared=()):
    """What the rows don't explain, and what they explain in vain; `shared` may
    explain in vain."""
    if {rank: host for rank, (host, _) in theirs.items()} != \
            {rank: host for rank, (host, _) in ours.items()}:
        yield "the ranks are on other hosts: " + " / ".join(
            " ".join(f"{rank}={side[rank][0]}"
                     for rank in sorted(side, key=sort_key))
            for side in (theirs, ours))
        return
    used = set()
    for name in all_names(theirs, ours):
        row = next((r for r in [*rows, *shared] if r.is_for(name)), None)
        pair = values(theirs, name), values(ours, name)
        if row is None:
            yield f"{name}: unexplained: theirs {pair[0]}, ours {pair[1]}"
            continue
        used.add(row)
        complaint = check_value(row, name, *pair)
        if complaint:
            yield complaint
    for row in rows:
        if row not in used:
            yield f"{row.name}: a row for what isn't there any more"


def draft(theirs, ours):
    """Rows to begin with."""
    for name in all_names(theirs, ours):
        pair = values(theirs, name), values(ours, name)
        cells = [contract.NONE if last(value) is None else
                 last(value) or "''" for value in pair]
        yield " | ".join([name, *cells, verdict_of(*pair)])


def main():
    """See above."""
    words = [word for word in sys.argv[1:] if word != "--draft"]
    if len(words) < 5:
        raise SystemExit(__doc__)
    data, run = contract.Contract(words[0]), words[1]
    names = data.field("rank").split()
    bare = [] if "all" in data.fields else \
        [dump for folder in words[4:] for dump in read(folder)]
    theirs, ours = (by_rank(read(folder), names, bare)
                    for folder in words[2:4])
    if "--draft" in sys.argv:
        lines = draft(theirs, ours)
    else:
        lines = complaints([row for row in data.rows if row.in_run(run)],
                           theirs, ours, data.shared)
    lines = list(lines)
    print("\n".join(lines))
    sys.exit(bool(lines))


if __name__ == "__main__":
    main()
