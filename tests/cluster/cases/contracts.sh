# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# What a framework's own launcher gives its processes, and what ours get, for
# two processes on each of two nodes: all variables, against the files of
# tests/contracts. With DRAFT set, rows for a new file are in the log.
# clusters: plain
# takes: 1
# shellcheck disable=SC2016,SC2034,SC2154 # of the nodes' shells; shared with lib.sh

limit=240
contracts=$top/tests/contracts
dump="$contracts/dump.py FOLDER"
each_node="-N2 --ntasks-per-node=1 --overlap"
each_process="-N2 --ntasks-per-node=2 --overlap"
first='$(scontrol show hostnames | head -n 1)'
first_ip="\$(getent ahostsv4 $first | sed \"s/ .*//;q\")"
venv=$PYTHON

# compare CONTRACT RUN THEIRS OURS [BARE]...: lines of a batch script, in which
# FOLDER is where the processes write; BARE are srun's options for steps whose
# variables don't count, and the batch script's own don't either
compare() {
	local options

	mkdir -m 777 "$d/theirs" "$d/ours" "$d/bare"
	{
		echo "set -e; export HOME=$d"
		echo "$venv ${dump/FOLDER/$d/bare}"
		for options in "${@:5}"; do
			echo "srun $options $venv ${dump/FOLDER/$d/bare}"
		done
		echo "${3//FOLDER/$d/theirs}"
		echo "${4//FOLDER/$d/ours}"
		echo "echo all have written"
	} > "$d/script"
	batch -N2 -c2 -w node1,node2 < "$d/script"
	says '^all have written$'
	python3 -B "$contracts/compare.py" ${DRAFT:+--draft} \
		"$contracts/$1.contract" "$2" "$d/theirs" "$d/ours" "$d/bare" ||
		fail "$1 isn't as in tests/contracts/$1.contract"
}

# torchrun_compare RUN PYTHON [OPTION]...
torchrun_compare() {
	compare torchrun "$1" \
		"srun $each_node sh -c '$2 -m torch.distributed.run \
			--nnodes=2 --nproc_per_node=2 \
			--node_rank=\$SLURM_NODEID --master_addr=$first \
			--master_port=29511 ${*:3} $dump'" \
		"srun $each_node --dist-train=ddp,procs=2 $2 $dump" \
		"$each_node"
}

# long: tests/contracts/check has what we give; what a launcher gives is its release's
test_torchrun() {
	need_venv torch
	torchrun_compare 2.15 "$venv"
}

# long: tests/contracts/check has what we give; what a launcher gives is its release's
# Its default for --redirects and --tee is an error in this Python
test_torchrun_of_debian() {
	need_torchrun
	torchrun_compare 1.13 "$torch" --redirects=1 --tee=1
}

# long: tests/contracts/check has what we give; what a launcher gives is its release's
test_accelerate() {
	need_venv torch_users
	compare accelerate '' \
		"srun $each_node sh -c '$venv -m accelerate.commands.launch \
			--multi_gpu --num_machines=2 --num_processes=4 \
			--machine_rank=\$SLURM_NODEID --same_network \
			--main_process_ip=$first --main_process_port=29511 \
			$dump'" \
		"srun $each_node --dist-train=ddp,procs=2 $venv $dump" \
		"$each_node"
}

# long: tests/contracts/check has what we give; what a launcher gives is its release's
# Its program on each node, as its launcher starts it over ssh
test_deepspeed() {
	local nodes

	need_venv deepspeed
	nodes=$(printf '{"node1": [0, 1], "node2": [0, 1]}' | base64 -w 0)
	compare deepspeed '' \
		"srun $each_node sh -c '$venv -W ignore \
			-m deepspeed.launcher.launch --world_info=$nodes \
			--node_rank=\$SLURM_NODEID --master_addr=$first \
			--master_port=29511 $dump'" \
		"srun $each_node --dist-train=deepspeed,procs=2 $venv $dump" \
		"$each_node"
}

# mpi_compare RUN MPIRUN OPTION...
mpi_compare() {
	need_program "${2%% *}"
	compare "$1" '' "$2 $venv $dump" \
		"srun $each_process $3 --dist-train=mpi $venv $dump" \
		"$each_process --mpi=none"
}

# long: tests/contracts/check has what we give; what a launcher gives is its release's
test_open_mpi() {
	need_pmix
	mpi_compare open-mpi 'mpirun.openmpi -n 4 --map-by ppr:2:node:OVERSUBSCRIBE' ''
}

# long: tests/contracts/check has what we give; what a launcher gives is its release's
test_mpich() {
	mpi_compare mpich 'mpirun.mpich -n 4 -ppn 2' --mpi=pmi2
}

# long: tests/contracts/check has what we give; what a launcher gives is its release's
# A way to the other node for its launcher, which knows ssh alone
test_horovod() {
	need_venv horovod
	compare horovod '' \
		"PATH=$contracts/bin:\$PATH ${venv%/*}/horovodrun --gloo -np 4 \
			-H node1:2,node2:2 $venv $dump" \
		"srun $each_process --mpi=none --dist-train=horovod,controller=gloo \
			$venv $dump" \
		"$each_process --mpi=none"
}

# msrun_compare RUN ROLE
msrun_compare() {
	local roles="$contracts/ms_dump.py $2 FOLDER"

	need_venv mindspore
	compare msrun "$1" \
		"srun $each_node sh -c 'PATH=${venv%/*}:\$PATH msrun \
			--worker_num=4 --local_worker_num=2 --join=True \
			--master_addr=$first_ip --master_port=29511 \
			--node_rank=\$SLURM_NODEID --cluster_time_out=600 \
			--log_dir=FOLDER/log\$SLURM_NODEID \
			python3 $roles'" \
		"srun $each_node --dist-train=mindspore,procs=2 $venv $roles" \
		"$each_node"
}

# long: tests/contracts/check has what we give; what a launcher gives is its release's
test_msrun() {
	msrun_compare worker MS_WORKER
}

# long: tests/contracts/check has what we give; what a launcher gives is its release's
test_msrun_scheduler() {
	msrun_compare scheduler MS_SCHED
}

# long: tests/contracts/check has what we give; what a launcher gives is its release's
test_paddle() {
	need_venv paddle
	compare paddle '' \
		"srun $each_node sh -c '$venv -W ignore \
			-m paddle.distributed.launch --nnodes=2 \
			--master=$first_ip:29511 --nproc_per_node=2 \
			--rank=\$SLURM_NODEID --log_dir=FOLDER/log $dump'" \
		"srun $each_node --dist-train=paddle,procs=2 $venv $dump" \
		"$each_node"
}

# long: frameworks/jax has what we give; what JAX reads is its release's
# It has no launcher: what it reads of Slurm's variables and its own
test_jax() {
	need_venv jax
	compare jax '' \
		"srun $each_process $venv $contracts/jax_reads.py FOLDER" \
		"srun $each_process --dist-train=jax $venv \
			$contracts/jax_reads.py FOLDER"
}

# long: tests/contracts/check has what we give; what a launcher gives is its release's
# Started by hand, as its documents say
test_ray() {
	need_venv ray
	afterwards "root node1 rm -rf /tmp/ray; root node2 rm -rf /tmp/ray"
	compare ray '' \
		"srun -N1 -n1 --overlap sh -c '${venv%/*}/ray start --head \
			--port=6399 --block' &
		head=\$!
		until (exec 3<> /dev/tcp/node1/6399); do
			sleep 0.2
		done 2> /dev/null
		srun -N1 -n1 -w node2 --overlap ${venv%/*}/ray start \
			--address=node1:6399 --block &
		RAY_ADDRESS=node1:6399 $venv $contracts/ray_dump.py FOLDER 2
		kill \$head \$!; wait" \
		"srun $each_node --dist-train=ray $venv \
			$contracts/ray_dump.py FOLDER 2" \
		"$each_node" "-N2 -n2 --overlap"
}

# of_each VALUE N FRAMEWORK HOST...: what each of N tasks on these hosts has
of_each() {
	printf '%s\n' "${@:4}" > "$d/hosts"
	succeed env SLURM_HOSTFILE="$d/hosts" srun -n"$2" -m arbitrary \
		--dist-train="$3" sh -c \
		'echo "per node: ${SLURM_NTASKS_PER_NODE-none}, child of" \
			"$(cat /proc/$PPID/comm)"'
	[ "$(grep -cx "per node: $1, child of slurmstepd" "$d/out")" -eq \
		"$2" ] || fail "not $2 lines 'per node: $1'"
}

# What Lightning's SLURMEnvironment demands, without a launcher. A node that has
# the average of unequal ones doesn't take them for equal.
# takes: 0.5
test_tasks_per_node() {
	of_each 2 4 ddp node1 node2 node1 node2
	of_each none 6 ddp node1 node1 node1 node2 node3 node3
	of_each none 4 env node1 node2 node1 node2
	succeed srun -N2 --ntasks-per-node=3 --dist-train=ddp sh -c \
		'echo "$SLURM_NTASKS_PER_NODE"'
	[ "$(grep -cx 3 "$d/out")" -eq 6 ] || fail "Slurm's isn't kept"
}
