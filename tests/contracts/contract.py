# SPDX-License-Identifier: Apache-2.0
"""Read a contract: what a launcher gives a process, and what we give.

A file NAME.contract has lines "@FIELD TEXT" (a field may occur again: its next
line; @all: what a bare step has counts too;
@with NAME...: the rows of NAME.contract count too, but needn't be there) and rows "NAME | THEIRS | OURS | VERDICT". NAME is a variable, or
"(arguments)" for those that a launcher adds; NAME* is all that begin so. After
a blank "[WORD]...": only in the runs with one of these words. THEIRS and OURS
are the values of the last process; "-" is none. A part in parentheses stands
for what differs from run to run; FORMS has its meaning. VERDICT:

    same                the values agree, in each process
    same: REASON        ... and that needs a word
    other: REASON       both have it, with other values
    not ours: REASON    theirs alone
    only ours: REASON   ours alone
"""
import fnmatch
import glob
import os
import re

FORMS = {
    "address": r"[A-Za-z0-9_.:-]+",
    "port": r"[0-9]{4,5}",
    "number": r"[0-9]+",
    "path": r"/[^:]*",
    "id": r"[A-Za-z0-9_.:@-]+",
    "interface": r"[a-z][a-z0-9]*",
    "any": r".*",
}
VERDICTS = ("same", "other", "not ours", "only ours")
NONE = "-"


class Row:
    """One variable."""

    def __init__(self, name, theirs, ours, verdict):
        self.name, _, words = name.partition(" ")
        self.runs = re.findall(r"[^\s\[\]]+", words)
        self.theirs, self.ours = theirs, ours
        self.verdict, _, self.reason = verdict.partition(": ")
        if self.verdict not in VERDICTS:
            raise ValueError(f"{name}: no verdict '{self.verdict}'")
        if self.verdict != "same" and not self.reason:
            raise ValueError(f"{name}: '{self.verdict}' without a reason")
        if (theirs == NONE) != (self.verdict == "only ours") or \
                (ours == NONE) != (self.verdict == "not ours"):
            raise ValueError(f"{name}: '{self.verdict}' with these values")

    def in_run(self, run):
        """Whether it counts in a run with this word."""
        return not self.runs or run in self.runs

    def is_for(self, name):
        """Whether it is the variable's row."""
        return fnmatch.fnmatchcase(name, self.name)


class Contract:
    """A file of rows."""

    def __init__(self, path):
        self.name = os.path.basename(path).removesuffix(".contract")
        self.fields, self.rows = {}, []
        self._read(path)
        self.shared = [row for name in self.field("with").split()
                       for row in Contract(os.path.join(
                           os.path.dirname(path), name + ".contract")).rows]

    def _read(self, path):
        with open(path, encoding="utf-8") as lines:
            for number, line in enumerate(lines, 1):
                try:
                    self._line(line.strip())
                except ValueError as error:
                    raise SystemExit(f"{path}:{number}: {error}") from None

    def _line(self, line):
        if not line or line.startswith("#"):
            return
        if line.startswith("@"):
            field, _, text = line[1:].partition(" ")
            self.fields.setdefault(field, []).append(text)
            return
        cells = [cell.strip() for cell in line.split(" | ")]
        if len(cells) != 4:
            raise ValueError(f"{len(cells)} cells, not 4")
        self.rows.append(Row(*cells))

    def field(self, name, default=""):
        """A field's lines as one text."""
        return " ".join(self.fields.get(name, [default]))


def all_contracts():
    """Those beside this file, in the order of their field @order."""
    found = [Contract(path) for path in glob.glob(
        os.path.join(os.path.dirname(os.path.abspath(__file__)),
                     "*.contract"))]
    return sorted(found, key=lambda c: (int(c.field("order", "99")), c.name))


def pattern(cell):
    """The regular expression of a cell's value."""
    if cell == "''":
        return ""
    return "".join(
        FORMS[part[1:-1]] if part[1:-1] in FORMS and part[0] == "(" else
        re.escape(part)
        for part in re.split(r"(\([a-z]+\))", cell) if part)


def has_form(cell):
    """Whether a part of it differs from run to run."""
    return any(f"({form})" in cell for form in FORMS)


def agrees(cell, value):
    """Whether a found value (None: none) is the cell's."""
    if cell == NONE or value is None:
        return cell == NONE and value is None
    return re.fullmatch(pattern(cell), value, re.DOTALL) is not None
