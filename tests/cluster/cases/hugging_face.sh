# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# Accelerate and Hugging Face's Trainer, as PyPI has them for Debian's PyTorch, by
# nothing but --dist-train=ddp. The newest ones are in torch_users and examples_long.
# clusters: plain
# takes: 1
# long: four imports of PyTorch and more for each; that a rank is named is shown by
# supervision, what they read is asserted by tests/frameworks/ddp/*
# shellcheck disable=SC2034,SC2154 # shared with lib.sh
# shellcheck source-path=SCRIPTDIR source=../examples.sh
. "$here/examples.sh"

test_accelerate() {
	venv hugging_face
	example train_accelerate.py
	together 4
	learns
}

test_trainer() {
	venv hugging_face
	example train_hf.py
	together 4
	[ -d "$d/clean/train_hf.saved/checkpoint-30" ] || fail "no checkpoint"
}

# fails_in LIBRARY: one rank raises an exception while the others wait for it
fails_in() {
	try srun -N2 --gres=gpu:2 --dist-train=ddp,grace=2 \
		env HF_HOME="$d" "$venv" "$top/tests/clients/hugging_face.py" "$1" 2
	[ "$rc" -eq 1 ] || fail "$1: status $rc"
	one_of_ours '^dist-train: rank 2 \(worker\) on node2, .*: exit code 1 .*\(first failure\)'
	grep -q "^ArithmeticError: of rank 2$" "$d/err" ||
		fail "$1: no exception"
}

test_failing_rank() {
	need_venv hugging_face
	fails_in accelerate
	fails_in trainer
}
