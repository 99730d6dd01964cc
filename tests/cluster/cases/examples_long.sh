# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# contrib/examples with large environments, and those that take long beside other
# cases of the same framework, each as its first comment says.
# clusters: plain
# takes: 1
# long: each library trains in torch_users, each framework in the group of its name
# shellcheck disable=SC2034,SC2154 # shared with lib.sh
# shellcheck source-path=SCRIPTDIR source=../examples.sh
. "$here/examples.sh"

# What the processes of two tasks have saved, four tasks go on with: a second run
# from the same start would end with the same weights
test_fsdp() {
	local first

	venv torch
	example train_fsdp.py
	together 4
	first=$(sed -n 's/^rank 0 .* weights //p' "$d/out")
	dir=$d/clean try srun -N2 --ntasks-per-node=2 --dist-train=ddp "$venv" \
		train_fsdp.py
	together 4
	! grep -qF "weights $first" "$d/out" ||
		fail "the second run doesn't go on with the first one's weights"
}

test_accelerate() {
	venv torch_users
	example train_accelerate.py
	together 4
	learns
}

test_hf() {
	venv torch_users
	example train_hf.py
	together 4
	[ -d "$d/clean/train_hf.saved/checkpoint-30" ] || fail "no checkpoint"
}

test_lightning() {
	venv torch_users
	example train_lightning.py
	together 4
}

test_tf_ps() {
	venv tf
	example train_tf_ps.py
	[ "$rc" -eq 0 ] || fail "status $rc"
	says '^epoch 2: loss 0\.0'
	says '^chief on node1: 2 workers, 1 ps, w is on /job:ps/'
}

# No processor for the driver; Ray writes who of its workers says what
test_ray_train() {
	venv ray_train
	example train_ray.py
	together 4
}

# The trial that diverges isn't the best
test_ray_tune() {
	venv ray_train
	example tune_ray.py
	[ "$rc" -eq 0 ] || fail "status $rc"
	says '^4 trials on 2 nodes: lr 0\.4, loss 0\.0'
}

# What the real SkyPilot reads of its file, started as SkyPilot does that on each node
test_skypilot() {
	need_venv skypilot
	debian_torch
	examples_folder
	dir=$d/clean try env HOME="$d/clean" "$venv" \
		"$top/tests/clients/skypilot_run.py" skypilot.yaml
	[ "$rc" -eq 0 ] || fail "status $rc"
	says '^# nodes 2$'
	cp "$d/out" "$d/clean/run.sh"
	# shellcheck disable=SC2016 # of that shell
	dir=$d/clean try env PATH="$bin:/usr/bin:/bin" salloc -Q -N2 --gres=gpu:2 \
		srun --ntasks-per-node=1 bash -c '
		export SKYPILOT_NODE_RANK=$SLURM_PROCID SKYPILOT_NUM_NODES=2 \
			SKYPILOT_NUM_GPUS_PER_NODE=2
		exec bash run.sh'
	together 4
	learns
}
