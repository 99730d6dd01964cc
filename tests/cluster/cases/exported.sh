# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# Batch scripts that set the variables themselves, as they are published, with
# the option added and nothing changed: real PyTorch trains in one world.
# clusters: plain
# takes: 1
# long: PyTorch trains; the scripts' variables are in the case variables
# shellcheck disable=SC2016,SC2034,SC2154 # of the script; shared with lib.sh

# shellcheck source-path=SCRIPTDIR source=../published.sh
. "$here/published.sh"

# in_job N OPTION... < SCRIPT: N ranks train; $master is in front
in_job() {
	local n=$1
	shift

	{
		echo "$master"
		cat
	} > "$d/exporting"
	batch "$@" < "$d/exporting"
	published_trained "$n"
}

# only REGEX: whatever we say is that
only() {
	ours | grep -Evq -- "$1" || return 0
	fail "unexpected: $(ours | grep -Ev -- "$1")"
}

# What most of them begin with; the port in two usual ways
master='export MASTER_ADDR=$(scontrol show hostnames "$SLURM_JOB_NODELIST" | head -n 1)
export MASTER_PORT=$(expr 10000 + $(echo -n $SLURM_JOBID | tail -c 4))'
kept="your MASTER_(ADDR|PORT)='[^']*' is kept, but the step has .*overwrite=yes"

test_world_size() {
	published
	in_job 4 -N2 --ntasks-per-node=2 --dist-train=ddp <<-END
	export WORLD_SIZE=\$((SLURM_NNODES * SLURM_NTASKS_PER_NODE))
	echo "WORLD_SIZE=\$WORLD_SIZE"
	srun $torch $reduce
	END
	only "$kept"
	[ "$(ours | wc -l)" -eq 2 ] || fail "not two lines: $(ours)"
}

# Each task makes its own, in both modes; with the devices, too
test_bash_c() {
	local option

	published
	for option in --ntasks-per-node=2 '--ntasks-per-node=1 --gres=gpu:2'; do
		# shellcheck disable=SC2086 # words they are
		in_job 4 -N2 $option --dist-train=ddp <<-END
		srun bash -c 'export RANK=\$SLURM_PROCID LOCAL_RANK=\$SLURM_LOCALID
			export WORLD_SIZE=\$SLURM_NTASKS
			export CUDA_VISIBLE_DEVICES=\$SLURM_LOCALID
			exec $torch $reduce'
		END
		only "$kept"
	done
}

test_wrapper_script() {
	published
	cat > "$d/wrapper.sh" <<-END
	#!/bin/bash
	export RANK=\$SLURM_PROCID
	export LOCAL_RANK=\$SLURM_LOCALID
	export WORLD_SIZE=\$SLURM_NPROCS
	exec $torch $reduce
	END
	chmod +x "$d/wrapper.sh"
	in_job 2 -N2 -n2 --dist-train=ddp <<-END
	export NCCL_SOCKET_IFNAME=eth0 GLOO_SOCKET_IFNAME=eth0
	srun "$d/wrapper.sh"
	END
	only "$kept"
}

# The variables in srun's own option
test_export_option() {
	published
	in_job 2 -N2 -n2 --dist-train=ddp <<-END
	unset MASTER_PORT
	srun --export=ALL,MASTER_ADDR=\$MASTER_ADDR,MASTER_PORT=29501 \
		$torch $reduce
	END
	only "$kept"
}

# Arguments instead of variables
test_dist_url() {
	published
	in_job 2 -N2 -n2 --dist-train=ddp <<-END
	srun bash -c '$torch $here/../clients/by_url.py \
		--dist-url "tcp://\$MASTER_ADDR:\$MASTER_PORT" \
		--world-size "\$SLURM_NTASKS" --rank "\$SLURM_PROCID"'
	END
	only "$kept"
}

# torchrun with all arguments, its rank of the node from Slurm
test_torchrun_static() {
	published
	in_job 2 -N2 -n2 --dist-train=torchrun <<-END
	$head
	srun bash -c "$torchrun --nnodes=\$SLURM_JOB_NUM_NODES \
		--nproc_per_node=1 --node_rank=\\\$SLURM_NODEID \
		--master_addr=\$MASTER_ADDR --master_port=29502 $reduce"
	END
	[ -z "$(ours)" ] || fail "unexpected: $(ours)"
}

# One srun for each node
test_torchrun_loop() {
	published
	in_job 2 -N2 -n2 --dist-train=torchrun <<-END
	$head
	for ((i = 0; i < SLURM_JOB_NUM_NODES; i++)); do
		srun --nodes=1 --ntasks=1 -w "\${nodes[i]}" $torchrun \
			--nnodes=2 --nproc_per_node=1 --node_rank="\$i" \
			--master_addr="\$MASTER_ADDR" --master_port=29503 \
			$reduce &
	done
	wait
	END
	[ -z "$(ours)" ] || fail "unexpected: $(ours)"
}

test_mpirun() {
	need_program mpirun.openmpi
	published
	in_job 2 -N2 -n2 --dist-train=ddp <<-END
	mpirun.openmpi -np 2 -x MASTER_ADDR -x MASTER_PORT bash -c '
		export RANK=\$OMPI_COMM_WORLD_RANK
		export WORLD_SIZE=\$OMPI_COMM_WORLD_SIZE
		exec $torch $reduce'
	END
	[ -z "$(ours)" ] || fail "unexpected: $(ours)"
}

# world TAG N: its N processes have one world, and the script's coordinator
world() {
	grep "^world $1 " "$d/out" > "$d/world.$1"
	[ "$(grep -o " rank=[0-9]* of=$2 " "$d/world.$1" | sort -u |
		wc -l)" -eq "$2" ] || fail "$1: not $2 ranks in one world"
	[ "$(grep -c ' at=node[0-9]:[0-9]*$' "$d/world.$1")" -eq "$2" ] ||
		fail "$1: not the script's coordinator"
	[ "$(sed 's/.* at=//' "$d/world.$1" | sort -u | wc -l)" -eq 1 ] ||
		fail "$1: not one coordinator"
}

# The ways above in one job, and what their processes find, without PyTorch
# long on none: no PyTorch
# takes: 0.5
test_variables() {
	local tag

	cat > "$d/world" <<-'END'
	#!/bin/sh
	echo "world $1 rank=$RANK of=$WORLD_SIZE local=$LOCAL_RANK at=$MASTER_ADDR:$MASTER_PORT"
	END
	cat > "$d/wrapper.sh" <<-'END'
	#!/bin/bash
	export RANK=$SLURM_PROCID
	export LOCAL_RANK=$SLURM_LOCALID
	export WORLD_SIZE=$SLURM_NPROCS
	exec "$@"
	END
	chmod +x "$d/wrapper.sh" "$d/world"
	batch -N2 --ntasks-per-node=2 --gres=gpu:2 --dist-train=ddp <<-END
	$master
	(
		export WORLD_SIZE=\$((SLURM_NNODES * SLURM_NTASKS_PER_NODE))
		srun $d/world job
	)
	srun bash -c 'export RANK=\$SLURM_PROCID LOCAL_RANK=\$SLURM_LOCALID
		export WORLD_SIZE=\$SLURM_NTASKS
		export CUDA_VISIBLE_DEVICES=\$SLURM_LOCALID
		exec $d/world shell'
	srun -n2 --ntasks-per-node=1 bash -c '
		export RANK=\$SLURM_PROCID LOCAL_RANK=\$SLURM_LOCALID
		export WORLD_SIZE=\$SLURM_NTASKS
		exec $d/world devices'
	srun $d/wrapper.sh $d/world wrapper
	unset MASTER_PORT
	srun --export=ALL,MASTER_PORT=29501 $d/world export
	END
	for tag in job shell devices wrapper export; do
		world $tag 4
	done
	[ "$(grep -c '^world export .*:29501$' "$d/out")" -eq 4 ] ||
		fail "the port of --export is lost"
	only "$kept"
	[ "$(ours | wc -l)" -eq 10 ] || fail "not two lines each: $(ours)"
}

# In device mode the job's number of tasks isn't the world's size: refused
# long on none: no PyTorch
# takes: 0.5
test_tasks_for_world_size() {
	batch -N2 --ntasks-per-node=1 --gres=gpu:2 --dist-train=ddp <<-'END'
	export WORLD_SIZE=$SLURM_NTASKS
	srun sh -c 'echo "world $WORLD_SIZE"'
	END
	one_line "your WORLD_SIZE='2', but the step has '4' .*overwrite=yes"
}
