# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# dist-train stack, and why of a step that runs: the stacks of programs, by the real
# py-spy and eu-stack, while one rank is stuck. PyTorch is that of
# pytorch and loader_below_a_shell; the others have a stand-in.
# clusters: plain
# shellcheck disable=SC2016,SC2034,SC2154 # shared with lib.sh

limit=120
cli=$prefix/bin/dist-train
step=	# the folder of the step
job=	# its job

# tools NAME...: only these of the environment are in the steps' PATH
tools() {
	[ -n "${torch:-}" ] || need_plain_torch
	need_stacks "$@"
}

# stuck HOW RANK SRUN_ARGUMENT...: the step beside the case (tests/clients/stuck.py)
stuck() {
	local how=$1 rank=$2
	shift 2

	step=$d/step
	mkdir -m 777 "$step"
	(
		at env PATH="$stacks:/usr/bin:/bin" OMP_NUM_THREADS=1 \
			srun -J "${d##*/}" "$@" $torch \
			"$top/tests/clients/stuck.py" "$step" "$how" "$rank" \
			> "$step/out" 2> "$step/err"
		echo $? > "$step/status"
	) &
	echo $! >> "$d/pids"
}

# all_are_there N: N ranks have come to their place
all_are_there() {
	until_true 60 there "$1" || {
		cat "$step/err"
		fail "not $1 ranks in 60 s"
	}
	job=$(user=root at squeue -h -n "${d##*/}" -o %A)
	[ -n "$job" ] || fail "no job"
}

there() {
	[ "$(find "$step" -name 'at.*' | wc -l)" -eq "$1" ]
}

# until_says REGEX ARGUMENT...: dist-train stack shows it; ranks come to the
# collective a moment after their file is there
until_says() {
	until_true 40 stack_says "$@" || {
		cat "$d/out" "$d/err"
		fail "no line '$1'"
	}
}

stack_says() {
	at "$cli" stack "$job" "${@:2}" > "$d/out" 2> "$d/err" &&
		grep -Eq -- "$1" "$d/out"
}

step_ends_well() {
	touch "$step/go"
	until_true 60 test -s "$step/status" || fail "the step doesn't end"
	[ "$(< "$step/status")" -eq 0 ] || {
		cat "$step/err"
		fail "status $(< "$step/status")"
	}
	[ "$(grep -c '^trained ' "$step/out")" -eq "$1" ] ||
		fail "not $1 trained"
}

suspect="<- suspect: isn't in a collective, as others are"
waiting=': all_reduce distributed_c10d\.py:[0-9]+ < train stuck\.py:[0-9]+'

test_groups() {
	tools py-spy
	stuck sleep 2 -N2 --ntasks-per-node=1 --dist-train=ddp,procs=2
	all_are_there 4
	until_says "^3 ranks \(0-1,3\)$waiting\$"
	says "^1 rank \(2, node[12]\): (stuck|may_go) .*$suspect"
	says_not '^note'
	[ "$(wc -l < "$d/out")" -eq 2 ] || fail "not two lines"
	succeed "$cli" why "$job"
	says '^now  *4 ranks on 2 nodes answer'
	says '^where its ranks are:$'
	says "^  3 ranks \(0-1,3\)$waiting\$"
	says "^  1 rank \(2, node[12]\): (stuck|may_go) .*$suspect"
	succeed "$cli" why "$job" --json
	python3 "$top/tests/helpers/cli/json_page.py" "$top/doc/json.md" why \
		< "$d/out" || fail "doc/json.md says something else"
	says '"groups":\[\{"ranks":\[0,1,3\],"does":"collective"'
	succeed "$cli" stack "$job.0" --all
	says '^    rank 0, node[12], pid [0-9]+, python3.*, by py-spy:$'
	says '^        <module> .*/stuck\.py:[0-9]+$'
	user=bob refuse 'only its user and root may look into it' \
		"$cli" stack "$job"
	[ ! -s "$d/out" ] || fail "bob sees something"
	user=root succeed "$cli" stack "$job"
	says '^1 rank \(2, '
	step_ends_well 4
}

# As JSON; and where py-spy is gone: native frames, and what would help
# takes: 1
test_pytorch() {
	need_torch
	need_program eu-stack
	tools py-spy
	stuck sleep 1 -N2 --ntasks-per-node=1 --dist-train=ddp,procs=1
	all_are_there 2
	until_says "^1 rank \(0, node[12]\)$waiting"
	succeed "$cli" stack "$job" --json
	python3 -c '
import json, sys
s = json.load(open(sys.argv[1]))
assert s["schema"] == 1 and s["nodes"] == s["nodes_answered"] == 2
assert sorted(g["ranks"] for g in s["groups"]) == [[0], [1]]
bad = [g for g in s["groups"] if g["suspect"]]
assert len(bad) == 1 and bad[0]["ranks"] == [1] and bad[0]["why"]
assert {p["tool"] for p in s["processes"]} == {"py-spy"}
main = s["processes"][0]["threads"][0]
assert main["frames"][-1]["function"] == "<module>"
' "$d/out" || fail "the JSON isn't as it should be"
	python3 "$top/tests/helpers/cli/json_page.py" "$top/doc/json.md" stack \
		< "$d/out" || fail "doc/json.md says something else"
	rm "$stacks/py-spy"
	until_says '^1 rank \(0, node[12]\): .*libtorch'
	says "^note: .*no Python stack without py-spy; in the job's Python: pip install py-spy"
	step_ends_well 2
}

# takes: 0.5
test_task_mode() {
	tools py-spy
	stuck loop 1 -N2 --ntasks-per-node=1 --dist-train=ddp,supervise=yes
	all_are_there 2
	until_says "^1 rank \(0, node[12]\)$waiting"
	says "^1 rank \(1, node[12]\): (stuck|may_go|exists) .*$suspect"
	step_ends_well 2
}

# A shell is the rank's process; its data loader's worker is its child
# takes: 1
test_loader_below_a_shell() {
	need_torch
	tools py-spy
	printf '#!/bin/sh\n"$@"\nexit $?\n' > "$stacks/wrapped"
	chmod 755 "$stacks/wrapped"
	torch="$stacks/wrapped $torch"
	stuck loader 1 -N2 --ntasks-per-node=1 --dist-train=ddp,procs=1
	all_are_there 2
	until_says "^1 rank \(1, node[12]\): .* dataloader\.py:[0-9]+ < stuck stuck\.py:[0-9]+  $suspect"
	succeed "$cli" stack "$job" --all
	says '^    child of rank 1, node[12], pid [0-9]+, .*, by py-spy:$'
	says '^        Data\.__getitem__ .*/stuck\.py:[0-9]+$|^        __getitem__ .*/stuck\.py'
	step_ends_well 2
}

# rank_is_at RANK: "NODE PID" of the last output, JSON
rank_is_at() {
	python3 -c '
import json, sys
p = [p for p in json.load(open(sys.argv[1]))["processes"]
     if p["rank"] == int(sys.argv[2])]
print(p[0]["node"], p[0]["pid"])' "$d/out" "$1"
}

# It is named, and stays stopped while it is looked at
test_stopped() {
	local node pid

	tools py-spy
	stuck sleep 1 -N2 --ntasks-per-node=1 --dist-train=ddp,procs=1
	all_are_there 2
	until_says "^1 rank \(0, node[12]\)$waiting"
	succeed "$cli" stack "$job" --json
	read -r node pid < <(rank_is_at 0)
	node=$node user=root at kill -STOP "$pid"
	afterwards "node=$node user=root at kill -CONT $pid"
	for _ in 1 2; do
		until_says "^1 rank \(0, $node\): stopped$waiting  <- suspect: is stopped\$"
	done
	[ "$(node=$node user=root at sh -c \
		'cut -d" " -f3 "/proc/$0/stat"' "$pid")" = T ] ||
		fail "it isn't stopped any more"
	node=$node user=root at kill -CONT "$pid"
	step_ends_well 2
}

# Twenty looks, with --long two hundred. Nothing of it stays: processes, descriptors,
# files. A rank that computes is stopped for 50 ms at most; twice that here, where
# other cases want processors.
# takes: 0.5
test_many_times() {
	local before began at pid times=20

	[ -z "${LONG:-}" ] || { times=200; limit=400; }
	tools py-spy
	stuck loop 1 -N2 --ntasks-per-node=1 --dist-train=ddp,procs=1
	all_are_there 2
	until_says "^1 rank \(0, node[12]\)$waiting"
	succeed "$cli" stack "$job" --json
	read -r at pid < <(rank_is_at 1)
	before=$(left)
	began=$(stopped "$at" "$pid")
	try sh -c 'i=0
		while [ $i -lt "$2" ] && "$1" stack "$0" > /dev/null; do
			i=$((i + 1))
		done; echo "$i times"' "$job" "$cli" $times
	says "^$times times\$"
	awk -v ns=$((($(stopped "$at" "$pid") - began) / times)) 'BEGIN {
		printf "stopped for %.1f ms by each look\n", ns / 1e6
		exit ns / 1e6 > 100 }' > "$d/note" || fail "$(< "$d/note")"
	until_true 10 is_as_before || fail "before: $before; now: $(left)"
	step_ends_well 2
}

# stopped NODE PID: how long, in ns and from some time on, a process that always
# computes has neither run nor waited for a processor
stopped() {
	local now ran waited

	{
		read -r now
		read -r ran waited _
	} < <(root "$1" sh -c 'date +%s%N; cat "/proc/$0/schedstat"' "$2")
	echo $((now - ran - waited))
}

# Descriptors of the launcher, its children, its files
left() {
	local name

	for name in node1 node2; do
		node=$name user=root at sh -c '
			for p in $(pgrep -f "/dist-train-launc[h] "); do
				grep -qz "SLURM_JOB_ID=$0" \
					"/proc/$p/environ" || continue
				ls "/proc/$p/fd" | wc -l
				pgrep -c -P "$p"
			done; ls -A /tmp | wc -l' "$job"
	done | tr '\n' ' '
}

is_as_before() {
	[ "$(left)" = "$before" ]
}
