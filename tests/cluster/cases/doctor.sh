# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# dist-train doctor: nodes that are well, and each fault that can be made here.
# clusters: plain
# shellcheck disable=SC2034,SC2154 # shared with lib.sh

# shellcheck source-path=SCRIPTDIR source=../hardware.sh
. "$here/hardware.sh"

tool=$prefix/bin/dist-train

# doctor STATUS OPTION...: in an allocation of all nodes
doctor() {
	local status=$1
	shift

	try salloc -Q -N4 "${salloc_options[@]}" "$tool" doctor "$@"
	[ "$rc" -eq "$status" ] || fail "status $rc, not $status"
}

salloc_options=()

# long on plain: doctor.well@npu, selfloop
# clusters: plain selfloop npu
test_well() {
	[[ $cluster != *-npu ]] || salloc_options=(--gres=npu:8)
	doctor 0 --program=/bin/sh
	case $cluster in
	*-npu)
		says '^ok    npu +all '
		says '^ok    npu-tls +all '
		says '^ok    npu-ping +all '
		;;
	esac
	case $cluster in
	*-selfloop)
		says '^warn  names +all +the host.s own name resolves to 127.0.1.1, a loopback .* -> '
		;;
	*) says '^ok    names +all ' ;;
	esac
	says '^ok    reach +node2,node3,node4 '
	says '^ok    install +all +the same build is on every node'
	says '^ok    clock +all +clocks agree: within [0-9.]+ ms'
	says '^ok    stacks +all +dist-train stack can look at '
	says "^ok    $([ "${CLUSTER_AUTH:-}" = slurm ] && echo auth || echo munge) +all "
	says '^ok    leftovers +all '
	says '^4 nodes: 0 failures,'
}

# Whatever the user's environment asks srun for
test_in_a_batch_job() {
	batch -N2 -w 'node[2-3]' --ntasks-per-node=3 --dist-train=ddp <<- END
		$tool doctor --nodes node3 --json
		echo "status=\$?"
	END
	says '^status=0$'
	says '"nnodes":.*1,'
	says '"worst":.*"(ok|warn)"'
}

# One look finds all of these: a program that one node has, no launcher on another,
# which has a plugin of another build as well, another MTU, a folder
# that was left behind, ports that are taken, no unmunge for launchers, and the
# user's own limits, which srun hands on
test_several_faults() {
	local script='import socket,time
s=[socket.socket() for i in range(10)]
for i in range(10):
    s[i].bind(("", 21000 + i)); s[i].listen()
time.sleep(60)' failures=3

	if [ "${CLUSTER_AUTH:-}" != slurm ]; then
		as_root node3 'mount --bind /dev/null /usr/bin/unmunge'
		afterwards "as_root node3 'umount /usr/bin/unmunge'"
		failures=4
	fi
	node=node1 at cp /bin/true /tmp/dt-only-here
	afterwards "node=node1 at rm -f /tmp/dt-only-here"
	as_root node3 'ip link set dev eth0 mtu 1400'
	afterwards "as_root node3 'ip link set dev eth0 mtu 1500'"
	user=alice node=node2 at mkdir /tmp/dist-train-99.0.0-abcdef
	afterwards "user=alice node=node2 at rmdir /tmp/dist-train-99.0.0-abcdef"
	as_root node2 "mount --bind /dev/null $launcher
		mount --bind /bin/true $plugin"
	afterwards "as_root node2 'umount $launcher $plugin'"
	user=alice node=node4 background "$PYTHON" -c "$script"
	until_true 10 busy || fail "nobody listens"
	try sh -c "ulimit -n 1000; exec salloc -Q -N4 $tool doctor \
		--program=/tmp/dt-only-here --ports=21000-21009"
	[ "$rc" -eq 1 ] || fail "status $rc, not 1"
	says '^fail  program +node2,node3,node4 +the program /tmp/dt-only-here doesn.t exist there -> '
	says '^warn  mtu +node3 +MTU 1400, but 1500 on node[12] -> '
	says '^warn  leftovers +node2 +left behind: /tmp/dist-train-99.0.0-abcdef -> '
	says '^fail  ports +node4 +none of the ports 21000-21009 is free -> '
	says '^warn  limits +all +only 1000 files may be open; .* -> raise it '
	says "^fail  install +node2 +$launcher isn't there -> "
	says '^warn  install +node2 +another build of the plugin than on node1 -> '
	[ $failures -eq 3 ] ||
		says "^fail  munge +node3 +MUNGE isn't on this node: no program unmunge .* -> "
	says "^4 nodes: $failures failures,"
	one_line 'a job would fail on these nodes'
}

busy() {
	node=node4 at sh -c 'grep -q ":5209 " /proc/net/tcp' # 21001
}

# What a launcher that runs has started is its own
test_leftover_processes() {
	printf '#!/bin/sh\n(while sleep 1; do :; done) &\nwait\n' \
		> "$d/dist-train-launch"
	chmod 755 "$d/dist-train-launch"
	user=alice background srun -w node2 "$d/dist-train-launch"
	until_true 10 two_launchers || fail "no launcher with a child"
	doctor 0
	says '^ok    leftovers '
	user=alice node=node3 background "$d/dist-train-launch"
	doctor 0
	says '^warn  leftovers +node3 +left behind: process [0-9]+, dist-train-launch'
}

two_launchers() {
	[ "$(node=node2 at pgrep -c -x dist-train-laun)" -eq 2 ]
}

test_no_route() {
	as_root node3 'ip route add unreachable "$(getent hosts node1 |
		cut -d" " -f1)/32"'
	afterwards "as_root node3 'ip route del unreachable \
		\"\$(getent hosts node1 | cut -d\" \" -f1)/32\"'"
	doctor 1
	says '^fail  route +node3 +no route to node1.* -> '
	says "^fail  reach +node3 +can't communicate with node1: .* -> open the ports 20000-28999 "
}

# A firewall between the nodes
# long: tests/helpers/cli/doctor/test_reach; as no_route
test_unreachable() {
	as_root node2 'ip route add prohibit "$(getent hosts node1 |
		cut -d" " -f1)/32" table 77
		ip rule add ipproto tcp dport 21000-21999 table 77'
	afterwards "as_root node2 'ip rule del table 77; ip route flush table 77'"
	doctor 1 --ports=21000-21999
	says "^fail  reach +node2 +can't communicate with node1: .* -> "
}

# Its slurmd is stopped: srun waits for it, and doctor doesn't
# long: tests/helpers/cli/doctor/test_doctor_cmd: a_node_hangs
# takes: 0.25
test_hanging_node() {
	# shellcheck disable=SC2016
	as_root node2 'kill -STOP $(pidof slurmd)'
	afterwards "as_root node2 'kill -CONT \$(pidof slurmd)'"
	doctor 1 --timeout=8
	says '^fail  answer +node2 +no answer -> '
	says '^ok    shm +node1,node3,node4 '
	within 30
}

# long: tests/helpers/cli/test_help; tests/manual
test_bad_usage() {
	refuse "run it in salloc or sbatch" "$tool" doctor
	refuse "unknown option '--nods'" "$tool" doctor --nods
	refuse "unexpected argument 'node1'" "$tool" doctor node1
	refuse "timeout='0'" "$tool" doctor --timeout=0
	refuse "ports='1-2'" "$tool" doctor --ports=1-2
	refuse "nodes='node\[1'" "$tool" doctor '--nodes=node[1'
}

# One node with a port that is down, one with seven GPUs, one with another driver
# long: tests/helpers/judge/test_judge (each_fact_is_judged: gpu, rdma,
# gpu-driver); tests/helpers/cli/doctor/test_doctor_cmd (hardware);
# check.hardware
test_gpus_and_ports() {
	with_hardware
	tool="/usr/bin/env DIST_TRAIN_HARDWARE_ROOT=/tmp/hw $tool"
	# shellcheck disable=SC2086 # words
	try salloc -Q -N4 --gres=gpu:8 $tool doctor
	[ "$rc" -eq 0 ] || fail "status $rc, not 0"
	says '^ok    gpu +all '
	says '^ok    gpu-driver +all '
	says '^ok    rdma +all '
	hardware node2 "sed -i /3b:00/d smi/*"
	hardware node3 "cd sys/class/infiniband/mlx5_1/ports/1
		echo '1: DOWN' > state; echo '2: Polling' > phys_state"
	hardware node4 "sed -i s/550.54.15/535.161.08/ smi/devices \
		proc/driver/nvidia/version
		echo '200 Gb/sec (4X HDR)' > sys/class/infiniband/mlx5_0/ports/1/rate"
	# shellcheck disable=SC2086 # words
	try salloc -Q -N4 --gres=gpu:8 $tool doctor
	[ "$rc" -eq 1 ] || fail "status $rc, not 1"
	says '^fail  gpu +node2 +Slurm gave 8 GPUs, but 7 can be used -> '
	says '^fail  gpu +node2 +GPU 0000:3b:00.0: the driver doesn.t list it -> '
	says '^fail  rdma +node3 +port mlx5_1/1 is DOWN \(Polling\), but ACTIVE on node1 -> '
	says '^warn  rdma +node4 +port mlx5_0/1 has 200 Gb/s, but 400 on node1 -> '
	says '^warn  gpu-driver +node4 +the driver is NVIDIA 535.161.08, but NVIDIA 550.54.15 on node1 -> '
	says '^4 nodes: 3 failures,'
}

need_doctors_torch() {
	need_torch
	[ "$torch" = "$PYTHON" ] || tool="/usr/bin/env USE_LIBUV=0 $tool"
	limit=150
}

narrow_line() {
	as_root node3 'tc qdisc add dev eth0 root tbf rate 20mbit burst 64kb \
		latency 100ms' || skip "no tc on the nodes"
	afterwards "as_root node3 'tc qdisc del dev eth0 root'"
}

# What node3 sends goes through a narrow line. Another node may be slow, too, on
# a machine with other work; it isn't as slow.
# long: check.slow (the same measurement); check.firewall (doctor --pairs);
# tests/helpers/check/test_pairs, tests/helpers/cli/doctor/test_doctor_cmd (pairs)
# takes: 0.25
test_pairs() {
	narrow_line
	doctor 1 --pairs
	says '^fail  pairs +node3 +its network is slow: [0-9.]+ MB/s with node[124] and .*the limit is a quarter of that -> '
	says_not '^fail  pairs +node[124]'
	says '^4 pairs of nodes in 2 rounds, each direction: median '
	says '^  slowest 0[.0-9]+ \((node[124], node3|node3, node4)\), fastest '
}

# takes: 1
# long: PyTorch on three nodes; tests/helpers/cli/doctor/test_all_reduce_ranks
test_all_reduce() {
	need_doctors_torch
	narrow_line
	# shellcheck disable=SC2086 # words
	try salloc -Q -N3 $tool doctor --all-reduce --python="$PYTHON" \
		--timeout=60
	[ "$rc" -eq 0 ] || fail "status $rc, not 0"
	says '^ok    all-reduce +all +3 ranks, gloo, PyTorch .* GB/s bus bandwidth'
	says '^warn  pairs +node3 +slow with every other node: at most 0[.0-9e-]+ GB/s, others reach [.0-9e-]+ -> '
	says_not '^warn  pairs +node[12]'
	says '^3 pairs of nodes in 3 rounds, each direction: median '
}

# long: tests/helpers/judge/test_judge (npu, npu-tls, npu-ping); doctor.well@npu
# (these facts are read)
# clusters: npu
test_npu_faults() {
	salloc_options=(--gres=npu:8)
	as_root node2 'echo 5 > /etc/npu-standin/tls
		echo 29.17.3.12 > /etc/npu-standin/unreachable
		sed -i "s/^3 29[^ ]*/3 -/" /etc/npu-standin/devices'
	afterwards "as_root node2 'rm /etc/npu-standin/tls \
		/etc/npu-standin/unreachable; \
		sed -i \"s/^3 -/3 29.17.2.13/\" /etc/npu-standin/devices'"
	doctor 1
	says '^fail  npu +node2 +NPU 3 has no address -> '
	says '^fail  npu-tls +node2 +TLS of NPU 5 is on, but off on NPU 0 of node1 -> '
	says "^fail  npu-ping +node2 +NPU 2 can't reach 29.17.3.12: 0 of 3 "
}

# clusters: npu
# long: tests/helpers/cli/node/test_devices: hccn_tool_hangs;
# tests/helpers/judge/test_judge
# takes: 0.25
test_hanging_tool() {
	salloc_options=(--gres=npu:8)
	mode node3 hccn_tool hang
	doctor 1 --timeout=30
	says '^warn  npu +node3 +hccn_tool hangs -> '
	says "^fail  npu-ping +node3 +NPU 0 can't reach 29.17.4.10: hccn_tool hangs"
	within 60
}
