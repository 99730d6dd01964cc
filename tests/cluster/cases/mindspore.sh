# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# MindSpore itself, on CPUs, between the nodes, with its scheduler.
# clusters: plain
# takes: 1
# shellcheck disable=SC2016,SC2034,SC2086,SC2154 # shared with lib.sh

limit=180

client() {
	need_venv mindspore
	sum="env GLOG_v=3 $venv -W ignore $top/tests/clients/mindspore_sum.py"
}

# Each rank is the one that the step says. When all have added one fails, and it is
# named.
test_workers() {
	client
	try env FAIL=1 srun -N2 -n3 -m cyclic --dist-train=mindspore,grace=2 $sum
	[ "$rc" -eq 7 ] || fail "status $rc"
	[ "$(grep -c '^trained rank=[0-2] world=3 ' "$d/out")" -eq 3 ] ||
		fail "not three ranks have trained"
	says '^trained rank=1 .* node=node2$'
	says '^trained rank=2 .* node=node1$'
	one_of_ours '^dist-train: rank 1 \(worker\) on node2, .*: exit code 7 '
}

# long: the variables are in tests/frameworks/mindspore/device-mode, and
# contracts.msrun compares them with those of msrun
test_device_mode() {
	client
	batch -w node2,node4 --ntasks-per-node=1 --gres=gpu:2 \
		--dist-train=mindspore <<-END
	srun $sum
	END
	ranks_trained 4
	says '^trained rank=2 .* node=node4$'
}

# long: that two steps have two ports is asserted by ports.reserved_for_launchers,
# and that a scheduler is the step's own by mindspore.scheduler_fails
test_two_at_once() {
	client
	two_at_once mindspore "$sum" '^trained rank=. world=2 '
}

# A program that isn't MindSpore's opens no port
# takes: 0.25
test_no_scheduler() {
	try srun -w node[1-2] -N2 --dist-train=mindspore,timeout=3 sleep 100
	[ "$rc" -eq 1 ] || fail "status $rc"
	within 40
	one_of_ours '^dist-train: service scheduler on node1 doesn.t answer at port [0-9]+ after 3 s'
}

# It is a process like all others, with a log of its name
# takes: 0.5
test_scheduler_fails() {
	try srun -N2 --dist-train=mindspore,log-dir="$d/l" sh -c \
		'[ $MS_ROLE != MS_SCHED ] || { echo no >&2; exit 9; }; sleep 100'
	[ "$rc" -eq 9 ] || fail "status $rc"
	one_of_ours '^dist-train: service scheduler on node1, pid [0-9]+: exit code 9 '
	grep -q '^no$' "$d/l/scheduler.err" || fail "no log: $(ls "$d/l")"
}
