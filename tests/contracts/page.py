# SPDX-License-Identifier: Apache-2.0
"""Write doc/contracts.md with the tables of all contracts to standard output. The site
and the source archive have that page; in the tree the tables would be a second copy.
"""
import os

import contract

PAGE = os.path.join(os.path.dirname(os.path.abspath(__file__)),
                    "../../doc/contracts.md")
MARK = "<!-- tables -->\n"


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


def main():
    """See above."""
    with open(PAGE, encoding="utf-8") as file:
        lines = [file.read().partition(MARK)[0] + MARK.rstrip()]
    for data in contract.all_contracts():
        lines += section(data)
    print("\n".join(lines))


main()
