# SPDX-License-Identifier: Apache-2.0
"""Write doc/contracts.md from the contracts.

page.py [--check]: to standard output, or compare with what is there.
"""
import difflib
import os
import sys

import contract

PAGE = os.path.join(os.path.dirname(os.path.abspath(__file__)),
                    "../../doc/contracts.md")
HEAD = """\
<!-- Written by tests/contracts/page.py; change tests/contracts/*.contract -->
# Contracts

A program that was written for a framework's own launcher, or for a platform,
reads the variables that this launcher or platform sets. These tables have all
of them: what the launcher gives, what a process gets here, and the reason
where the two differ. Of several processes, the values are those of the last
one.

The tables of launchers are checked by tests (`tests/cluster/cases/contracts.sh`):
the launcher and this plugin start the same small program on the same two nodes,
and its processes write down their whole environment. A variable that isn't in
the table, or that the launcher doesn't set any more, fails the test. What a
process of a bare `srun` has doesn't count. The tables of platforms follow the
platforms' documents and sources, and are compared with `dist-train explain`.

In parentheses stands what differs from run to run, such as `(port)`; `-` is a
variable that isn't set.
"""


def code(cell):
    """A value, in a table."""
    return contract.NONE if cell == contract.NONE else \
        "`" + cell.replace("|", "\\|") + "`"


def row_lines(data):
    """The rows of one table; what is like in the runs needs no word on them."""
    for row in data.rows:
        name = f"`{row.name}`" if row.name[0] != "(" else row.name[1:-1]
        if row.runs:
            name += f" ({', '.join(row.runs)})"
        reason = row.reason or "the same"
        yield f"| {name} | {code(row.theirs)} | {code(row.ours)} | {reason} |"


def section(data):
    """One contract."""
    yield f"\n## {data.field('title', data.name)}\n"
    for field, label in (("theirs", "Theirs"), ("ours", "Here"),
                         ("tested", "Tested with"), ("source", "Source")):
        if field in data.fields:
            yield f"- {label}: {data.field(field)}"
    if "text" in data.fields:
        yield ""
        yield from data.fields["text"]
    yield f"\n| name | {data.field('who', 'launcher')} | here | why |"
    yield "| --- | --- | --- | --- |"
    yield from row_lines(data)


def page():
    """The whole text."""
    lines = [HEAD.rstrip("\n")]
    for data in contract.all_contracts():
        lines += section(data)
    return "\n".join(lines) + "\n"


def main():
    """See above."""
    text = page()
    if "--check" not in sys.argv:
        print(text, end="")
        return
    with open(PAGE, encoding="utf-8") as file:
        found = file.read()
    difference = "\n".join(difflib.unified_diff(
        found.splitlines(), text.splitlines(), "doc/contracts.md",
        "tests/contracts/*.contract", lineterm=""))
    if difference:
        raise SystemExit(f"{difference}\ndoc/contracts.md isn't up to date: "
                         "tests/contracts/page.py > doc/contracts.md")


if __name__ == "__main__":
    main()
