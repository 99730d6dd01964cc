# SPDX-License-Identifier: Apache-2.0
"""Which mutants there are, in which order they are drawn, and how each looks.
For tests/mutants, which says what they are.
"""
import collections
import difflib
import glob
import os
import random
import re

ROOMS = ("core", "frameworks", "dialects", "spank", "task", "helpers")
KINDS = ("compare", "constant", "call", "branch")
SLOTS = [(ROOMS[i % 6], KINDS[(i + i // 6) % 4]) for i in range(24)]
TURNED = {"<": ">=", ">": "<=", "<=": ">", ">=": "<", "==": "!=", "!=": "=="}
# A leak, and what the compiler needs
NOT_LEFT_OUT = re.compile(r"free|_clear$|_destroy$|^va_|^static_assert$"
                          r"|^(if|while|for|switch)$")

Mutant = collections.namedtuple("Mutant", "kind file function line old new")


def masked(text):
    """The text with blanks for comments and strings."""
    return re.sub(r'/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'',
                  lambda m: re.sub(r"[^\n]", " ", m[0]), text, flags=re.S)


def functions(lines):
    """(name, first line, last line) of each; lines are masked, from 0."""
    for first, line in enumerate(lines):
        if line == "{":
            head, i = "", first - 1
            while i >= 0 and lines[i] and not re.search(r"[;}]\s*$|^#",
                                                        lines[i]):
                head, i = lines[i] + " " + head, i - 1
            name = re.search(r"(\w+)\s*\(", re.sub(r"__\w+\(\(.*?\)\)", "",
                                                   head))
            if name:
                yield name[1], first, lines.index("}", first)


def changes(line, mask, before):
    """(kind, new line) of each mutant of this line; `before' is the line before
    it, masked."""
    for m in re.finditer(r"(?<= )(==|!=|<=|>=|<|>)(?= |$)", mask):
        yield "compare", line[:m.start()] + TURNED[m[1]] + line[m.end():]
    declares = re.search(r"\[\w*\](;| =)|\{0\}", mask)
    for m in re.finditer(r"(?<![\w.)\]])(-?)(0[0-7]+|\d+)(?![\w.])", mask):
        if not declares and not mask.startswith("#"):
            octal = len(m[2]) > 1 and m[2][0] == "0"
            new = int(m[1] + m[2], 8 if octal else 10) + 1
            yield "constant", (line[:m.start()] + (f"0{new:o}" if octal else
                                                   f"{new}") + line[m.end():])
    m = re.match(r"(\t+)(?:\(void\))?(\w+)\(.*\);$", mask)
    if m and mask.count("(") == mask.count(")") and \
            re.search(r"([;{}:)]|else|^)\s*$", before) and \
            not NOT_LEFT_OUT.search(m[2]):
        yield "call", m[1] + "(void)0;"
    m = re.match(r"(\t+(?:\} else )?if )(\(.*\))( \{)?$", mask)
    if m and mask.count("(") == mask.count(")"):
        yield "branch", (f"{m[1]}({line[m.start(2):m.end(2)]} || 1)"
                         f"{m[3] or ''}")


def pool(tree, room, kind, seed):
    """All mutants of that kind there, in the order of the draw."""
    found = []
    for path in sorted(glob.glob(f"{tree}/{room}/**/*.c", recursive=True)):
        text = open(path).read()
        lines, masks = text.split("\n"), masked(text).split("\n")
        for name, first, last in functions(masks):
            for i in range(first + 1, last):
                found += [Mutant(kind, os.path.relpath(path, tree), name,
                                 i + 1, lines[i], new)
                          for k, new in changes(lines[i], masks[i],
                                            masks[i - 1])
                          if k == kind]
    random.Random(f"{seed} {room} {kind}").shuffle(found)
    return found


def mutated(tree, mutant):
    """The file's text before and after; (None, None) where the line is gone."""
    try:
        text = open(os.path.join(tree, mutant.file)).read()
    except FileNotFoundError:
        return None, None
    lines = text.split("\n")
    for name, first, last in functions(masked(text).split("\n")):
        if name == mutant.function:
            at = [i for i in range(first, last) if lines[i] == mutant.old]
            if at:
                lines[min(at, key=lambda i: abs(i + 1 - mutant.line))] = \
                    mutant.new
                return text, "\n".join(lines)
    return None, None


def diff(tree, mutant):
    before, after = mutated(tree, mutant)
    return "\n".join(difflib.unified_diff(
        before.split("\n"), after.split("\n"), f"a/{mutant.file}",
        f"b/{mutant.file}  ({mutant.function}, {mutant.kind})", n=1,
        lineterm=""))


