# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# DeepSpeed itself, over Gloo, between the nodes, without its launcher.
# clusters: plain
# takes: 1
# shellcheck disable=SC2034,SC2086,SC2154 # shared with lib.sh

limit=150

client() {
	need_venv deepspeed
	sum="$venv -W ignore $top/tests/clients/deepspeed_sum.py"
}

# long: deepspeed.exception adds, too, before a rank fails
test_batch() {
	client
	batch -N2 -n2 --dist-train=deepspeed <<-END
	srun $sum
	END
	ranks_trained 2
	says '^trained rank=1 .* node=node2 cross=1/2 '
}

# long: the variables are in tests/frameworks/deepspeed/4-nodes-5-tasks, and
# DeepSpeed asks for no more in task mode
test_task_mode() {
	client
	try srun -N4 -n5 --dist-train=deepspeed $sum
	ranks_trained 5
	says '^trained rank=4 .* node=node4 cross=3/4 '
}

# long: the variables are in tests/frameworks/deepspeed/device-mode, and
# contracts.deepspeed compares them with those of its launcher;
# deepspeed.exception is in device mode, too
test_device_mode() {
	client
	try srun -N3 --gres=gpu:2 --dist-train=deepspeed $sum
	ranks_trained 6
	says '^trained rank=5 .* node=node3 cross=2/3 '
}

# Both ranks add; then one fails, and the other waits. What @record of torch leaves
# behind is in the report.
test_exception() {
	client
	try srun -N2 --dist-train=deepspeed,procs=1,grace=1 $sum 1
	[ "$rc" -eq 1 ] || fail "status $rc, not the exception's"
	ours | grep -A 1 'rank 1 (worker) on node2, .*: exit code 1 ' |
		grep -q 'ValueError: no more data' || fail "no exception: $(ours)"
	says '^added rank=0 node=node1 cross=0/2$'
	says '^added rank=1 node=node2 cross=1/2$'
	says_not '^trained'
}

# long: its own launcher, which starts the other node's processes by pdsh and
# ssh: rsh.pdsh asserts these. Slow: Python starts four times one after the other
test_own_launcher() {
	client
	command -v pdsh > /dev/null || skip "there is no pdsh"
	limit=300
	try srun -N2 --dist-train=deepspeed,run-on=first sh -c "
		PATH=\$PATH:${venv%/*} exec $venv -W ignore \
			-m deepspeed.launcher.runner \
			--hostfile \$DIST_TRAIN_HOSTFILE \
			--master_addr \$DIST_TRAIN_MASTER_ADDR \
			--master_port \$DIST_TRAIN_MASTER_PORT \
			$top/tests/clients/deepspeed_sum.py"
	sed -i 's/^node[12]: //' "$d/out"
	ranks_trained 2
	says '^trained rank=1 .* node=node2 '
}

# long: without a launcher Slurm ends the step, whatever runs in it, as in
# torch.failure
test_failure() {
	client
	try srun -N2 -n3 --dist-train=deepspeed $sum 1 3
	[ "$rc" -ne 0 ] || fail "status 0 though rank 1 failed"
	says_not '^trained'
}
