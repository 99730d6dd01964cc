# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# DeepSpeed itself, over Gloo, between the nodes, without its launcher.
# clusters: plain
# shellcheck disable=SC2034,SC2086,SC2154 # shared with lib.sh

limit=150

client() {
	need_venv deepspeed
	sum="$venv -W ignore $top/tests/clients/deepspeed_sum.py"
}

test_task_mode() {
	client
	try srun -N4 -n5 --dist-train=deepspeed $sum
	ranks_trained 5
	says '^trained rank=4 .* node=node4 cross=3/4$'
}

test_device_mode() {
	client
	try srun -N3 --gres=gpu:2 --dist-train=deepspeed $sum
	ranks_trained 6
	says '^trained rank=5 .* node=node3 cross=2/3$'
}

test_batch() {
	client
	batch -N2 -n3 --dist-train=deepspeed <<-END
	srun $sum
	END
	ranks_trained 3
}

test_failure() {
	client
	try srun -N2 -n3 --dist-train=deepspeed $sum 1 3
	[ "$rc" -ne 0 ] || fail "status 0 though rank 1 failed"
	says_not '^trained'
}
