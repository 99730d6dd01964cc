# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# PaddlePaddle itself, over Gloo, between the nodes, without its launcher.
# clusters: plain
# takes: 1
# shellcheck disable=SC2034,SC2086,SC2154 # shared with lib.sh

limit=150

client() {
	need_venv paddle
	sum="$venv -W ignore $top/tests/clients/paddle_sum.py"
}

# long: paddle.failure adds, too, before a rank fails
test_batch() {
	client
	batch -N2 -n3 --dist-train=paddle <<-END
	srun $sum
	END
	ranks_trained 3
	says '^trained rank=2 .* node=node2 at=[0-9.]*:21[0-9]*$'
}

# Three ranks on unequal nodes add, at a port of Slurm's; then one fails, and one line
# names it
test_failure() {
	client
	try srun -N2 -n3 --dist-train=paddle,supervise=yes,grace=1 $sum 2 3
	[ "$rc" -eq 3 ] || fail "status $rc, not the rank's"
	[ "$(grep -c '^added rank=[0-2] world=3 ' "$d/out")" -eq 3 ] ||
		fail "not three ranks have added"
	says '^added rank=2 .* node=node2 at=[0-9.]*:21[0-9]*$'
	one_of_ours '^dist-train: rank 2 \(worker\) on node2, .*: exit code 3 .*\(first failure\)'
	says_not '^trained'
}

# long: the variables are in tests/frameworks/paddle/4-nodes-5-tasks, and
# paddle.failure is in task mode, too
test_task_mode() {
	client
	try srun -N4 -n5 --dist-train=paddle $sum
	ranks_trained 5
	says '^trained rank=4 .* node=node4 at=[0-9.]*:21[0-9]*$'
}

# long: the variables are in tests/frameworks/paddle/device-mode, and
# contracts.paddle compares them with those of its launcher
test_device_mode() {
	client
	try srun -N3 --dist-train=paddle,procs=2 $sum
	ranks_trained 6
}
