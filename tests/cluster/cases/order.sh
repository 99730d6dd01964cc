# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# order=topology where node1 and node3 share a switch, node2 and node4 another
# one: the nodes' order is 1, 3, 2, 4, whoever asks.
# clusters: tree
# shellcheck disable=SC2016,SC2034,SC2086,SC2154 # shared with lib.sh

limit=150
o=order=topology
# The list of workers of a worker's TF_CONFIG
tf_workers='case $TF_CONFIG in *\"type\":\"worker\"*)
	echo "listed $(echo "$TF_CONFIG" | sed "s/.*\"index\":\([0-9]*\).*/\1/")" \
		"$SLURMD_NODENAME $(echo "$TF_CONFIG" | sed \
			"s/.*\"worker\":.\([^]]*\).*/\1/; s/\"//g")" ;;
	esac'
eight="node1:0 node1:1 node3:2 node3:3 node2:4 node2:5 node4:6 node4:7"

# placed_as WANTED: "NODE:RANK..." of the processes, in the order of ranks
placed_as() {
	local found

	found=$(sed -n \
		-e 's/^show node=\([^ ]*\) .* RANK=\([0-9]*\) .*/\2 \1/p' \
		-e 's/^trained rank=\([0-9]*\) .*node=\([^ ]*\).*/\1 \2/p' \
		"$d/out" | sort -n | awk '{ print $2 ":" $1 }' | xargs)
	[ "$found" = "$1" ] || fail "$found, not $1"
}

# ordered WANTED: that, and each process sees Slurm's variables as if that were
# Slurm's order
ordered() {
	layout "$(wc -w <<< "$1")" device
	placed_as "$1"
}

test_task_mode() {
	succeed srun -N4 --ntasks-per-node=2 --dist-train=ddp,$o "$show"
	ordered "$eight"
	says "procid=2 localid=0 nodeid=1 .* RANK=2 .* LOCAL_RANK=0 .* GROUP_RANK=1 "
}

# Before 26.05 Slurm numbers tasks by the nodes' names; since then it follows the
# topology, and the key changes nothing, and says so
test_who_orders() {
	local slurms

	try srun -N4 --ntasks-per-node=1 sh -c 'echo "$SLURM_PROCID $SLURMD_NODENAME"'
	slurms=$(sort -n "$d/out" | awk '{ print $2 }' | xargs)
	try srun -N4 --ntasks-per-node=1 --dist-train=ddp,$o "$show"
	placed_as "node1:0 node3:1 node2:2 node4:3"
	case $slurms in
	"node1 node2 node3 node4") [ -z "$(ours)" ] || fail "unexpected: $(ours)" ;;
	"node1 node3 node2 node4") one_line 'order=topology changes no rank: ' ;;
	*) fail "Slurm has another order: $slurms" ;;
	esac
}

# Nobody tells a step without the plugin where Slurm has put its tasks, unless it asks
test_exec() {
	local exec="$prefix/bin/dist-train exec"

	succeed srun -w 'node[2-4]' -N3 --ntasks-per-node=2 $exec ddp,supervise=yes -- "$show"
	[ "$(sed -n 's/^show .* procid=\([0-9]*\) .* RANK=\([0-9]*\) .*/\1 \2/p' "$d/out" |
		sort | xargs)" = "0 0 1 1 2 2 3 3 4 4 5 5" ] || fail "other ranks"
	succeed srun -N4 --ntasks-per-node=2 $exec tf,procs=task -- sh -c "$tf_workers"
	[ "$(grep -c '^listed ' "$d/out")" -eq 8 ] || fail "not eight workers"
	while read -r _ rank node list; do
		[ "$(cut -d , -f "$((rank + 1))" <<< "$list" | cut -d : -f 1)" = "$node" ] ||
			fail "worker $rank is on $node, not as in $list"
	done < <(grep '^listed ' "$d/out")
}

# long: order.nvlink_domains (device mode), order.task_mode;
# tests/frameworks/ddp/order
test_device_mode() {
	succeed srun -N4 --ntasks-per-node=1 --dist-train=ddp,procs=2,$o "$show"
	ordered "$eight"
}

# The launcher, in task mode: labels have ranks, the host list the order
test_supervised() {
	succeed srun -N4 --ntasks-per-node=2 \
		--dist-train=ddp,supervise=yes,$o "$show"
	ordered "$eight"
	succeed srun -N4 --dist-train=env,procs=task,label=yes,peers=yes,$o \
		sh -c 'echo "$SLURMD_NODENAME $SLURM_STEP_NODELIST $DIST_TRAIN_HOST_ADDRS"'
	says '^1: node3 node\[1,3,2,4\] [0-9.]*[.]11,[0-9.]*[.]13,[0-9.]*[.]12,[0-9.]*[.]14$'
}

# nvlink_node N CLUSTER: the driver's files and library on nodeN
nvlink_node() {
	local root=$d/hw/node$1 bus=0000:3b:00.0

	mkdir -p "$root/dev" "$root/usr/lib" "$root/etc" \
		"$root/proc/driver/nvidia/gpus/$bus"
	cp "$d/nvml.so" "$root/usr/lib/libnvidia-ml.so.1"
	echo 'NVRM version: x 570.86.15  Release' \
		> "$root/proc/driver/nvidia/version"
	echo 'Model: NVIDIA GB200' \
		> "$root/proc/driver/nvidia/gpus/$bus/information"
	echo "$bus 0 1 0 -3 0 0 3 0 0 $2" > "$root/etc/nvml"
}

# What the drivers tell becomes the inventory, and its domains come before
# switches; only for steps that may have GPUs
test_nvlink_domains() {
	"${CC:-cc}" -shared -fPIC -o "$d/nvml.so" \
		"$top/tests/helpers/gpu/nvml_stand_in.c" -ldl ||
		fail "no stand-in for NVML"
	nvlink_node 1 171
	nvlink_node 2 171
	nvlink_node 3 172
	nvlink_node 4 171
	chmod -R a+rX "$d/hw"
	succeed srun -N4 sh -c "DIST_TRAIN_HARDWARE_ROOT=$d/hw/\$SLURMD_NODENAME \
		DIST_TRAIN_NPU_ROOT=$d/hw/\$SLURMD_NODENAME \
		exec $prefix/bin/dist-train devices --inventory"
	sort "$d/out" > "$d/inventory"
	grep -qx 'node4 gpu nvlink=ab000000-0000-0000-0000-000000000000.7' \
		"$d/inventory" || fail "another inventory: $(< "$d/inventory")"
	chmod 644 "$d/inventory"
	afterwards "plugstack '$plug_line'"
	plugstack "optional $plugin inventory=$d/inventory"
	succeed srun -N4 --gres=gpu:2 --dist-train=ddp,$o "$show"
	placed_as "node1:0 node1:1 node2:2 node2:3 node4:4 node4:5 node3:6 node3:7"
	succeed srun -N4 --gres=gpu:2 --ntasks-per-node=2 --dist-train=ddp,$o "$show"
	placed_as "node1:0 node1:1 node2:2 node2:3 node4:4 node4:5 node3:6 node3:7"
	printf '%s\n' 'node[1,4] gpu nvlink=a' 'node[2-3] gpu nvlink=b' \
		> "$d/inventory"
	refuse 'groups-strict: 2 of 2 tp groups cross a block' srun -N4 \
		--gres=gpu:1 --dist-train=ddp,groups=tp:2+dp,groups-strict=yes true
	succeed srun -N4 --gres=gpu:1 \
		--dist-train=ddp,groups=tp:2+dp,groups-strict=yes,$o true
	succeed srun -N4 --ntasks-per-node=2 --dist-train=ddp,$o "$show"
	placed_as "$eight"
}

# long: tests/spank/scenarios/order; tests/frameworks/ddp/order-cyclic-unequal
test_unequal_nodes() {
	succeed srun -N4 -n5 --dist-train=ddp,$o "$show"
	ordered "node1:0 node1:1 node3:2 node2:3 node4:4"
}

# A node's tasks have ranks in a row
# long: tests/frameworks/ddp/order-cyclic-unequal
test_cyclic() {
	succeed srun -N4 --ntasks-per-node=2 -m cyclic --dist-train=ddp,$o "$show"
	ordered "$eight"
}

# Task 0's node and its switch come first, then Slurm's order of tasks
# long: tests/core/topology/test_topology_order; layout.arbitrary
test_arbitrary() {
	printf '%s\n' node4 node3 node2 node1 > "$d/hosts"
	succeed env SLURM_HOSTFILE="$d/hosts" \
		srun -n4 -m arbitrary --dist-train=ddp,$o "$show"
	ordered "node4:0 node2:1 node3:2 node1:3"
}

# Nothing crosses here
# long: tests/spank/scenarios/order-same
test_one_switch() {
	succeed srun -w node2,node4 -N2 --dist-train=ddp,$o \
		sh -c 'echo "$SLURMD_NODENAME $RANK $SLURM_PROCID $SLURM_STEP_NODELIST"'
	says '^node4 1 1 node\[2,4\]$'
}

# long: tests/spank/scenarios/export-none; layout.export_none
test_export_none() {
	succeed srun -N4 --export=NONE --dist-train=ddp,$o "$show"
	ordered "node1:0 node3:1 node2:2 node4:3"
}

# From the script's option, in a step on some of the job's nodes
test_batch() {
	batch -N4 --dist-train=ddp,$o <<-END
	srun -N3 -n3 -w node1,node2,node3 "$show"
	END
	ordered "node1:0 node3:1 node2:2"
}

# long: PyTorch trains; task_mode has the variables
# takes: 1
test_ddp_task_mode() {
	need_torch
	try srun -N4 --ntasks-per-node=2 --dist-train=ddp,$o $reduce
	ranks_trained 8
	placed_as "$eight"
}

# long: PyTorch trains; device_mode has the variables
# takes: 1
test_ddp_device_mode() {
	need_torch
	try srun -N4 --gres=gpu:2 --dist-train=ddp,$o $reduce
	ranks_trained 8
	placed_as "$eight"
}

# The last node of the order is in reserve
# long: tests/frameworks/ddp/order-spares
test_spares() {
	succeed srun -N4 --ntasks-per-node=1 \
		--dist-train=ddp,procs=1,spares=1,$o "$show"
	ordered "node1:0 node3:1 node2:2"
}

# long: PyTorch trains; tests/frameworks/torchrun/order
# takes: 1
test_torchrun() {
	need_venv torch
	mkdir "$d/bin"
	printf '#!/bin/sh\nexec %s -m torch.distributed.run "$@"\n' "$venv" \
		> "$d/bin/torchrun"
	chmod 755 "$d/bin/torchrun"
	try env PATH="$d/bin:/usr/bin:/bin" srun -N4 --gres=gpu:1 \
		--dist-train=torchrun,$o torchrun \
		$top/tests/clients/allreduce.py
	ranks_trained 4
	placed_as "node1:0 node3:1 node2:2 node4:3"
}

# trains WORDS COMMAND...: its own all-reduce in both modes
trains() {
	local words=$1 procs
	shift

	for procs in task 1; do
		try srun -N4 --dist-train="$words,procs=$procs,$o" "$@"
		ranks_trained 4
		placed_as "node1:0 node3:1 node2:2 node4:3"
	done
}

# long: JAX trains; tests/frameworks/jax/order
# takes: 1
test_jax() {
	need_venv jax
	trains jax env JAX_PLATFORMS=cpu $venv $top/tests/clients/jax_sum.py
}

# long: DeepSpeed trains; tests/frameworks/deepspeed/order
# takes: 1
test_deepspeed() {
	need_venv deepspeed
	trains deepspeed $venv -W ignore $top/tests/clients/deepspeed_sum.py
	says '^trained rank=1 .* node=node3 cross=1/4 '
}

# long: PaddlePaddle trains; tests/frameworks/paddle/order
# takes: 1
test_paddle() {
	need_venv paddle
	trains paddle $venv -W ignore $top/tests/clients/paddle_sum.py
}

# long: MindSpore trains; tests/frameworks/mindspore/order
# takes: 1
test_mindspore() {
	need_venv mindspore
	trains mindspore env GLOG_v=3 $venv -W ignore \
		$top/tests/clients/mindspore_sum.py
}

# long: Horovod trains; tests/frameworks/horovod/order
# takes: 1
test_horovod() {
	need_venv horovod
	trains horovod,controller=gloo $venv -W ignore \
		$top/tests/clients/horovod_sum.py
}

# long: TensorFlow trains; tests/frameworks/tf/order
# takes: 1
test_tensorflow() {
	need_venv tf
	trains tf env TMPDIR=$d KERAS_HOME=$d TF_CPP_MIN_LOG_LEVEL=2 $venv \
		$top/tests/clients/tf_workers.py
}

# servers PROCS WORKERS PLACES: the chief trains with the others
servers() {
	try srun -N4 --dist-train=tf-ps,chief=1,ps=1,procs="$1",$o \
		env TMPDIR=$d KERAS_HOME=$d TF_CPP_MIN_LOG_LEVEL=2 sh -c "
		echo \"trained rank=\$DIST_TRAIN_RANK node=\$SLURMD_NODENAME\"
		exec $venv $top/tests/clients/tf_ps.py"
	[ "$rc" -eq 0 ] || fail "status $rc"
	says "^trained chief on=node1 workers=$2 ps=1\$"
	placed_as "$3"
}

# In device mode chief and ps are beside the workers
# long: TensorFlow trains; tests/frameworks/tf-ps/order
# takes: 1
test_parameter_servers() {
	need_venv tf
	servers task 2 "node1:0 node3:1 node2:2 node4:3"
	servers 1 4 "node1:0 node1:1 node3:2 node2:3 node4:4 node4:5"
}

# long: Ray starts; tests/frameworks/ray/order
# takes: 1
test_ray() {
	need_venv ray
	try srun -N4 -c1 --dist-train=ray,$o env RAY_DEDUP_LOGS=0 $venv \
		-W ignore $top/tests/clients/ray_place.py
	[ "$rc" -eq 0 ] || fail "status $rc"
	says '^placed on=node1,node2,node3,node4 of=node1 sum=1111 '
}

# Programs that mpirun and its like start go by the host file
# long: tests/core/plan/test_hostfile; order.supervised has the hosts
test_host_file() {
	succeed srun -N4 --dist-train=ddp,run-on=first,$o \
		sh -c 'cat "$DIST_TRAIN_HOSTFILE"; echo "hosts $DIST_TRAIN_HOSTS"'
	says '^hosts node\[1,3,2,4\]$'
	[ "$(grep -o '^node[0-9]' "$d/out" | xargs)" = \
		"node1 node3 node2 node4" ] || fail "another host file"
}

# What a framework itself reads, in both modes. Another server is in the place
# of MindSpore's scheduler.

# native WORDS TEXT: rank/local rank/node's rank, by the framework's own names
native() {
	local found tasks=2 words

	for words in "$1" "$1,procs=2"; do
		succeed srun -N4 --mpi=none --ntasks-per-node=$tasks \
			--dist-train="$words,$o" sh -c "
			[ \"\${MS_ROLE:-}\" != MS_SCHED ] || exec $PYTHON \
				-m http.server --bind \$MS_SCHED_HOST \$MS_SCHED_PORT
			echo \"native $2 \$SLURMD_NODENAME\""
		found=$(sed -n 's/^native //p' "$d/out" | sort | xargs)
		[ "$found" = "0/0/0 node1 1/1/0 node1 2/0/1 node3 3/1/1 node3 \
4/0/2 node2 5/1/2 node2 6/0/3 node4 7/1/3 node4" ] || fail "$words: $found"
		tasks=1
	done
}

# long: tests/frameworks/*/order: each framework's own names
test_native_names() {
	native env '$DIST_TRAIN_RANK/$DIST_TRAIN_LOCAL_RANK/$DIST_TRAIN_NODE_RANK'
	native deepspeed '$RANK/$LOCAL_RANK/$CROSS_RANK'
	# JAX asks Slurm
	native jax '$SLURM_PROCID/$SLURM_LOCALID/$SLURM_NODEID'
	native horovod,controller=gloo \
		'$HOROVOD_RANK/$HOROVOD_LOCAL_RANK/$HOROVOD_CROSS_RANK'
	native mindspore '$RANK_ID/$LOCAL_RANK/$SLURM_NODEID'
	native paddle '$PADDLE_TRAINER_ID/$PADDLE_LOCAL_RANK/$SLURM_NODEID'
}

# listed WORDS TEXT: in both modes each worker's entry in the list of all is on
# its node. TEXT: its number there, its node, and the list of HOST:PORT.
listed() {
	local number node list own tasks=2 words

	for words in "$1" "$1,procs=2"; do
		succeed srun -N4 --ntasks-per-node=$tasks \
			--dist-train="$words,$o" sh -c "$2"
		says '^listed 5 '
		while read -r _ number node list; do
			own=$(cut -d, -f$((number + 1)) <<< "$list")
			[ "${own%:*}" = "$node" ] ||
				fail "$words: number $number on $node of $list"
			[ "$(tr , '\n' <<< "$list" | cut -d: -f1 | uniq |
				xargs)" = "node1 node3 node2 node4" ] ||
				fail "$words: $list"
		done < <(grep '^listed ' "$d/out")
		tasks=1
	done
}

# long: tests/frameworks/paddle/order, tf/order, tf-ps/order
test_native_lists() {
	listed paddle 'echo "listed $PADDLE_TRAINER_ID $SLURMD_NODENAME" \
		"$PADDLE_TRAINER_ENDPOINTS"'
	listed tf "$tf_workers"
	listed tf-ps,ps=2 "$tf_workers"
}

# Whoever numbers its processes itself says that the key has no effect
# long: tests/spank/scenarios/order-no-effect; tests/frameworks/mpi/order,
# horovod/order
test_without_effect() {
	need_pmix
	for words in mpi horovod; do
		try srun -N4 --dist-train=$words,$o true
		[ "$rc" -eq 0 ] || fail "status $rc"
		one_line '^dist-train: order=topology has no effect: the ranks are those of'
	done
}
