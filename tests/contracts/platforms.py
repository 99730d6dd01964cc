# SPDX-License-Identifier: Apache-2.0
"""Compare contracts with what dist-train explain prints.

platforms.py DIST-TRAIN: for each contract with a field @explain, the words of
`dist-train explain`: a platform's or a key's. The platform itself can't be
started: its column is from its documents. With a field @replay, "[RUN] WORDS", it
is a launcher's, which tests/cluster/cases/contracts.sh compares where both are
started; here what we give is compared again, but for the names of its field
@later, which are only there on a cluster. A line for each difference.
"""
import json
import subprocess
import sys

import contract

# What explain prints of a value that no dry run can know
STARTS = "(when the step starts)"
LATER = {"(known on the node)", STARTS}


def last_process(program, words):
    """The variables of the last process, of those that are set."""
    text = subprocess.run([program, "explain", "--json", *words], check=True,
                          stdout=subprocess.PIPE, text=True).stdout
    step = json.loads(text)
    last = step["processes"][-1]
    both = {**step["common"]["env"], **last["env"]}
    found = {name: value for name, value in both.items() if value is not None}
    if last.get("arguments"):
        found["(arguments)"] = " ".join(last["arguments"])
    return found


def complaints(data, found):
    """What isn't as the rows say."""
    for row in data.rows:
        value = found.pop(row.name, None)
        later = value in LATER and contract.has_form(row.ours)
        if not later and not contract.agrees(row.ours, value):
            yield f"{data.name}: {row.name}: {value!r}, not '{row.ours}'"
        if row.verdict == "same" and row.theirs != row.ours:
            yield f"{data.name}: {row.name}: 'same' with other values"
    for name, value in found.items():
        if not any(row.is_for(name) for row in data.shared):
            yield f"{data.name}: {name}={value}: unexplained"


def replay(program, data):
    """What isn't as the rows of a launcher's contract say."""
    run, words = data.field("replay").split("] ")
    later = data.field("later").split()
    data.rows = [row for row in data.rows
                 if row.in_run(run[1:]) and row.name not in later]
    found = {name: value if value in LATER else value.replace(STARTS, "later")
             for name, value in last_process(program, words.split()).items()
             if name not in later}
    return list(complaints(data, found))


def main():
    """See above."""
    lines = []
    for data in contract.all_contracts():
        if "explain" in data.fields:
            lines += complaints(data, last_process(
                sys.argv[1], data.field("explain").split()))
        if "replay" in data.fields:
            lines += replay(sys.argv[1], data)
    print("\n".join(lines), end="\n" if lines else "")
    sys.exit(bool(lines))


if __name__ == "__main__":
    main()
