# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# Programs on top of the newest PyTorch, as their users start them, in task mode
# and in device mode: nothing but --dist-train=ddp, and the same result on all
# four ranks. The clients check the result.
# clusters: plain
# takes: 1
# long: their environments are large; what they read is asserted by
# tests/frameworks/ddp/* and, for Lightning, contracts.tasks_per_node
# shellcheck disable=SC2016,SC2034,SC2154 # shared with lib.sh
# shellcheck source-path=SCRIPTDIR source=../examples.sh
. "$here/examples.sh"

limit=240
clients=$top/tests/clients
as_tasks="-N2 --ntasks-per-node=2 --dist-train=ddp"
per_device="-N2 --gres=gpu:2 --dist-train=ddp"

# trains_in_both PROGRAM...: $venv's, with nothing more than the option
# shellcheck disable=SC2086 # the two are words
trains_in_both() {
	try srun $as_tasks "$venv" "$@"
	all_four
	try srun $per_device "$venv" "$@"
	all_four
}

# All four ranks, and nothing to say from us
all_four() {
	ranks_trained 4
	[ -z "$(ours)" ] || fail "unexpected: $(ours)"
}

# Its own idea of Slurm wins (SLURMEnvironment), and has our numbers
test_lightning_trainer() {
	need_venv torch_users
	trains_in_both "$clients/lightning_trainer.py" 2 2
	[ "$(grep -c '^trained .* cluster=SLURMEnvironment$' "$d/out")" -eq 4 ] ||
		fail "Lightning hasn't taken SLURMEnvironment"
}

# -n alone: Slurm sets no SLURM_NTASKS_PER_NODE then, which Lightning demands.
# Whole nodes: else three tasks may be on the first one.
test_lightning_without_tasks_per_node() {
	need_venv torch_users
	try srun -N2 -n4 --exclusive --dist-train=ddp "$venv" \
		"$clients/lightning_trainer.py" 2 2
	all_four
}

# The view of a step that our package gives Lightning, in a job whose name hides it
# from Lightning's own; numbers that aren't the step's are refused with those that are
test_lightning_environment() {
	need_venv torch_users
	try srun -J interactive $per_device env PYTHONPATH="$top/python" "$venv" \
		"$clients/lightning_trainer.py" 2 2 ours
	all_four
	[ "$(grep -c '^trained .* cluster=DistTrainEnvironment$' "$d/out")" -eq 4 ] ||
		fail "Lightning hasn't taken it"
	try srun $per_device env PYTHONPATH="$top/python" "$venv" \
		"$clients/lightning_trainer.py" 2 1 ours
	[ "$rc" -ne 0 ] || fail "status 0 with num_nodes=1"
	grep -q 'write devices=2, num_nodes=2' "$d/err" || fail "not refused"
}

# Uneven nodes, it can't do: its own words, not a hang
test_lightning_uneven() {
	need_venv torch_users
	try srun -N2 -n3 --dist-train=ddp "$venv" \
		"$clients/lightning_trainer.py" 2 2
	[ "$rc" -ne 0 ] || fail "status 0 on uneven nodes"
	grep -q 'You set `--ntasks=3` in your SLURM' "$d/err" ||
		fail "Lightning hasn't refused it"
}

test_lightning_fabric() {
	need_venv torch_users
	trains_in_both "$clients/lightning_fabric.py" 2 2
}

# example_as_tasks FILE: it runs in device mode in the cases examples_long
# shellcheck disable=SC2086
example_as_tasks() {
	dir=$d try srun $as_tasks "$venv" "$top/contrib/examples/$1"
	together 4
	[ -z "$(ours)" ] || fail "unexpected: $(ours)"
}

test_accelerate() {
	need_venv torch_users
	example_as_tasks train_accelerate.py
}

test_transformers_trainer() {
	need_venv torch_users
	example_as_tasks train_hf.py
}

# Megatron's groups: neighbours in rank share a tensor, on one node
test_megatron() {
	need_venv torch_launchers
	trains_in_both "$clients/megatron_groups.py" 2 2
	[ "$(grep -cE '^trained .* tensor=([01]) pipeline=[01] local=\1$' \
		"$d/out")" -eq 4 ] || fail "the tensors aren't split inside nodes"
}

# submitit asks for tasks and waits for a result of each
test_submitit() {
	local how

	need_torch
	need_venv submitit
	for how in sbatch srun; do
		try env USE_LIBUV=0 "$venv" "$clients/submitit_train.py" \
			"$d/jobs" 2 $how
		[ "$rc" -eq 0 ] || fail "status $rc"
		[ "$(grep -c '^rank [0-3] has the sum 10$' "$d/out")" -eq 4 ] ||
			fail "not four results"
	done
}

# Hydra by its own launcher: nothing of ours but sbatch's option
test_hydra() {
	need_venv hydra
	try env HOME="$d" "$venv" "$clients/hydra_train.py" --multirun \
		hydra/launcher=submitit_slurm hydra.launcher.nodes=2 \
		hydra.launcher.tasks_per_node=2 "hydra.sweep.dir=$d/sweep" \
		+hydra.launcher.additional_parameters.dist-train=ddp +lr=1
	[ "$rc" -eq 0 ] || fail "status $rc"
	[ "$(cat "$d"/sweep/.submitit/*/*.out |
		grep -c '^lr 1: rank [0-3] of 4$')" -eq 4 ] || fail "not four ranks"
}
