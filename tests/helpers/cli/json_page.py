# SPDX-License-Identifier: Apache-2.0
"""Compare the JSON of a command with what doc/json.md says of it.

json_page.py PAGE COMMAND: reads the output from standard input. A line for
each member that the page doesn't have or has with another type, and for each
that the page has and the output lacks (but for types that end in "?").
"""
import json
import re
import sys

TYPES = {dict: "object", list: "list", str: "text", bool: "yes or no",
         int: "number", float: "number", type(None): "null"}
ROW = re.compile(r"^\| `([^`]+)` \| ([^|]+) \|")


def rows(page, command):
    """Path -> type, from the table below the command's heading."""
    found, on = {}, False
    with open(page, encoding="utf-8") as file:
        for line in file:
            if line.startswith("#"):
                on = line.strip("# \n") == f"`{command}`"
            row = ROW.match(line) if on else None
            if row:
                found[row.group(1)] = row.group(2).strip()
    return found


def walk(value, path):
    """Each member below `value` with its path; NAME stands for any name where
    the page has it."""
    if isinstance(value, dict):
        for name, member in value.items():
            below = f"{path}.{name}" if path else name
            yield below, member
            yield from walk(member, below)
    elif isinstance(value, list):
        for member in value:
            if not isinstance(member, (dict, list)):
                yield path + "[]", member
            yield from walk(member, path + "[]")


def any_name(path, page):
    """The path, or the page's row with NAME in place of its last part."""
    alias = path.rpartition(".")[0] + ".NAME"
    return alias if path not in page and alias in page else path


def complaints(page, output):
    """What isn't as the page says."""
    seen = set()
    for path, value in walk(output, ""):
        path = any_name(path, page)
        kind = TYPES[type(value)]
        said = page.get(path)
        if path not in seen and said is None:
            yield f"{path}: not on the page"
        elif said and kind not in re.split(r", |\?", said):
            yield f"{path}: {kind}, not {said}"
        seen.add(path)
    for path, said in page.items():
        if path not in seen and not said.endswith("?"):
            yield f"{path}: on the page, but not in the output"


def main():
    """See above."""
    text = sys.stdin.read()
    output = json.loads(text)
    page = rows(sys.argv[1], sys.argv[2])
    lines = [] if page else [f"{sys.argv[2]}: no table on the page"]
    lines += complaints(page, output)
    if ": " in re.sub(r'"(\\.|[^"\\])*"', '""', text):
        lines.append("not compact")
    print("\n".join(lines), end="\n" if lines else "")
    sys.exit(bool(lines))


if __name__ == "__main__":
    main()
