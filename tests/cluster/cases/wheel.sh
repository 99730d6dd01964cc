# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# The wheel as alice installs it, who isn't root, where no node has the plugin. How
# it is made and installed otherwise: tests/wheel.
# clusters: exec
# shellcheck disable=SC2016,SC2154 # shared with lib.sh; of that shell

# in_env COMMAND...: in the environment, which all nodes see
in_env() {
	try env PATH="$d/env/bin:/usr/bin:/bin" "$@"
}

# From pip to the end of a first training: two commands, of less than a minute
trains() {
	local start ms

	make_env "$d/env"
	start=${EPOCHREALTIME/./}
	in_env pip install --no-index "$wheel"
	in_env srun -N2 --gpus-per-node=2 dist-train exec ddp,label=yes -- \
		"$ring" 0.5
	[ "$rc" -eq 0 ] &&
		[ "$(grep -c '^[0-3]: ring [0-3]/4 done$' "$d/out")" -eq 4 ] ||
		fail "not four ranks"
	ms=$(((${EPOCHREALTIME/./} - start) / 1000))
	echo "$ms ms from pip to the end" >> "$d/note"
	[ $ms -le $((60000 * slow)) ] || fail "$ms ms from pip to the end"
}

# What no file of its name is: the launcher, and the stand-in for ssh at both of its
# ends. That srun doesn't know our option.
# takes: 1
test_from_pip() {
	need_wheel
	need_ring
	trains
	in_env srun -N2 --gpus-per-node=2 dist-train exec ddp,grace=1 -- \
		sh -c '[ $RANK -ne 2 ] || exit 5; exec sleep 300'
	[ "$rc" -eq 5 ] || fail "status $rc"
	one_of_ours '^dist-train: rank 2 \(worker\) on node2, .*: exit code 5 '
	in_env srun -N2 dist-train exec \
		deepspeed,run-on=first,profile=infiniband -- sh -c \
		'echo "hca $NCCL_IB_HCA"; ssh node2 "hostname; exit 6"'
	[ "$rc" -eq 6 ] || fail "status $rc"
	says '^hca mlx5$'
	says '^node2$'
	in_env srun -N2 python3 -c 'import dist_train, shutil
print("from", dist_train.__file__, shutil.which("dist-train"))'
	[ "$(grep -c "^from $d/env/.* $d/env/bin/dist-train$" "$d/out")" -eq 2 ] ||
		fail "not from the environment"
}

# torchx_does WORD...: TorchX with our two wheels, and no other program of ours
torchx_does() {
	dir=$d try env HOME="$d" PATH="$d/t/bin:/usr/bin:/bin" \
		PYTHONPATH="$d/t" "${venv%/*}/torchx" "$@"
}

# torchx_ends STATE COMMAND: a role of two replicas is a step on two nodes, with two
# processes on each
torchx_ends() {
	torchx_does run -s dist_train -cfg framework=ddp,procs=2,grace=1 \
		utils.sh --num_replicas 2 sh -c "$2"
	[ "$rc" -eq 0 ] || fail "status $rc"
	job=$(grep -ao 'dist_train://torchx/[0-9]*' "$d/out" | head -n 1)
	until_true 60 job_ended "${job##*/}" || fail "no end: $job"
	torchx_does status "$job"
	says "$1"
}

# The real TorchX: its result and its failure, and its own schedulers are still there
# long: TorchX's environment is for this alone
# takes: 1
test_torchx() {
	local job

	need_wheel
	need_venv torchx
	at "$venv" -m pip install --no-index --no-deps --target "$d/t" \
		"$wheel" "${wheel%/*}"/torchx_dist_train-*.whl ||
		fail "can't be installed"
	torchx_ends SUCCEEDED 'echo "found $RANK of $WORLD_SIZE"'
	[ "$(sort -u "$d/slurm-${job##*/}-sh-0.out" | grep -c '^found [0-3] of 4$')" \
		-eq 4 ] || fail "not four ranks"
	torchx_ends FAILED '[ $RANK -ne 3 ] || exit 3; sleep 300'
	grep '^dist-train: rank 3 (worker) on .*: exit code 3 ' \
		"$d/slurm-${job##*/}-sh-0.err" || fail "the first failure isn't told"
	torchx_does runopts slurm
	says '^slurm:'
}

# submitit_does WORD...: submitit with our two wheels
submitit_does() {
	dir=$d try env HOME="$d" PATH="$d/t/bin:/usr/bin:/bin" USE_LIBUV=0 \
		PYTHONPATH="$d/t" "$venv" "$top/tests/clients/submitit_train.py" \
		"$d/jobs" 2 "$@"
}

# The real submitit: a result of each process, where Slurm has one task on each node;
# and the exception is that of the process that raised it, not of those that it ended
# long: submitit's environment is for this alone
# takes: 1
test_submitit() {
	need_wheel
	need_torch
	need_venv submitit
	at "$venv" -m pip install --no-index --no-deps --target "$d/t" \
		"$wheel" "${wheel%/*}"/submitit_dist_train-*.whl ||
		fail "can't be installed"
	submitit_does ours
	[ "$rc" -eq 0 ] || fail "status $rc"
	[ "$(grep -c '^rank [0-3] has the sum 10$' "$d/out")" -eq 4 ] ||
		fail "not four results"
	grep -q '^#SBATCH --ntasks-per-node=1$' "$d"/jobs/*_submission.sh ||
		fail "not one task for each node"
	submitit_does fails
	[ "$rc" -eq 1 ] || fail "status $rc"
	grep 'FailedJobError: Job (task=3) failed' "$d/err" ||
		fail "not the exception of rank 3"
	grep '^ArithmeticError: of rank 3$' "$d/err" || fail "no trace"
}

# hydra_says FOLDER WORD...: a program of Hydra's that has the wheels of FOLDER
hydra_says() {
	dir=$d try env HOME="$d" PATH="$d/t/bin:/usr/bin:/bin" PYTHONPATH="$1" \
		"$venv" "$top/tests/clients/hydra_train.py" "${@:2}"
}

# hydra_sweeps WORD...: two jobs, each a step of four processes
hydra_sweeps() {
	hydra_says "$d/t" --multirun hydra/launcher=dist_train \
		hydra.launcher.nodes=2 hydra.launcher.tasks_per_node=2 \
		+hydra.launcher.keys.grace=1 "hydra.sweep.dir=$d/sweep" "$@"
}

# The real Hydra and its launcher by submitit: a sweep's result and its failure; and a
# program that doesn't ask for ours sees nothing of it
# long: Hydra's environment is for this alone
# takes: 1
test_hydra() {
	need_wheel
	need_venv hydra
	at "$venv" -m pip install --no-index --no-deps --target "$d/t" "$wheel" \
		"${wheel%/*}"/{submitit,hydra}_dist_train-*.whl ||
		fail "can't be installed"
	hydra_says "$d/none" +lr=7
	cat "$d/out" "$d/err" > "$d/without"
	hydra_says "$d/t" +lr=7
	says '^lr 7: rank None of None$'
	cat "$d/out" "$d/err" | diff "$d/without" - || fail "it says more"
	hydra_sweeps +lr=1,2
	[ "$rc" -eq 0 ] || fail "status $rc"
	[ "$(cat "$d"/sweep/.submitit/*/*.out |
		grep -c '^lr [12]: rank [0-3] of 4$')" -eq 8 ] || fail "not eight ranks"
	hydra_sweeps +lr=3 +fails=2
	[ "$rc" -ne 0 ] || fail "status 0"
	grep 'ArithmeticError: of rank 2$' "$d/err" || fail "not its exception"
}

# With PyTorch, which is Debian's
# long: test_from_pip; PyTorch under exec is exec's other cases
# takes: 1
test_torch() {
	need_wheel
	need_torch
	need_module ensurepip
	dir=$d succeed sh -c "python3 -m venv --system-site-packages env &&
		env/bin/pip install --no-index $wheel"
	in_env srun -N2 --gpus-per-node=2 dist-train exec ddp -- env USE_LIBUV=0 \
		python3 "$top/tests/clients/allreduce.py"
	ranks_trained 4
}
