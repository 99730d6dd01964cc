# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# Scripts and commands of other platforms, as their documentation has them.
# clusters: plain
# shellcheck disable=SC2016,SC2034,SC2154 # shared with lib.sh

limit=120

# platform: a folder with train.py and `python`, in which commands run
platform() {
	mkdir -p "$d/bin"
	ln -sf "$PYTHON" "$d/bin/python"
	ln -sf "$PYTHON" "$d/bin/python3"
	cp "$top/tests/clients/train.py" "$d/train.py"
	dir=$d
	path=(env "PATH=$d/bin:$PATH" PYTHONDONTWRITEBYTECODE=1)
}

# torch_platform: the same for programs that import PyTorch
torch_platform() {
	need_torch
	platform
	[ "$(torch_kind)" != no-libuv ] || path+=(USE_LIBUV=0)
}

# What Debian 12's torch.distributed.launch needs, with or without a plugin:
# doc/frameworks/torchrun.md
debian=(PET_REDIRECTS=1 PET_TEE=1)

# long: frameworks/ti-one/ddp and contracts/ti-one have its variables
# takes: 1
test_ti_one_ddp() {
	need_torchrun
	torch_platform
	cat > "$d/start.sh" <<-'END'
	python -m torch.distributed.launch --nproc_per_node $GPU_NUM_PER_NODE --nnodes $WORLD_SIZE --node_rank $RANK --master_addr $MASTER_ADDR --master_port $MASTER_PORT train.py
	END
	try "${path[@]}" "${debian[@]}" srun -w 'node[1-3]' --gres=gpu:2 \
		--dist-train=ddp,dialect=ti-one sh start.sh
	sed -i 's/^\[default[0-9]*\]://' "$d/out"
	ranks_trained 6
	says '^trained rank=5 world=6 node=node3$'
}

# MPI runs the command on each node, where mpirun reaches all of them; with
# run-on=first it is one mpirun for the step.
# long: seeds.ti_one_mpirun (the document's own), dialects.ti_one_runs (on each
# node); tests/frameworks/ti-one/mpi, mpi-first
test_ti_one_mpirun() {
	need_mpi
	! at mpirun.openmpi --version | grep -q 'Open MPI) 5' ||
		skip "-H of Open MPI 5 doesn't know its own machine's address"
	platform
	cat > "$d/start.sh" <<-'END'
	mpirun -np $GPU_NUM -H $NODE_IP_SLOT_LIST python3 train.py
	END
	try "${path[@]}" srun -w 'node[1-2]' --gres=gpu:2 \
		--dist-train=mpi,dialect=ti-one,run-on=first sh start.sh
	ranks_trained 4
	says '^trained rank=3 world=4 node=node2$'
	[ "$(grep -c '^trained ' "$d/out")" -eq 4 ] || fail "not one mpirun"
	try "${path[@]}" srun -N2 --gres=gpu:1 --dist-train=mpi,dialect=ti-one \
		sh start.sh
	ranks_trained 2
	[ "$(grep -c '^trained ' "$d/out")" -eq 4 ] || fail "not two mpiruns"
}

# Where the command runs, by training mode
test_ti_one_runs() {
	local show='echo "on $INDEX of $NODE_LIST"; cat \
		"$OMPI_MCA_orte_default_hostfile"'

	try srun -N3 --gres=gpu:2 --dist-train=mpi,dialect=ti-one sh -c "$show"
	[ "$rc" -eq 0 ] || fail "status $rc"
	for n in 0 1 2; do
		says "^on $n of [0-9.]+:2,[0-9.]+:2,[0-9.]+:2\$"
	done
	[ "$(grep -c '^[0-9.]* slots=2$' "$d/out")" -eq 9 ] ||
		fail "not a host file on each node"
	try srun -N3 --gres=gpu:2 --dist-train=horovod,dialect=ti-one \
		sh -c "$show"
	[ "$rc" -eq 0 ] || fail "status $rc"
	[ "$(grep '^on ' "$d/out" | cut -d ' ' -f 1,2)" = 'on 0' ] ||
		fail "not on the first node alone"
}

# Any node's failure is the step's; Horovod has the first one alone
test_ti_one_failure() {
	local mode

	for mode in ddp mpi horovod; do
		try srun -N2 --dist-train=$mode,dialect=ti-one,grace=1 \
			sh -c '[ "$INDEX$0" = 0ddp ] || [ "$INDEX$0" = 0mpi ] ||
				exit 3; sleep 30' $mode
		[ "$rc" -eq 3 ] || fail "$mode: status $rc"
		within 25
	done
}

# long: frameworks/modelarts/ddp and ddp-one have its arguments
# takes: 1
test_modelarts_pytorch() {
	torch_platform
	try "${path[@]}" srun -N2 --dist-train=ddp,dialect=modelarts \
		python3 train.py
	ranks_trained 4
	says '^trained rank=[23] world=4 node='
	try "${path[@]}" srun -N1 --dist-train=ddp,dialect=modelarts \
		python3 train.py
	ranks_trained 2
}

# A start command as published ones are: once per node, with torchrun, and each
# name as they read it. With --long torchrun itself starts the ranks.
test_modelarts_start_command() {
	platform
	if [ -n "${LONG:-}" ]; then
		need_torchrun
	else
		rm "$d"/bin/python*
		printf '#!/bin/sh\necho "starts $*"\n' > "$d/bin/python"
		chmod 755 "$d/bin/python"
	fi
	cat > "$d/start.sh" <<-'END'
	if [ -z "$MA_VJ_NAME" ]; then
		NNODES=1 NODE_RANK=0 NPROC=8 MASTER=localhost
	else
		NNODES=${MA_NUM_HOSTS:-${VC_WORKER_NUM:-1}}
		NODE_RANK=$VC_TASK_INDEX NPROC=$MA_NUM_GPUS
		MASTER=${VC_WORKER_HOSTS%%,*}
	fi
	echo "node=$NODE_RANK ip=$MA_CURRENT_IP workers=$VC_WORKER_NUM master=$MASTER ${MASTER_ADDR:-$MA_VJ_NAME-$MA_TASK_NAME-0.$MA_VJ_NAME}"
	python -m torch.distributed.run --nnodes $NNODES --node_rank $NODE_RANK --nproc_per_node $NPROC --master_addr $MASTER --master_port ${MASTER_PORT:-29500} train.py
	END
	try "${path[@]}" "${debian[@]}" srun -w 'node[1-2]' --gres=gpu:2 \
		--dist-train=torchrun,dialect=modelarts bash start.sh
	if [ -n "${LONG:-}" ]; then
		sed -i 's/^\[default[0-9]*\]://' "$d/out"
		ranks_trained 4
		says '^trained rank=3 world=4 node=node2$'
	fi
	[ "$rc" -eq 0 ] || fail "status $rc"
	for n in 0 1; do
		[ -n "${LONG:-}" ] || says "^starts -m torch.distributed.run --nnodes 2 --node_rank $n --nproc_per_node 2 --master_addr [0-9.]+ --master_port [0-9]+ train.py\$"
	done
	says '^node=0 ip=([0-9.]+) workers=2 master=\1 \1$'
	[ "$(sed -n 's/.* ip=\([0-9.]*\) .*/\1/p' "$d/out" | sort -u |
		wc -l)" -eq 2 ] || fail "two nodes have one address"
}

# Behind the program's own arguments, in task mode too
test_modelarts_arguments() {
	# Servers are ended when the workers are done, at once
	try srun -w 'node[1-2]' --dist-train=tf-ps,dialect=modelarts,label=yes \
		sh -c 'echo own "$@"; : > "$0/$DIST_TRAIN_RANK"
			until [ -e "$0/1" ] && [ -e "$0/3" ]; do sleep 0.05; done' \
		"$d"
	[ "$rc" -eq 0 ] || fail "status $rc"
	says '^3: own --task_index 1 --ps_hosts ([0-9.]+):[0-9]+,[0-9.]+:[0-9]+ --worker_hosts \1:[0-9]+,[0-9.]+:[0-9]+ --job_name ps$'
	try srun -N2 -n4 --dist-train=tf-ps,dialect=modelarts,label=yes echo own
	[ "$rc" -eq 0 ] || fail "status $rc"
	says '^0: own --task_index 0 .* --job_name worker$'
	try srun -w 'node[1-3]' -n4 --dist-train=tf-ps,dialect=modelarts,ps=1,label=yes \
		sh -c 'echo "$MA_TASK_NAME $VC_TASK_INDEX $TF_PS_HOSTS" \
			"$TF_WORKER_HOSTS args $*"
			[ $MA_TASK_NAME = worker ] || : > "$0/ps"
			until [ -e "$0/ps" ]; do sleep 0.05; done' "$d"
	[ "$rc" -eq 0 ] || fail "status $rc"
	says '^[0-3]: worker 2 ([^ ]+) ([^ ]+,[^ ]+,[^ ]+) args --task_index 2 --ps_hosts \1 --worker_hosts \2 --job_name worker$'
	says '^[0-3]: ps 0 ([^ ,]+) ([^ ]+) args --task_index 0 --ps_hosts \1 --worker_hosts \2 --job_name ps$'
}

# long: frameworks/kubeflow/pytorchjob; a ddp step as any
# takes: 1
test_kubeflow_pytorchjob() {
	torch_platform
	try "${path[@]}" srun -N2 -n3 --dist-train=ddp,dialect=kubeflow \
		python3 train.py
	ranks_trained 3
}

# Ranks are Slurm's, with the variables of ModelArts' run script, and srun's
# exit code is theirs
test_modelarts_mpi() {
	need_pmix
	need_mpi
	limit=60
	try_mpi srun -N2 --ntasks-per-node=2 --gres=gpu:2 \
		--dist-train=mpi,dialect=modelarts "$PYTHON" \
		"$top/tests/clients/mpi_sum.py"
	ranks_trained 4
	try srun -w 'node[1-2]' --ntasks-per-node=2 --gres=gpu:2 \
		--dist-train=mpi,dialect=modelarts sh -c \
		'echo "$MA_TASK_INDEX$VC_TASK_INDEX $MA_NUM_HOSTS $MA_NUM_GPUS" \
		"$VC_WORKER_HOSTS"; exit 7'
	[ "$rc" -eq 7 ] || fail "status $rc, not the program's"
	says '^00 2 2 [0-9.]+,[0-9.]+$'
	says '^11 2 2 [0-9.]+,[0-9.]+$'
}

# ModelArts' own start script would wait for names that exist there alone
# long: tests/core/command/test_step_command_check, test_wrapped_command
# (run_mpi.sh)
test_modelarts_run_mpi() {
	printf '#!/bin/bash\nsleep 365d\n' > "$d/run_mpi.sh"
	refuse "run_mpi.sh needs sshd .*; leave it out, and Slurm starts the ranks: srun --ntasks-per-node=N --dist-train=mpi,dialect=modelarts, then what stands after run_mpi.sh\$" \
		srun -N2 --dist-train=mpi,dialect=modelarts,run-on=first \
		bash "$d/run_mpi.sh" python train.py
}

# long: frameworks/modelarts/horovod, and Horovod in horovod
# takes: 1
test_modelarts_horovod() {
	need_pmix
	need_venv horovod
	limit=90
	try srun -N2 --ntasks-per-node=2 --gres=gpu:2 \
		--dist-train=horovod,dialect=modelarts \
		"$venv" -W ignore "$top/tests/clients/horovod_sum.py"
	ranks_trained 4
}

# long: frameworks/kubeflow/paddlejob, and Paddle in paddle
# The pod's command: Paddle's launcher on each node, which meets the others
# takes: 1
test_kubeflow_paddlejob() {
	need_venv paddle
	limit=120
	try srun -w 'node[1-2]' --dist-train=paddle,dialect=kubeflow sh -c '
		exec "$0" -m paddle.distributed.launch --nproc_per_node 2 \
			--log_dir "$1/log.$SLURM_NODEID" "$2"' \
		"$venv" "$d" "$top/tests/clients/paddle_sum.py"
	[ "$rc" -eq 0 ] || fail "status $rc"
	cat "$d"/log.?/workerlog.* > "$d/out"
	[ "$(sort -u "$d/out" | grep -c '^trained rank=[0-3] world=4 sum=10 ')" \
		-eq 4 ] || fail "not 4 trainers"
}

# An MPIJob's launcher calls mpirun without a word of hosts
# long: seeds.mpijob (the document's own); tests/frameworks/kubeflow/mpijob
# (slots); rsh.mpirun
test_kubeflow_mpijob() {
	need_mpi
	platform
	limit=60
	try "${path[@]}" srun -N2 --dist-train=mpi,dialect=kubeflow,procs=2 \
		mpirun python3 train.py
	ranks_trained 4
	[ "$(grep -c '^trained ' "$d/out")" -eq 4 ] || fail "not one mpirun"
}

# Volcano's master finds its workers in MPI_HOST
test_volcano_mpi() {
	need_mpi
	platform
	limit=60
	try "${path[@]}" srun -w 'node[1-3]' \
		--dist-train=mpi,dialect=volcano sh -c \
		'mpirun -np 3 --host $MPI_HOST python3 train.py'
	ranks_trained 3
	says '^trained rank=2 world=3 node=node3$'
}

# long: contracts/kubeflow-jax, frameworks/kubeflow/jaxjob, and JAX in jax
# A JAXJob's script passes on what JAX itself doesn't read
# takes: 1
test_kubeflow_jaxjob() {
	need_venv jax
	try env JAX_PLATFORMS=cpu srun -N2 -n2 --dist-train=jax,dialect=kubeflow \
		"$venv" -c '
import os, jax
e = os.environ
jax.distributed.initialize(
    e["COORDINATOR_ADDRESS"] + ":" + e["COORDINATOR_PORT"],
    int(e["NUM_PROCESSES"]), int(e["PROCESS_ID"]))
print(f"trained rank={jax.process_index()} world={jax.process_count()} ")'
	ranks_trained 2
}

# long: frameworks/kubeflow/pytorchjob; a ddp step as any
# Kubeflow's example of a distributed job, as it finds its place: RANK,
# WORLD_SIZE and MASTER_* through init_process_group()
# takes: 1
test_kubeflow_mnist() {
	need_torch
	# shellcheck disable=SC2086 # words they are
	try env PYTHONDONTWRITEBYTECODE=1 srun -N2 -n3 \
		--dist-train=ddp,dialect=kubeflow $torch \
		"$top/tests/clients/kubeflow_mnist.py" --backend gloo --epochs 2
	[ "$rc" -eq 0 ] || fail "status $rc"
	for n in 0 1 2; do
		says "^mnist rank=$n world=3 loss=.* falling=True same=True\$"
	done
}

# long: frameworks/kubeflow/multi-worker, and TensorFlow in tensorflow
# A TFJob's script finds itself in TF_CONFIG
# takes: 1
test_kubeflow_tfjob() {
	need_venv tf
	try env "TMPDIR=$d" "KERAS_HOME=$d" TF_CPP_MIN_LOG_LEVEL=2 srun -N2 \
		-n2 --dist-train=tf,dialect=kubeflow "$venv" \
		"$top/tests/clients/tf_workers.py"
	ranks_trained 2
	try srun -N2 -n2 --dist-train=tf,dialect=kubeflow sh -c \
		'echo "$TF_CONFIG"'
	[ "$(grep -c '"environment":"cloud"}$' "$d/out")" -eq 2 ] ||
		fail "TF_CONFIG isn't Kubeflow's"
}

# long: frameworks/volcano/pytorch; a ddp step as any
# The master and its workers meet at the master's
# takes: 1
test_volcano_pytorch() {
	torch_platform
	try "${path[@]}" srun -w 'node[1-3]' -n4 -m cyclic \
		--dist-train=ddp,dialect=volcano python3 train.py
	ranks_trained 4
	says '^trained rank=3 world=4 node=node1$'
}

# long: frameworks/modelarts/tf-ps; dialects.modelarts_arguments ends a ps
# A ps never ends by itself
# takes: 1
test_modelarts_tensorflow() {
	need_venv tf
	try env "TMPDIR=$d" "KERAS_HOME=$d" srun -N2 \
		--dist-train=tf-ps,dialect=modelarts "$venv" \
		"$top/tests/clients/tf1_ps.py"
	[ "$rc" -eq 0 ] || fail "status $rc"
	for n in 0 1; do
		says "^trained worker=$n of=2 ps=2 falling=True\$"
	done
}
