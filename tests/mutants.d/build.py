# SPDX-License-Identifier: Apache-2.0
"""A build with marks of which test reaches what, and runs of mutants in layers
over it. For tests/mutants, which says what they are.
"""
import glob
import itertools
import json
import os
import re
import shutil
import signal
import subprocess
import sys

import draw

HERE = os.path.dirname(os.path.realpath(__file__))


class Build:
    def __init__(self, name, source, work, under):
        self.source, self.under = source, under
        self.top = os.path.join(work, name)
        self.layer = self.top + ".layer"
        self.clean = self.top + ".clean"  # a layer without a mutant
        self.now = self.installed = None
        os.makedirs(self.top, exist_ok=True)
        if not os.path.exists(self.top + "/built"):
            self.make()
        self.tests = self.baseline()

    def run(self, *command, layer=None, limit=1800):
        """In a layer over the build, or in the build; its status, or 124."""
        script = 'cd "$0/build" && exec "$@"'
        if layer:
            os.makedirs(layer + "/work", exist_ok=True)
            os.makedirs(layer + "/upper", exist_ok=True)
            script = (f'mount -t overlay overlay -o lowerdir="$0",upperdir='
                      f'{layer}/upper,workdir={layer}/work "$0" && {script}')
        with open(self.top + ".log", "ab") as log:
            p = subprocess.Popen(
                [*self.under, "unshare", "--mount", "--pid", "--fork",
                 "--kill-child", "--mount-proc", "--ipc", "sh", "-c",
                 script, self.top, *command], stdin=subprocess.DEVNULL,
                stdout=log, stderr=log, start_new_session=True)
            try:
                return p.wait(limit)
            except BaseException as e:
                os.killpg(p.pid, signal.SIGKILL)
                p.wait()
                if isinstance(e, subprocess.TimeoutExpired):
                    return 124
                raise

    def make(self):
        shutil.copytree(self.source, self.top + "/src", symlinks=True,
                        ignore=shutil.ignore_patterns(".git"),
                        dirs_exist_ok=True)
        for name in ("build", "prefix", "reach"):
            os.makedirs(f"{self.top}/{name}", exist_ok=True)
        os.chmod(self.top + "/reach", 0o777)
        script = f"""set -e
            gcc -D_GNU_SOURCE -O2 -fPIC -DREACH_DIR='"{self.top}/reach"' \\
                -c -o ../reach.o {HERE}/reach.c
            [ -e ../src/configure ] || ../src/autogen.sh
            ../src/configure --prefix={self.top}/prefix \\
                --with-plugindir={self.top}/prefix/lib/slurm \\
                CFLAGS='-O1 -w -finstrument-functions -falign-functions=16' \\
                LDFLAGS='-Wl,--build-id=sha1 -Wl,{self.top}/reach.o'
            make -j2
            make -j2 check TESTS=
            touch ../built"""
        if self.run("sh", "-c", script, limit=7200):
            sys.exit(f"mutants: no build of {self.source}: {self.top}.log")

    def variable(self, name):
        return subprocess.run(
            ["make", "-s", "-f", "-", "show"], text=True, check=True,
            cwd=self.top + "/build", stdout=subprocess.PIPE,
            input=f"include Makefile\nshow:\n\t@echo $({name})\n"
        ).stdout.split()

    def baseline(self):
        """{test: {ok, seconds, functions}}, from a run of each alone."""
        kept = self.top + "/units.json"
        if not os.path.exists(kept):
            with open(self.top + "/one", "w") as f:
                f.write(f"""#!/bin/bash
                    name=${{!#}} start=$EPOCHREALTIME
                    name=${{name#*tests/}} reach={self.top}/reach
                    mkdir -p -m 777 "$reach/unit" "$reach/unit/${{name//\\//+}}"
                    ln -sfn "$reach/unit/${{name//\\//+}}" "$reach/current"
                    timeout -k 5 300 "$@"
                    status=$?
                    rm "$reach/current"
                    echo "tests/$name $status $start $EPOCHREALTIME" \\
                        >> {self.top}/times
                    exit $status""".replace("\n" + " " * 20, "\n"))
            os.chmod(self.top + "/one", 0o755)
            self.run("make", "-k", "check", f"LOG_COMPILER={self.top}/one",
                     limit=7200)
            found = {}
            names = self.names()
            for line in open(self.top + "/times"):
                test, status, start, end = line.split()
                folder = f"{self.top}/reach/unit/{test[6:].replace('/', '+')}"
                found[test] = {"ok": status == "0",
                               "seconds": round(float(end) - float(start), 1),
                               "functions": reached(folder, names)}
            with open(kept, "w") as f:
                json.dump(found, f)
        return json.load(open(kept))

    def names(self):
        """{build ID: {address / 16: function}} of programs and plugin."""
        found = {}
        for path in (os.path.join(folder, name) for folder, _, files
                     in os.walk(self.top + "/build") for name in files):
            if not os.access(path, os.X_OK) or \
                    open(path, "rb").read(4) != b"\x7fELF":
                continue
            note = subprocess.run(["readelf", "-n", path], text=True,
                                  stdout=subprocess.PIPE).stdout
            build_id = re.search(r"Build ID: (\w+)", note)
            if build_id:
                symbols = subprocess.run(["nm", path], text=True,
                                         stdout=subprocess.PIPE).stdout
                base = re.search(r"(\w+) . __ehdr_start", symbols)
                found[build_id[1]] = {
                    (int(at, 16) - int(base[1], 16)) // 16: name.split(".")[0]
                    for at, name in re.findall(r"(\w+) [tT] (\S+)", symbols)}
        return found

    def mutate(self, mutant):
        """False where it doesn't compile, or makes no difference."""
        if mutant and mutant == self.now:
            return True
        shutil.rmtree(self.layer, ignore_errors=True)
        self.now = None
        _, text = draw.mutated(self.top + "/src", mutant)
        if text is None:
            return False
        path = f"{self.layer}/upper/src/{mutant.file}"
        os.makedirs(os.path.dirname(path))
        with open(path, "w") as f:
            f.write(text)
        build = self.top + "/build/"
        stem = os.path.splitext(mutant.file)[0]
        objects = [o for pattern in ("/%s.o", "/*-%s.o")
                   for o in glob.glob(build + os.path.dirname(stem) +
                                      pattern % os.path.basename(stem))]
        objects = [o[len(build):] for o in objects]
        if self.run("make", "-k", *objects, layer=self.layer):
            return False
        for o in objects:
            new = f"{self.layer}/upper/build/{o}"
            if os.path.exists(new) and \
                    open(new, "rb").read() != open(build + o, "rb").read():
                self.now = mutant
                return True
        return False

    def failing(self, tests, limit, layer=None):
        """Those that fail, of these unit tests."""
        layer = layer or self.layer
        if any(os.path.exists(f"{self.source}/{t}") for t in tests):
            self.run("make", "-j2", "-k", "all-am", *(
                set(self.variable("check_PROGRAMS")) - set(self.tests)),
                layer=layer)
        self.run("bash", "-c", 'rm -f "$@" "${@/%.log/.trs}" && '
                 f'exec make -k -j2 LOG_COMPILER="timeout -k 5 {limit}" "$@"',
                 "make", *(t + ".log" for t in tests), layer=layer,
                 limit=limit * len(tests) + 600)
        failed = []
        for t in tests:
            try:
                said = open(f"{layer}/upper/build/{t}.trs").read()
            except FileNotFoundError:
                said = ""
            if ":global-test-result: PASS" not in said:
                failed.append(t)
        return failed

    def units(self, mutant):
        """(killed or missed, by which or how many)"""
        room = "tests/" + os.path.dirname(mutant.file)

        def reads(t):  # the source; it runs no C of ours
            return os.path.dirname(t) == "tests" and \
                not self.tests[t]["functions"]

        def tier(t):
            return (reads(t), os.path.dirname(t) != room,
                    t.split("/")[1] != room.split("/")[1])

        tests = sorted((t for t, known in self.tests.items() if known["ok"] and
                        (mutant.function in known["functions"] or reads(t))),
                       key=lambda t: (tier(t), self.tests[t]["seconds"]))
        for _, same in itertools.groupby(tests, tier):
            same = list(same)
            for at in range(0, len(same), 8):
                killer = self.killer(same[at:at + 8])
                if killer:
                    return "killed", killer
        reach = sum(mutant.function in self.tests[t]["functions"]
                    for t in tests)
        return "missed", f"{len(tests)} tests, {reach} reach it"

    def killer(self, tests):
        limit = int(30 + 5 * max(self.tests[t]["seconds"] for t in tests))
        for t in self.failing(tests, limit):
            if self.failing([t], limit) and \
                    not self.failing([t], limit, self.clean):
                return t
        return None

    # --- cluster cases --------------------------------------------------------

    def cases(self, mutant):
        """(killed or missed, by which or how many)"""
        known = self.cluster_reach()
        cases = sorted((c for c in known if known[c]["ok"] and
                        mutant.function in known[c]["functions"]),
                       key=lambda c: known[c]["seconds"])[:30]
        try:
            for case in cases:
                if self.case_fails(mutant, case) and \
                        self.case_fails(mutant, case) and \
                        not self.case_fails(None, case):
                    return "killed", case
        finally:
            self.install(None)
        return "missed", f"{len(cases)} cases"

    def install(self, mutant):
        """Of the mutant, or as it was, in the folder that clusters use."""
        if not os.path.exists(self.top + "/installed"):
            script = "make install && make wheel && " \
                "cp *-linux.tar.gz *.whl ../prefix && " \
                "cp -a ../prefix ../prefix.kept && touch ../installed"
            if self.run("sh", "-c", script):
                sys.exit(f"mutants: can't install: {self.top}.log")
        new = self.top + "/prefix.kept"
        if mutant:
            self.mutate(mutant)
            self.run("sh", "-c", "make -j2 && make install && "
                     "make wheel && "
                     "cp *-linux.tar.gz *.whl ../prefix",
                     layer=self.layer)
            new = self.layer + "/upper/prefix"
        subprocess.run(["cp", "-a", "--remove-destination", new + "/.",
                        self.top + "/prefix"], check=True)
        self.installed = mutant

    def case_fails(self, mutant, case):
        if self.installed != mutant:
            self.install(mutant)
        return self.cluster_run([case])[case]["ok"] is False

    def cluster_run(self, cases, **env):
        """{case: {ok (None: skipped), seconds}}"""
        script = self.top + "/src/tests/cluster/run"
        said = subprocess.run(
            [*self.under, script, "--reuse", self.top + "/prefix", *cases],
            text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            env={**os.environ, **env}).stdout
        found = {c: {"ok": None, "seconds": 0} for c in cases}
        for no, case, s in re.findall(r"^(not )?ok (\S+?\.\S+@\w+)"
                                      r"(?: \(([0-9.]+) s)?", said, re.M):
            found[case] = {"ok": not no, "seconds": float(s or 0)}
        return found

    def cluster_reach(self):
        """As baseline(), of the cluster suite. A line of its script, in the
        copy, gives each case a folder of its own."""
        kept = self.top + "/cases.json"
        if not os.path.exists(kept):
            self.install(None)
            path = self.top + "/src/tests/cluster/run"
            text = open(path).read()
            if "reach" not in text:
                text = text.replace(
                    '\tchmod 777 "$d"\n', '\tchmod 777 "$d"\n'
                    f'\tmkdir -p -m 777 {self.top}/reach/case "{self.top}/'
                    'reach/case/$1"\n\tln -sfn '
                    f'"{self.top}/reach/case/$1" "$(on_cluster status | '
                    "sed -n '1s/.*, //p')/etc/reach\"\n", 1)
                with open(path, "w") as f:
                    f.write(text)
            found = self.cluster_run([])
            names = self.names()
            for case in found:
                found[case]["functions"] = reached(
                    f"{self.top}/reach/case/{case}", names)
            with open(kept, "w") as f:
                json.dump(found, f)
        return json.load(open(kept))


def reached(folder, names):
    found = set()
    for path in glob.glob(folder + "/*"):
        known = names.get(os.path.basename(path), {})
        found |= {known[i] for i, byte in enumerate(open(path, "rb").read())
                  if byte and i in known}
    return sorted(found)
