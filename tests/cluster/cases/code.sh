# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# code=freeze: each round, replacement and life of a job runs the program's files as
# its first round had them, whatever has become of them since; code=live says when
# they have changed.
# clusters: preempt
# shellcheck disable=SC2016,SC2034,SC2154 # shared with lib.sh

tool=$prefix/bin/dist-train

# works COMMAND: in the work tree
works() {
	dir=$tree try "$@"
	[ "$rc" -eq 0 ] || fail "status $rc"
}

# as_alice COMMAND
as_alice() {
	dir=$tree at sh -ec "$1" > "$d/log" 2>&1 || fail "$1: $(cat "$d/log")"
}

# make_tree: a git work tree of alice's with tests/clients/frozen.py; its tag `later'
# has other files
make_tree() {
	need_program git
	mkdir -p "$d/home"
	chmod 777 "$d/home"
	tree=$d/home/tree
	dir=/tmp at mkdir -p "$tree"
	as_alice 'git init -q -b main .
		git config user.email a@b
		git config user.name a
		mkdir pkg data
		echo "VALUE = \"first\"" > helper.py
		cp helper.py pkg/part.py
		: > pkg/__init__.py
		cp '"$top"'/tests/clients/frozen.py train.py
		cp train.py pkg/__main__.py
		printf "/data/\nready.*\nout.txt\n__pycache__/\n" > .gitignore
		echo 42 > data/x
		git add -A
		git commit -qm first
		sed -i s/first/later/ train.py helper.py pkg/*.py
		git commit -qam later
		git tag later
		git checkout -q main~1
		git rev-parse HEAD'
	commit=$(tail -n 1 "$d/log")
}

with=() # the command before the program
edit="sed -i s/first/edited/ train.py helper.py pkg/*.py"
checkout="git checkout -qf later"
delete="rm -rf train.py helper.py pkg"

# runs_first N: N ranks in each attempt, all the first files, all of one hash
runs_first() {
	local attempt

	for attempt in $2; do
		[ "$(grep -Ec "^attempt $attempt rank [0-9]* runs first first first at /[^ ]*/code/[0-9a-f]{40}/files(/pkg)? from /[^ ]*/code/[0-9a-f]{40}/files/helper.py data=42 sha256:[0-9a-f]{64} $commit$" \
			"$d/out")" -eq "$1" ] ||
			fail "attempt $attempt: not $1 ranks with the first files"
	done
	[ "$(grep -o 'sha256:[0-9a-f]*' "$d/out" | sort -u | wc -l)" -eq 1 ] ||
		fail "not one hash"
	[ "$(sort -u "$tree/out.txt" | tr '\n' ' ')" = "$2 " ] ||
		fail "out.txt isn't in the working directory: $(cat "$tree/out.txt")"
}

# takes: 1
test_restart_in_place() {
	make_tree
	with=(env "CHANGES=$edit;$checkout;$delete" FAILS=9)
	works srun -N2 --dist-train=ddp,procs=2,restarts=3,grace=0,code=freeze \
		"${with[@]}" "$PYTHON" train.py
	runs_first 4 "0 1 2 3"
	try "$tool" why
	says "^ *code +the files of $tree as they were kept: sha256:[0-9a-f]{64}, commit $commit$"
}

# The program itself, with a launcher for each task; and a module: Python looks into
# the working directory for it
test_other_commands() {
	make_tree
	with=(env "CHANGES=$edit" FAILS=9)
	works srun -N1 -n2 --dist-train=ddp,restarts=1,grace=0,code=freeze \
		"${with[@]}" ./train.py
	runs_first 2 "0 1"
	as_alice 'git checkout -q . ; rm out.txt ready.*'
	works srun -N1 --dist-train=ddp,procs=2,restarts=1,grace=0,code=freeze \
		"${with[@]}" "$PYTHON" -m pkg
	runs_first 2 "0 1"
}

# The folder of the record is one that all nodes see: a spare that had to read the
# files itself could come after the first change. Memory that can't be read (SIGBUS) is
# a node's fault: each time a spare has the place of the first one
test_replacement() {
	make_tree
	mkdir -p "$d/state"
	chmod 777 "$d/state"
	with=(env "CHANGES=$edit;$checkout;$delete" FAILS=7)
	works srun -N4 --dist-train=ddp,procs=1,spares=3,grace=0,code=freeze,record="$d/state" \
		"${with[@]}" "$PYTHON" train.py
	runs_first 1 "0 1 2 3"
	[ "$(grep -c ', a spare, takes its place' "$d/err")" -eq 3 ] ||
		fail "not three replacements"
}

# limit: 120
test_requeue() {
	limit=120
	make_tree
	mkdir -p "$d/state"
	chmod 777 "$d/state"
	dir=$tree batch --requeue --open-mode=append -N2 <<-END
	cd $tree
	export CHANGES="$edit;$delete" FAILS=9
	srun --dist-train=ddp,procs=1,requeue=failure,grace=0,code=freeze,record=$d/state $PYTHON train.py
	END
	runs_first 2 "0 1 2"
	[ "$(grep -c "^dist-train: code=freeze: runs the files of $tree as this job has kept them, commit ${commit:0:12}$" \
		"$d/out")" -eq 2 ] || fail "later lives don't say whose files they run"
}

test_live() {
	make_tree
	with=(env "CHANGES=$edit" FAILS=9)
	works srun -N2 --dist-train=ddp,procs=1,restarts=1,grace=0 \
		"${with[@]}" "$PYTHON" train.py
	grep -q '^attempt 1 rank 1 runs edited edited edited ' "$d/out" ||
		fail "not the files that are there"
	grep -q '^dist-train: code=live: helper.py has changed since' "$d/err" ||
		grep -q '^dist-train: code=live: train.py has changed since' "$d/err" ||
		fail "nobody says that the files have changed"
}

# What a program writes beside its own file is told once; what git ignores is where
# it was
test_beside() {
	make_tree
	as_alice 'date +%s.%N > other.py' # a copy that no run before has made
	with=(env BESIDE=yes)
	for _ in 1 2; do
		works srun -N1 --dist-train=ddp,procs=1,code=freeze \
			"${with[@]}" "$PYTHON" train.py
		cat "$d/err" >> "$d/all"
	done
	[ "$(grep -c '^dist-train: code=freeze: the program writes beside its own file, .*/files/beside.txt;' \
		"$d/all")" -eq 1 ] || fail "not told once"
	[ -e "$tree/data/y" ] || fail "what is ignored isn't where it was"
	[ ! -e "$tree/beside.txt" ] || fail "it has written to the live folder"
}

# What can't be kept, in one line, and a folder that is too large
test_refusals() {
	make_tree
	works srun -N1 --dist-train=ddp,procs=1,code=freeze true
	grep -q '^dist-train: code=freeze: nothing is kept: true names no file of the program' \
		"$d/err" || fail "nobody says that nothing is kept"
	as_alice 'printf "exec '"$PYTHON"' train.py\n" > run.sh'
	works srun -N1 --dist-train=ddp,procs=1,code=freeze bash run.sh
	grep -q '^dist-train: code=freeze: run.sh is kept; a file that it names' \
		"$d/err" || fail "nobody says that train.py isn't kept"
	as_alice 'rm run.sh'
	works srun -N1 --dist-train=ddp,procs=1,code=freeze,explain=only \
		"${with[@]}" "$PYTHON" train.py
	says "^dist-train: code=freeze: keeps 6 files of the git work tree $tree, commit ${commit:0:12}$"
	as_alice 'truncate -s 120M big.bin'
	dir=$tree try srun -N1 --dist-train=ddp,procs=1,code=freeze \
		"${with[@]}" "$PYTHON" train.py
	[ "$rc" -ne 0 ] || fail "status 0"
	grep -q "^dist-train: code=freeze: $tree has 125.8 MB that git neither tracks nor ignores, more than 100 MB, the largest is big.bin (125.8 MB); write what isn't code into .gitignore" \
		"$d/err" || fail "the size isn't named"
}
