# SPDX-License-Identifier: Apache-2.0
"""Print host lists, one a line, the same ones each time: hostlists.py [N]."""
import random
import sys

FIXED = """
a
node1
node[1]
node[1-1]
node[01-10]
node[001-003,7],login
node[09-11]
node[9-11]
node[099-101]
node[1,3,5]
node[5,3,1]
node[1-3,2]
a,a
a,b,a
x[1-2]y
x[1-2][3-4]
x[1-2]-[3-4]
x[1-2],y[01-02],z
node[1-4,10-12,100]
rack[1-2]node[1-3]
r-[00-03]
a-b-c[1-2]
n0
n00
n[0-3]
n[000-002]
n[1-2]x[1-2],q
a.b.c[1-3]
a_b[7]
node[1-2],node[3-4],node5
""".split()


def ranges(r):
    parts = []
    for _ in range(r.randint(1, 4)):
        first = r.choice([0, 1, 5, 8, 9, 95, 99, 998]) + r.randint(0, 4)
        width = r.choice([0, 0, 2, 3, 4])
        parts.append(f"{first:0{width}d}")
        if r.random() < 0.6:
            parts[-1] += f"-{first + r.randint(0, 12):0{width}d}"
    return ",".join(parts)


def name(r):
    text = r.choice(["n", "node", "cn-", "gpu_", "r1n", "a.b", "x-y-"])
    if r.random() < 0.8:
        text += f"[{ranges(r)}]"
        if r.random() < 0.2:
            text += r.choice(["", "-", "c"]) + f"[{ranges(r)}]"
    else:
        text += str(r.randint(0, 120))
    return text


def main():
    r = random.Random(7)
    lists = FIXED[:]
    while len(lists) < int(sys.argv[1] if len(sys.argv) > 1 else 200):
        lists.append(",".join(name(r) for _ in range(r.randint(1, 4))))
    print("\n".join(lists))


main()
