# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# Device mode, and which devices a process is told of. On the cgroup cluster
# a device of another step can't be opened.
# clusters: plain cgroup
# long on cgroup: what a process is told doesn't depend on the control group;
# the cases whose devices it renumbers or hides run on both
# shellcheck disable=SC2034,SC2154 # shared with lib.sh

devices=$here/devices.sh

# field NAME: of each line of devices.sh, in the order of the ranks
field() {
	grep '^dev ' "$d/out" | sed 's/\(.*\) rank=\([0-9]*\) /\2 \1 /' |
		sort -n | sed -n "s/.* $1=\([^ ]*\).*/\1/p" | xargs
}

# has NAME VALUES: the field of all processes, by rank
has() {
	[ "$(field "$1")" = "$2" ] ||
		fail "$1 is '$(field "$1")' by rank, not '$2'"
}

# Each device that a process has exists, is open to it, and is its alone
own_devices() {
	local node

	! field physical | grep -q none || fail "a device that isn't there"
	grep '^dev ' "$d/out" | awk '{
		sub("node=", "", $2); sub("physical=", "", $8)
		sub("open=", "", $9)
		n = split($8, p, ",")
		if (!n) { print "no device: " $0; exit 1 }
		for (i = 1; i <= n; i++) {
			if (index("," $9 ",", "," p[i] ",") == 0) {
				print "may not open " p[i] ": " $0
				exit 1
			}
			if (($2, p[i]) in seen) {
				print "twice " p[i] " on " $2
				exit 1
			}
			seen[$2, p[i]]
		}
	}' > "$d/faults" || fail "$(cat "$d/faults")"
}

test_device_mode() {
	succeed srun -N2 --gres=gpu:8 --dist-train=ddp "$show"
	layout 16 device
	succeed srun -N4 --gpus-per-node=2 --dist-train=ddp "$show"
	layout 8 device
	succeed srun -N2 --gres=gpu:3 --dist-train=ddp --export=NONE "$show"
	layout 6 device
}

# long: tests/frameworks/ddp/one-node-8-devices; device_mode_part_of_a_node
test_device_mode_devices() {
	succeed srun -N2 --gres=gpu:4 --dist-train=ddp "$devices"
	has local '0 1 2 3 0 1 2 3'
	has own '0 1 2 3 0 1 2 3'
	own_devices
}

# The second step of a job has the last devices
# long on plain: devices.device_mode_part_of_a_node@cgroup, exec
test_device_mode_part_of_a_node() {
	succeed salloc -Q -N2 --gres=gpu:8 bash -c "
		srun --overlap --gres=gpu:5 sleep 30 &
		until squeue -h -s -j \$SLURM_JOB_ID | grep -qw sleep; do :; done
		srun --overlap --exact --gres=gpu:3 --dist-train=ddp $devices
		scancel -s KILL \$SLURM_JOB_ID.0 2> /dev/null; wait"
	has local '0 1 2 0 1 2'
	own_devices
}

# Another job has taken five devices of one node
test_uneven() {
	local other

	at sbatch --parsable -w node2 --gres=gpu:5 -o "$d/other" \
		--wrap 'sleep 60' > "$d/other.id"
	other=$(< "$d/other.id")
	until_true 10 job_runs "$other" || fail "the other job doesn't start"
	try srun -N2 -w node1,node2 --gpus=10 --dist-train=ddp "$devices"
	user=root at scancel "$other"
	[ "$rc" -eq 0 ] || fail "status $rc"
	echo "counts: $(field local_world)"
	[ "$(grep -c '^dev ' "$d/out")" -eq 10 ] ||
		fail "not 10 processes for 10 devices"
	own_devices
	uneven_counts
}

job_runs() {
	[ "$(user=root at squeue -h -o %T -j "$1" 2> /dev/null)" = RUNNING ]
}

# LOCAL_WORLD_SIZE is what each node really has, and they differ
uneven_counts() {
	grep '^dev ' "$d/out" | awk '{
		split($5, w, "="); n[$2]++; want[$2] = w[2]
	} END {
		for (node in n) {
			if (n[node] != want[node]) bad = 1
			sizes[n[node]]
		}
		for (s in sizes) different++
		exit bad || different < 2
	}' || fail "LOCAL_WORLD_SIZE isn't the node's count, or all are equal"
}

# long: tests/core/plan/test_plan_layout (device_mode,
# several_tasks_are_task_mode); tests/frameworks/ddp/procs-2; jax.device_mode
# (two devices for each of two)
test_procs_number() {
	succeed srun -N2 --dist-train=ddp,procs=3 "$show"
	layout 6 device
	try srun -N2 --gres=gpu:4 --dist-train=ddp,procs=2 "$devices"
	has own '0,1 2,3 0,1 2,3'
	own_devices
	refuse 'procs=N needs one task per node, but this step has 4 on 2 nodes' \
		srun -N2 -n4 --dist-train=ddp,procs=2 true
}

# long: tests/core/plan/test_plan_layout: task_mode_by_choice;
# tests/frameworks/ddp/task-per-node-forced, task-mode-devices
test_procs_task() {
	succeed srun -N2 --gres=gpu:4 --dist-train=ddp,procs=task "$show"
	layout 2
	try srun -N2 --ntasks-per-node=4 --gres=gpu:4 --dist-train=ddp "$devices"
	has own '0 1 2 3 0 1 2 3'
	own_devices
}

# long: tests/core/plan/test_plan_layout;
# tests/frameworks/ddp/procs-device-none
test_procs_device() {
	succeed srun -N2 --gres=gpu:1 --dist-train=ddp,procs=device "$show"
	layout 2 device
	refuse "procs=device: .*no device|procs=device: the number" \
		srun -N2 --dist-train=ddp,procs=device true
	refuse 'procs=device needs one task per node' \
		srun -N2 --ntasks-per-node=2 --gres=gpu:2 --dist-train=ddp,procs=device true
}

# long: tests/spank/scenarios/npu, npu-uniform; ascend.two_servers
test_npu() {
	succeed srun -N2 --gres=npu:4 --dist-train=ddp "$devices" npu
	has own '0 1 2 3 0 1 2 3'
	own_devices
	succeed srun -N2 --gres=npu:8 --dist-train=ddp "$show"
	layout 16 device
}

# long: tests/core/plan/test_plan: npus; keepers.rank_table
test_npu_tasks() {
	succeed srun -N2 --ntasks-per-node=2 --gres=npu:2 --dist-train=ddp "$devices" npu
	has own '0 1 0 1'
	own_devices
}

# long: tests/spank/scenarios/npu-subset, npu-job-before
test_part_of_the_npus() {
	refuse "Slurm doesn't say which 2 of the job's 4 npu .*no_gpu_env" \
		salloc -Q -N2 --gres=npu:4 srun --gres=npu:2 \
		--dist-train=ddp "$devices" npu
	succeed salloc -Q -N2 --gres=npu:4 srun --dist-train=ddp \
		"$devices" npu
	own_devices
}

# The job has some, the step has none: it asks for none, or the job has them
# because it has the whole nodes
test_none_of_the_job() {
	local options

	for options in '--gres=npu:4 srun --gres=none' \
		'--gres=gpu:4 srun --gres=none' '--exclusive srun -n2'; do
		# shellcheck disable=SC2086,SC2016 # words they are
		try salloc -Q -N2 $options --dist-train=ddp sh -c \
			'echo "$RANK of $WORLD_SIZE, devices ($DIST_TRAIN_DEVICES)"'
		[ "$rc" -eq 0 ] || fail "status $rc"
		case $options in
		--exclusive*) one_of_ours 'whole nodes with 8 gpu each' ;;
		*) [ -z "$(ours)" ] || fail "unexpected: $(ours)" ;;
		esac
		[ "$(sort "$d/out")" = "$(printf '%d of 2, devices ()\n' 0 1)" ] ||
			fail "not two processes without devices"
	done
}

# long on plain: devices.gpus_per_task@cgroup;
# tests/spank/scenarios/gpus-per-task
test_gpus_per_task() {
	try srun -N2 --ntasks-per-node=2 --gpus-per-task=2 --dist-train=ddp "$devices"
	[ "$rc" -eq 0 ] || fail "status $rc"
	has own '0,1 0,1 0,1 0,1'
	own_devices
	# what a TaskProlog makes of it is divided, too
	printf '#!/bin/sh\necho export CUDA_VISIBLE_DEVICES=MIG-a,MIG-b\n' \
		> "$d/prolog"
	chmod +x "$d/prolog"
	# shellcheck disable=SC2016 # the tasks' variables
	succeed srun -N1 -n2 --gres=gpu:2 --task-prolog="$d/prolog" \
		--dist-train=ddp,visible=one,local-rank=device sh -c \
		'echo $RANK $LOCAL_RANK $CUDA_VISIBLE_DEVICES'
	[ "$(sort "$d/out" | xargs)" = '0 0 MIG-a 1 0 MIG-b' ] ||
		fail "with a TaskProlog: $out"
}

# long: as gpu_bind_map, with one device for all
test_gpu_bind_single() {
	try srun -N2 --ntasks-per-node=2 --gres=gpu:2 --gpu-bind=single:1 --dist-train=ddp \
		"$devices"
	[ "$rc" -eq 0 ] || fail "status $rc"
	has own '0 0 0 0'
	own_devices
}

# long on plain: devices.gpu_bind_map@cgroup
test_gpu_bind_map() {
	try srun -N1 -n2 --gres=gpu:4 --gpu-bind=map_gpu:3,1 \
		--dist-train=ddp "$devices"
	[ "$rc" -eq 0 ] || fail "status $rc"
	has own '0 0'
	own_devices
	has physical '3 1'
}

# long on plain: devices.visible_one@cgroup; tests/spank/scenarios/visible-one
test_visible_one() {
	succeed srun -N2 --gres=gpu:4 --dist-train=ddp,visible=one,local-rank=device "$devices"
	has own '0 0 0 0 0 0 0 0'
	has local '0 0 0 0 0 0 0 0'
	has visible '0 1 2 3 0 1 2 3'
	own_devices
	succeed srun -N1 -n4 --gres=gpu:4 \
		--dist-train=ddp,visible=one,local-rank=device "$devices"
	has own '0 0 0 0'
	has local '0 0 0 0'
	own_devices
}

# long: tests/spank/scenarios/gpus-per-task
test_visible_all() {
	try srun -N1 -n2 --gpus-per-task=2 --dist-train=ddp,visible=all \
		"$devices"
	[ "$rc" -eq 0 ] || fail "status $rc"
	own_devices
}

# A LOCAL_RANK that is no index is said once, whatever the number of nodes
# long: tests/spank/scenarios/gpus-per-task; tests/core/plan/test_plan: remark
test_local_rank_remark() {
	try srun -N2 --ntasks-per-node=2 --gpus-per-task=1 --dist-train=ddp true
	[ "$rc" -eq 0 ] || fail "status $rc"
	one_line 'each process sees only 1 device, so set_device.LOCAL_RANK. fails from local rank 1.*local-rank=device'
	try srun -N2 --gres=gpu:4 --dist-train=ddp,visible=one true
	[ "$rc" -eq 0 ] || fail "status $rc"
	one_line 'each process sees only 1 device, .*local rank 1 on.*local-rank=device'
	succeed srun -N2 --ntasks-per-node=2 --gpus-per-task=1 \
		--dist-train=ddp,local-rank=device "$devices"
	has local '0 0 0 0'
	succeed srun -N2 --ntasks-per-node=2 --gres=gpu:2 --dist-train=ddp "$devices"
}

# A process that sees one device calls it 0; who looks for a broken one needs
# the node's number
# shellcheck disable=SC2016 # for that shell
# long: launcher.others_are_ended has visible=one
test_first_failure_device() {
	try srun -N1 --gres=gpu:3 --dist-train=ddp,visible=one,grace=0 sh -c \
		'[ $RANK != 2 ] || exit 3; exec sleep 30'
	[ "$rc" -eq 3 ] || fail "status $rc"
	ours | grep -Eq 'rank 2 \(worker\) on node[1-4], device 2, pid ' ||
		fail "not device 2: $(ours)"
}

# A process for each device in every component, whatever the others have
test_heterogeneous() {
	succeed srun -N1 --gres=gpu:2 --dist-train=ddp "$devices" : \
		-N2 --gres=gpu:2 "$devices"
	has local_world '2 2 2 2 2 2'
	has own '0 1 0 1 0 1'
	own_devices
	try srun -n1 --gres=gpu:3 --dist-train=ddp "$devices" : \
		-N2 -n2 --gres=gpu:1 "$devices" : -n2 "$devices"
	has local_world '3 3 3 1 1 2 2'
	one_line 'component 2 has no devices: each of its tasks is one process'
	has own '0 1 2 0 0'
	try srun -n1 --gres=gpu:2 --dist-train=ddp,explain=only false : \
		-n1 --gres=gpu:1 false
	[ "$rc" -eq 0 ] || fail "status $rc"
	[ "$(grep -c '^rank [0-2] of 3 (worker) on node' "$d/out")" -eq 3 ] ||
		fail "explain=only: $(grep '^rank' "$d/out")"
}

# Each component's own option, and what can't differ
# long: tests/core/plan/test_components; tests/spank/scenarios/het-options
test_heterogeneous_options() {
	succeed srun -n1 --gres=gpu:2 --dist-train=ddp "$devices" : \
		-n1 --gres=gpu:4 --dist-train=ddp,procs=2 "$devices" : \
		-n1 --gres=gpu:2 --dist-train=ddp,procs=task,visible=one "$devices"
	has own '0 1 0,1 2,3 0,1'
	has local_world '2 2 2 2 1'
	own_devices
	refuse 'component 1 asks for tf, but component 0 for ddp: ' \
		srun -n1 --dist-train=ddp true : -n1 --dist-train=tf true
	refuse 'components 0 and 1 differ in the key grace, which holds for ' \
		srun -n1 --dist-train=ddp true : -n1 --dist-train=ddp,grace=1 true
	refuse 'component 1: one process per device, but .* --gpus-per-node=N' \
		srun -n1 --gres=gpu:2 --dist-train=ddp,procs=device true : \
		-n1 --dist-train=ddp,procs=device true
}

# Without the job's first component, and the others' nodes aren't in the order of names
test_heterogeneous_order() {
	succeed salloc -Q -N1 -w node2 : -N1 -w node3 --gres=gpu:2 : -N1 -w node1 --gres=gpu:1 \
		srun --het-group=1 --dist-train=ddp "$devices" : --het-group=2 "$devices"
	has node 'node3 node3 node1'
	has local_world '2 2 1'
}

# Of a job's components, and of an ordinary job
# long: the same; heterogeneous_random
test_heterogeneous_groups() {
	succeed salloc -Q -N1 --gres=gpu:1 : -N1 --gres=gpu:3 : -N1 --gres=gpu:2 \
		srun --het-group=2 --dist-train=ddp,procs=1 "$devices" : \
		--het-group=1 --dist-train=ddp "$devices"
	has own '0 1 2 0,1'
	succeed salloc -Q -N3 --gres=gpu:4 \
		srun -N2 --gres=gpu:2 --dist-train=ddp "$devices" : \
		-N1 --gres=gpu:4 --dist-train=ddp,procs=1 "$devices"
	has own '0 1 0 1 0,1,2,3'
}

# The job's option isn't for commands that can't be training, of all components;
# where one can be, it is for all
# long on cgroup: as on plain
test_heterogeneous_utilities() {
	succeed salloc -Q --dist-train=ddp,timeout=5 -N1 --gres=gpu:2 : -N1 --gres=gpu:1 \
		srun --het-group=0,1 printenv SLURM_PROCID
	[ "$(sort "$d/out" | xargs)" = '0 1' ] || fail "it has processes"
	succeed salloc -Q --dist-train=ddp,timeout=5 -N1 --gres=gpu:2 : -N1 --gres=gpu:1 \
		srun --het-group=0 hostname : --het-group=1 -n 1 printenv SLURM_PROCID
	[ "$(grep -c . "$d/out")" -eq 2 ] || fail "it has processes"
	try salloc -Q --dist-train=ddp,timeout=5 -N1 --gres=gpu:2 : -N1 --gres=gpu:1 \
		srun --het-group=0 hostname : --het-group=1 "$devices"
	[ "$rc" -eq 0 ] || fail "status $rc"
	has local_world '1'
}

# Frameworks: right numbers, or a line
# long: tests/spank/scenarios/het-devices, peers-het
test_heterogeneous_frameworks() {
	# shellcheck disable=SC2016 # for that shell
	local tell='echo "at $SLURM_PROCID/$SLURM_NTASKS $PET_NPROC_PER_NODE'

	tell+=' $JAX_LOCAL_DEVICE_IDS $LOCAL_SIZE $TF_CONFIG"'
	succeed srun -n1 --gres=gpu:2 --dist-train=torchrun sh -c "$tell" : \
		-n1 --gres=gpu:3 sh -c "$tell"
	says 'at 0/2 2'
	says 'at 1/2 3'
	succeed srun -n1 --gres=gpu:2 --dist-train=jax sh -c "$tell" : \
		-n1 --gres=gpu:3 sh -c "$tell"
	says 'at 4/5  2'
	succeed srun -n1 --gres=gpu:2 --dist-train=deepspeed sh -c "$tell" : \
		-n1 --gres=gpu:3 sh -c "$tell"
	says 'at 4/5   3'
	succeed srun -n1 --gres=gpu:1 --dist-train=tf sh -c "$tell" : \
		-n1 --gres=gpu:2 sh -c "$tell"
	says 'at 2/3 .*"worker":\["[^"]*","[^"]*","[^"]*"\].*"index":2'
	try srun -n1 --gres=gpu:1 --dist-train=mpi true : -n1 --gres=gpu:2 true
	one_of_ours 'mpi needs one Slurm task per rank, .* --ntasks-per-node=2'
	refuse 'supervise=no: one process per device needs the launcher' \
		srun -n1 --gres=gpu:1 --dist-train=ddp,supervise=no true : \
		-n1 --gres=gpu:2 true
}

# Steps of every shape, counted by tests/cluster/het_steps.py; more by
# DIST_TRAIN_STEPS=N, others from DIST_TRAIN_SEED=N on
# long on cgroup: tests/core/plan/test_components
test_heterogeneous_random() {
	local first=${DIST_TRAIN_SEED:-1} seed

	for ((seed = first; seed < first + ${DIST_TRAIN_STEPS:-8}; seed++)); do
		mapfile -t command < <(python3 "$here/het_steps.py" \
			command "$seed" "$show")
		try "${command[@]}"
		{ cat "$d/out" && echo "status $rc"; } > "$d/step.$seed"
		python3 "$here/het_steps.py" check "$seed" "$d/step.$seed" ||
			fail "step $seed: ${command[*]}"
	done
}

# Slurm names parts of GPUs (MIG) by their UUIDs, and since 26.05, where the site wants
# it, whole ones: here it takes the names from a file of its own for tests
# clusters: plain
# takes: 0.25
test_uuids() {
	uuids_on node1
	try srun -N1 -w node1 --gres=gpu:1 --dist-train=none printenv CUDA_VISIBLE_DEVICES
	[[ $out = *-* ]] || skip "this Slurm takes no UUIDs from its file for tests"
	succeed srun -N1 -w node1 --gres=gpu:4 \
		--dist-train=ddp,visible=one,local-rank=device sh -c \
		'echo $RANK $WORLD_SIZE $LOCAL_RANK $CUDA_VISIBLE_DEVICES'
	[ "$(sort "$d/out" | xargs)" = "0 4 0 MIG-a/1/0 1 4 0 MIG-a/2/0 2 4 0 GPU-2-b 3 4 0 GPU-3-b" ] ||
		fail "not each one's UUID: $out"
	succeed srun -N1 -w node1 -n2 --gpus-per-task=2 --dist-train=ddp sh -c \
		'echo $RANK $LOCAL_RANK $CUDA_VISIBLE_DEVICES'
	[ "$(sort "$d/out" | xargs)" = "0 0 MIG-a/1/0,MIG-a/2/0 1 1 GPU-2-b,GPU-3-b" ] ||
		fail "not each task's UUIDs: $out"
}

# A component of unequal nodes, of which one has its GPUs, and parts of them, by name
# clusters: plain
# takes: 0.25
test_uuids_uneven() {
	local other tell='echo $RANK $WORLD_SIZE $LOCAL_RANK $CUDA_VISIBLE_DEVICES'

	uuids_on node1
	try srun -N1 -w node1 --gres=gpu:1 --dist-train=none printenv CUDA_VISIBLE_DEVICES
	[[ $out = *-* ]] || skip "this Slurm takes no UUIDs from its file for tests"
	at sbatch --parsable -w node2 --gres=gpu:5 -o "$d/other" \
		--wrap 'sleep 60' > "$d/other.id"
	other=$(< "$d/other.id")
	until_true 10 job_runs "$other" || fail "the other job doesn't start"
	try srun -N1 -w node3 --gres=gpu:2 \
		--dist-train=ddp,visible=one,local-rank=device sh -c "$tell" : \
		-N2 -w node1,node2 --gpus=11 sh -c "$tell"
	user=root at scancel "$other"
	[ "$rc" -eq 0 ] || fail "status $rc"
	[ "$(sort -n "$d/out" | xargs)" = "0 13 0 0 1 13 0 1 2 13 0 MIG-a/1/0 3 13 0 MIG-a/2/0 \
4 13 0 GPU-2-b 5 13 0 GPU-3-b 6 13 0 GPU-4-b 7 13 0 GPU-5-b 8 13 0 GPU-6-b 9 13 0 GPU-7-b \
10 13 0 5 11 13 0 6 12 13 0 7" ] || fail "not each one's device: $out"
}

# Parts of GPUs (gres/shard): a process for each GPU that the step has a part of. Other
# jobs have parts of the same.
# clusters: shards
# takes: 0.25
test_shards() {
	user=bob background srun -N2 --gres=shard:1 sleep 300
	until_true 20 eval '[ "$(user=root at squeue -h -u bob -t R)" ]' ||
		fail "no other job"
	succeed srun -N2 -w node[1-2] --gres=shard:2 --dist-train=ddp "$devices"
	has local '0 0'
	has own '0 0'
	has physical '0 0'
	succeed srun -N1 -w node1 -n2 --gres=shard:2 \
		--dist-train=ddp,local-rank=device "$devices"
	has local '0 0'
	has own '0 0'
	root login scontrol show config > "$d/config"
	grep -q MULTIPLE_SHARING "$d/config" || return 0
	succeed srun -N2 -w node[1-2] --gres=shard:6 --dist-train=ddp "$devices"
	has local '0 1 0 1'
	has own '0 1 0 1'
	# Of which of the job's GPUs these are a part Slurm tells the node alone
	try salloc -Q -N2 -w node[1-2] --gres=shard:6 \
		srun --gres=shard:2 --dist-train=ddp "$devices"
	[ "$rc" -ne 0 ] || fail "status 0"
	one_of_ours ' 1 devices on node node1, but its controller counts 2; procs=N '
	succeed salloc -Q -N2 -w node[1-2] --gres=shard:6 \
		srun --gres=shard:2 --dist-train=ddp,procs=1 "$devices"
	has local '0 0'
}

# uuids_on NODE: its slurmd starts anew, with other files
uuids_on() {
	root "$1" sh -c 'cp -rp "${SLURM_CONF%/*}" "$0/etc" && cd "$0/etc" &&
		sed -i "s/^Name=gpu.*/AutoDetect=nvidia\n& Flags=nvidia_gpu_env,env_uuid/" gres.conf &&
		for i in 0 1 2 3 4 5 6 7; do
			uuid=GPU-$i-b
			[ $i -gt 1 ] || uuid=MIG-a/$((i + 1))/0
			echo "(null)|16|0-15|(null)|/dev/nvidia$i|$uuid|nvidia_gpu_env,env_uuid"
		done > fake_gpus.conf' "$d" || fail "no files"
	afterwards "new_slurmd $1 slurmd"
	new_slurmd "$1" env "SLURM_CONF=$d/etc/slurm.conf" slurmd
}

# new_slurmd NODE COMMAND...
new_slurmd() {
	stop_slurmd "$1"
	root "$@" || fail "no slurmd"
	all_idle 60
}
