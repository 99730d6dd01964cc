# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# What the sruns of a batch script do that aren't its training: the daemons of
# mpirun, utilities, a Ray started by hand; and torchrun where it doesn't fit.
# Lines as in the published scripts, in short (doc/batch-scripts.md).
# clusters: plain
# shellcheck disable=SC2016,SC2034,SC2154 # of the script; shared with lib.sh

# shellcheck source-path=SCRIPTDIR source=../published.sh
. "$here/published.sh"

# mpi_of COMMAND ADDRESS SIZE: it starts its ranks in a job with each of these
# options, in both layouts, and no rank has a variable of ours
mpi_of() {
	local option

	need_program "$1"
	for option in none mpi ddp horovod; do
		started_by_mpi "$1" "$2" 4 --ntasks-per-node=2 \
			--dist-train=$option
		started_by_mpi "$1" "$2" 2 --ntasks-per-node=1 --gres=gpu:2 \
			--dist-train=$option
	done
}

# started_by_mpi COMMAND VARIABLE N [OPTION]...
started_by_mpi() {
	batch -N2 "${@:4}" <<-END
	timeout 60 $1 sh -c 'echo "started \$$2 RANK=\${RANK-unset} \$(
		env | grep -c DIST_TRAIN_)"'
	echo "status \$?"
	END
	says '^status 0$'
	[ "$(grep -c '^started [0-9]* RANK=unset [01]$' "$d/out")" -eq "$3" ] ||
		fail "${*:4}: not $3 ranks of $1"
	[ -z "$(ours)" ] || fail "${*:4}: unexpected: $(ours)"
}

test_open_mpi() {
	mpi_of mpirun.openmpi OMPI_COMM_WORLD_RANK
}

# long: scripts.open_mpi; tests/core/facts/test_step_command (hydra_pmi_proxy);
# tests/spank/scenarios/left-alone-not
test_mpich() {
	mpi_of mpiexec.hydra PMI_RANK
}

# Once for each task, as without the option; two devices on each node
test_utilities() {
	batch -N2 --ntasks-per-node=1 --gres=gpu:2 --dist-train=ddp <<-'END'
	head=$(scontrol show hostnames "$SLURM_JOB_NODELIST" | head -n 1)
	echo "address [$(srun -N1 -n1 -w "$head" hostname --ip-address 2>&1)]"
	srun mkdir "/tmp/made.$SLURM_JOB_ID" && echo made
	srun bash -c "cd /tmp && rm -r made.$SLURM_JOB_ID" && echo removed
	srun -n1 -N1 --dist-train=env echo obeyed
	srun sh -c 'echo "rank $RANK of $WORLD_SIZE"'
	END
	says '^address \[[0-9.]+\]$'
	says '^made$'
	says '^removed$'
	[ "$(grep -c '^obeyed$' "$d/out")" -eq 2 ] || fail "its own isn't obeyed"
	[ "$(grep -c '^rank [0-3] of 4$' "$d/out")" -eq 4 ] ||
		fail "not four ranks"
	[ -z "$(ours)" ] || fail "unexpected: $(ours)"
}

# A person is told; a script, which may read what srun says, isn't
test_terminal() {
	need_program script
	try sh -c 'echo | TERM=dumb script -qec \
		"salloc -Q -N1 --gres=gpu:2 --dist-train=ddp srun hostname" \
		/dev/null | tr -d "\r"'
	says "^dist-train: hostname can't be training, .*; srun --dist-train=ddp"
	[ "$(grep -c '^node[1-4]$' "$d/out")" -eq 1 ] || fail "not once"
}

# torch's Slurm script of the DDP series; torchtitan's has -m instead of a file
# With --long it is torchrun itself; else a program says with which words it is
# started, once for each task.
test_sbatch_run() {
	published
	if [ -z "${LONG:-}" ]; then
		mkdir -p "$d/bin"
		printf '#!/bin/sh\necho "starts $*"\n' > "$d/bin/python3"
		chmod 755 "$d/bin/python3"
		sed -i "s,^srun $PYTHON,srun $d/bin/python3," "$d/sbatch_run"
	fi
	batch -N2 -n2 --gpus-per-task=1 --dist-train=ddp < "$d/sbatch_run"
	if [ -n "${LONG:-}" ]; then
		published_trained 2
	else
		[ "$(grep -c '^starts -m torch.distributed.run --nnodes 2 .* --rdzv_endpoint 10[0-9.]*:29500 ' \
			"$d/out")" -eq 2 ] || fail "not two of torchrun"
	fi
	[ -z "$(ours)" ] || fail "unexpected: $(ours)"
}

# With more devices than one, ddp starts more than the script's torchruns
# takes: 1
# long: torchrun trains in others.torchrun, and the refusal is torchrun_refused's
test_sbatch_run_two_devices() {
	published
	batch -N2 -n2 --gpus-per-task=2 --dist-train=torchrun < "$d/sbatch_run"
	published_trained 2
	[ -z "$(ours)" ] || fail "unexpected: $(ours)"
	batch -N2 -n2 --gpus-per-task=2 --dist-train=ddp < "$d/sbatch_run"
	says '^Node IP: [0-9.]+$'
	one_line 'ddp has started 4 already, .* use --dist-train=torchrun'
}

# ray_standin: $venv is a Python beside a `ray start` of ours; what it was given on
# a node is in $d/by_hand.NODE
ray_standin() {
	mkdir -p "$d/bin"
	venv=$d/bin/python3
	cat > "$d/bin/ray" <<-END
	#!/bin/sh
	case \$1 in
	start)
		echo "auth \${RAY_AUTH_MODE-unset}" > $d/by_hand.\$SLURMD_NODENAME
		exec sleep 60
		;;
	status) ls $d/by_hand.* ;;
	esac
	END
	cat > "$venv" <<-END
	#!/bin/sh
	until set -- $d/by_hand.* && [ \$# -eq 2 ]; do
		sleep 0.1
	done
	echo "cluster of \$#"
	END
	chmod 755 "$d"/bin/*
}

# Ray's and verl's: one srun for the head, one for each worker; the program
# in the script itself, or (verl) in one more srun. With --long it is Ray itself.
test_ray_by_hand() {
	if [ -n "${LONG:-}" ]; then
		need_venv ray
	else
		ray_standin
	fi
	ray_script > "$d/ray_script"
	batch -N2 --ntasks-per-node=1 -c2 --gres=gpu:2 --dist-train=ray \
		< "$d/ray_script"
	says '^cluster of 2$'
	[ -z "$(ours)" ] || fail "unexpected: $(ours)"
	[ -n "${LONG:-}" ] ||
		[ "$(cat "$d"/by_hand.* | grep -cx 'auth unset')" -eq 2 ] ||
		fail "not left alone: $(cat "$d"/by_hand.*)"
}

# --- torchrun ---------------------------------------------------------------

test_torchrun_refused() {
	refuse 'torchrun --standalone trains on one node, but this step has 2' \
		srun -N2 --dist-train=torchrun,procs=2 \
		torchrun --standalone train.py
	refuse 'torch.distributed.run --nnodes=1, but this step has 2 nodes' \
		srun -N2 --dist-train=torchrun python3 \
		-m torch.distributed.run --nnodes=1 train.py
	refuse 'ddp has started 4 already, .* for 1 node; use --dist-train=tor' \
		srun -N2 --gres=gpu:2 --dist-train=ddp torchrun train.py
	printf '#!/bin/bash\nset -e\nexec timeout 9 "$@"\n' > "$d/node.sh"
	chmod 755 "$d/node.sh"
	refuse 'ddp has started 2 already, .* for 1 node; use --dist-train=tor' \
		srun -N2 --dist-train=ddp "$d/node.sh" torchrun --standalone train.py
	refuse 'torchrun --node-rank is one number on all 2 nodes' \
		srun -N2 --dist-train=torchrun \
		bash -c 'torchrun --nnodes=2 --node_rank=0 --master_addr=node1 train.py'
	refuse 'torchrun has no --rdzv-endpoint, and each of the 2 of this step' \
		srun -N2 --dist-train=ddp bash -c 'torchrun --nnodes=2 train.py'
}

# long: tests/spank/scenarios/command;
# tests/core/command/test_step_command_check
test_torchrun_without_launcher() {
	echo 'print("it runs")' > "$d/train.py"
	try srun -N2 --dist-train=torchrun "$PYTHON" "$d/train.py"
	[ "$rc" -eq 0 ] || fail "status $rc"
	[ "$(grep -c '^it runs$' "$d/out")" -eq 2 ] || fail "it doesn't run"
	one_line 'python runs train.py, which finds no RANK: .* write torchrun'
	succeed srun -N2 --dist-train=torchrun sh -c "$PYTHON $d/train.py"
}
