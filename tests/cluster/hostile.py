# SPDX-License-Identifier: Apache-2.0
"""Steps with random texts of the option, or with hostile variables.

hostile.py options|variables SEED COUNT WORD...: the words are the frameworks
and keys of the option, or names of variables. One line for each step that
doesn't end within the limit, or whose srun or sbatch dies of a signal; the last
line is the number of steps. The n-th step of a seed is always the same.
"""
import concurrent.futures
import os
import random
import subprocess
import sys

LIMIT_S = 100
AT_ONCE = 4
OPTION = "SLURM_SPANK__SLURM_SPANK_OPTION_dist_train_dist_train"
VALUES = (
    "auto task device yes no off own stock all one process first none any"
    " signal fail requeue mpi gloo tcp pmix 1.0 1.2 0 1 2 3 4 -1 007 2,3"
    " 18446744073709551616 1e3 eth0 nic:eth0 name ip out/ out/%r %j.%s %z"
    " node1 10.0.0.1 :: a+b torchrun ti-one volcano kubeflow modelarts"
).split()
JUNK = ("\x01", "\x1b[31m", "\x7f", "\udcff", "\udcc3(", "%n%s", "=", ",",
        ",,", "'", '"', "\\", "$(id)", ";", "../", "x" * 3000)
TEXTS = (
    "", "0", "1", "-1", "4294967296", "99999999999999999999", "x" * 100000,
    "1," * 40000, "n[" + "1," * 40000 + "1-900000]", "a[1-4000000000]",
    "a[1-999999][1-999999]", "[", "]", "a[", "a[1-", "8(x2)", "8(x1000000)",
    "1000000(x1000000)", "2(x", "9" * 5000, "%s%n%s%n", "\x1b[31m\x07",
    "\udcff\udcfe\udc80", "/dev/zero", "/etc/shadow", "/proc/self/mem", "/",
    "../" * 2000, "node[1-4]", "node1", "127.0.0.1", "0.0.0.0", "::1", "fe80::1",
    "MUNGE:AwQ:", "MUNGE:" + "A" * 50000 + ":", "3", "20", "0-65535", "65536",
    "21000-21999", "2:1.0", "2:1.0:1.0", "99:1.0", "ib=node[1-4]",
    "ib=n[" + "1," * 20000 + "1-900000]", "node1:0-7;node2:0-7",
    "node1:0-4000000000", ";" * 5000, "ddp", "ddp,procs=4", "none", "all",
    "libc.so.6", "a:b:c", "0,1,2,3", "," * 50000, "ABCDEF0123456789" * 4)
STEPS = ([], ["--dist-train=ddp"], ["--dist-train=ddp,procs=2,timeout=5"],
         ["--dist-train=horovod,controller=gloo,timeout=5"],
         ["--mpi=none", "--dist-train=mpi"])


def mutate(r, text):
    at = r.randrange(len(text) + 1)
    end = min(len(text), at + r.randrange(1, 6))
    return r.choice((
        text[:at] + r.choice(JUNK) + text[at:],
        text[:at] + text[end:],
        text[:end] + text[at:],
        text[:at] + chr(r.randrange(1, 127)) + text[at + 1:],
    ))


def option(r, words):
    frameworks, keys = words[:words.index("--")], words[words.index("--") + 1:]
    text = r.choice(frameworks)
    for key in r.sample(keys, r.randrange(4)):
        if key not in ("timeout", "grace", "log-dir", "timeline", "procs"):
            text += f",{key}={r.choice(VALUES)}"
    text += r.choice(("", ",procs=2", ",log-dir=out/", ",timeline=time.json"))
    text += ",timeout=5,grace=1"
    if r.randrange(3) == 0:
        text = mutate(r, text)
    return text.replace("\0", "")


def option_step(r, words):
    text, way = option(r, words), r.choice(("srun", "env", "sbatch", "script"))
    run = "srun --mpi=none true"
    if way == "srun":
        return text, ["srun", "-N2", "-n2", f"--dist-train={text}", "true"], {}
    if way == "env":
        return text, ["srun", "-N2", "-n2", "true"], {OPTION: text}
    batch = ["sbatch", "-W", "-N2", "-n2", "-o", "/dev/null"]
    if way == "sbatch":
        return text, batch + [f"--dist-train={text}", "--wrap", run], {}
    script = f"#!/bin/sh\n#SBATCH --dist-train={text}\n{run}\n"
    return text, batch, {None: os.fsencode(script)}


def variable_step(r, words):
    names = r.sample(words, r.randrange(1, 5))
    given = {name: r.choice(TEXTS) for name in names}
    text = " ".join(f"{name}={value[:30]!r}" for name, value in given.items())
    return text, ["srun", "-N2", "-n2", *r.choice(STEPS), "true"], given


def fault(code, err):
    if code is None:
        return f"no end within {LIMIT_S} s"
    if code < 0 or code in (134, 136, 139):
        return f"status {code}"
    for word in (b"Segmentation", b"corrupted", b"core dumped", b"Sanitizer"):
        if word in err:
            return word.decode()
    return None


def one(kind, seed, i, words):
    r = random.Random(f"{seed}.{i}")
    make = option_step if kind == "options" else variable_step
    text, command, given = make(r, words)
    stdin = given.pop(None, b"")
    command[0] = "/usr/bin/" + command[0]
    try:
        done = subprocess.run(command, input=stdin, capture_output=True,
                              env={**os.environ, **given}, timeout=LIMIT_S)
        code, err = done.returncode, done.stderr
    except subprocess.TimeoutExpired as e:
        code, err = None, e.stderr or b""
    what = fault(code, err)
    return what and f"{kind} {seed}.{i}: {what}: {command!a:.200} {text!a:.300}"


def main(kind, seed, count, words):
    with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
        said = pool.map(lambda i: one(kind, seed, i, words), range(count))
        for line in said:
            if line:
                print(line, flush=True)
    print("tried", count)


main(sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4:])
