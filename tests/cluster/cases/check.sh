# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# Nodes are looked at before processes start: check=fast, check=full,
# check-program.
# clusters: plain
# shellcheck disable=SC2016,SC2034,SC2154 # shared with lib.sh

# shellcheck source-path=SCRIPTDIR source=../hardware.sh
. "$here/hardware.sh"

ok='echo "rank $RANK of $WORLD_SIZE on $SLURMD_NODENAME, round $DIST_TRAIN_RESTART"'

# checked KEYS [OPTION]...: four nodes with these keys
checked() {
	local keys=$1
	shift

	try srun -N4 "$@" --dist-train="ddp,$keys" sh -c "$ok"
}

# ran N: the ranks of a world of N, each once
ran() {
	[ "$rc" -eq 0 ] || fail "status $rc"
	[ "$(grep -c "^rank [0-9]* of $1 on " "$d/out")" -eq "$1" ] ||
		fail "not $1 ranks"
}

# refused REGEX: with one line of ours, and no process
refused() {
	[ "$rc" -ne 0 ] || fail "status 0, not a refusal"
	ours | grep -v '^dist-train: check: ' > "$d/refusal"
	[ "$(wc -l < "$d/refusal")" -eq 1 ] ||
		fail "not one line: $(< "$d/refusal")"
	grep -Eq -- "$1" "$d/refusal" ||
		fail "the line isn't '$1': $(< "$d/refusal")"
	says_not '^rank '
}

# Without a remark on a network
test_well() {
	with_rate
	checked check=fast
	ran 4
	checked check=full
	ran 4
	one_of_ours_is_none
	# One launcher of each node looks; odd numbers, and one node alone
	try srun -N3 -n6 --dist-train=ddp,check=full sh -c "$ok"
	ran 6
	try srun -N1 --dist-train=ddp,check=full sh -c "$ok"
	ran 1
}

one_of_ours_is_none() {
	[ -z "$(ours)" ] || fail "unexpected: $(ours)"
}

# with_program: $program fails on node3
with_program() {
	program=$d/looks
	printf '%s\n' '#!/bin/sh' 'echo looking' \
		'[ "$(hostname)" != node3 ] || { echo "disk: 3 MB/s"; exit 7; }' \
		> "$program"
	chmod 755 "$program"
}

test_program() {
	with_program
	checked "check=fast,check-program=$program"
	refused ": node3: check-program ended with exit status 7, $program: disk: 3 MB/s"
	checked "check-program=$program"
	[ "$rc" -ne 0 ] || fail "status 0"
	one_of_ours 'check-program works only with check=fast\|full'
}

# A spare has the place of the node that is unfit
test_spare() {
	with_program
	checked "check=full,spares=1,check-program=$program" \
		--ntasks-per-node=1
	ran 3
	says '^rank 2 of 3 on node4, round 1$'
	one_of_ours '^dist-train: node3 is unfit \(check-program .* disk: 3 MB/s\).*: node4, a spare, takes its place'
}

test_hardware() {
	with_hardware
	export_hardware='env DIST_TRAIN_HARDWARE_ROOT=/tmp/hw'
	# shellcheck disable=SC2086 # words
	try $export_hardware srun -N4 --gres=gpu:8 \
		--dist-train=ddp,procs=task,check=fast sh -c "$ok"
	ran 4
	one_of_ours_is_none
	hardware node3 "cd sys/class/infiniband/mlx5_1/ports/1
		echo '1: DOWN' > state; echo '2: Polling' > phys_state"
	hardware node2 "echo '200 Gb/sec (4X HDR)' \
		> sys/class/infiniband/mlx5_0/ports/1/rate"
	# shellcheck disable=SC2086 # words
	try $export_hardware srun -N4 --gres=gpu:8 \
		--dist-train=ddp,procs=task,check=fast sh -c "$ok"
	refused ': node3: port mlx5_1/1 is DOWN \(Polling\), but ACTIVE on node'
	one_of_ours '^dist-train: check: node2: port mlx5_0/1 has 200 Gb/s, but 400 on node'
	hardware node3 "cd sys/class/infiniband/mlx5_1/ports/1
		echo '4: ACTIVE' > state; echo '5: LinkUp' > phys_state
		rm /tmp/hw/dev/nvidia5; ln -s gone /tmp/hw/dev/nvidia5"
	# shellcheck disable=SC2086 # words
	try $export_hardware srun -N4 --gres=gpu:8 \
		--dist-train=ddp,procs=task,check=fast sh -c "$ok"
	refused ': node3: Slurm gave 8 GPUs, but only 7 of 8 device files can be opened: nvidia5: '
}

# 5 % of the others' rate
# takes: 0.25
test_slow() {
	with_rate
	as_root node2 'tc qdisc replace dev eth0 root tbf rate 20mbit \
		burst 64kb latency 50ms'
	checked "check=full,timeline=$d/record"
	refused ': node2: its network is slow: [0-9.]+ MB/s with node[134] and [0-9.]+ MB/s with node[134].* the limit is a quarter of that$'
	# The record has each node's figures, also of those that are well
	[ "$(grep '"event":"check"' "$d/record" | grep -Ec \
		'"found":"looked at in [0-9.]+ s(, [0-9.]+ MB/s with node[1-4]){2}"')" \
		-eq 4 ] || fail "not in the record: $(< "$d/record")"
}

# 20 % of what arrives is lost
# long: tests/helpers/check/test_pairs (lossy, what_is_said); check.slow
# takes: 0.25
test_lossy() {
	with_rate
	as_root node3 'nft add table netdev lossy && nft "add chain netdev lossy in {
		type filter hook ingress device eth0 priority 0; }" &&
		nft add rule netdev lossy in numgen random mod 100 \< 20 drop' ||
		skip "no nft on the nodes"
	afterwards "as_root node3 'nft delete table netdev lossy'"
	checked check=full
	refused ': node3: its network (is slow|loses packets): .*the limit is '
}

# close_ports: a firewall lets the ports of the launchers through, and no others
close_ports() {
	local node

	for node in $(nodes); do
		as_root "$node" 'nft add table inet closed && nft "add chain inet closed in {
			type filter hook input priority 0; }" && nft add rule inet \
			closed in iifname eth0 tcp dport 29000-65535 \
			"tcp flags & (syn | ack) == syn" drop' ||
			skip "no nft on the nodes"
		afterwards "as_root $node 'nft delete table inet closed'"
	done
}

# That no node has a figure is no reason to start
# takes: 0.25
test_firewall() {
	close_ports
	checked check=full
	refused ": the step can't start: no pair of nodes can exchange data: .* ports of net.ipv4.ip_local_port_range$"
	try salloc -Q -N4 "$prefix/bin/dist-train" doctor --pairs
	[ "$rc" -eq 1 ] || fail "status $rc, not 1"
	says '^fail  pairs +all +no pair of nodes can exchange data: '
	# Only two of them can: it is the others that are named
	as_root node1 'nft flush chain inet closed in'
	as_root node2 'nft flush chain inet closed in'
	checked check=full
	refused ': node3: its network lets no data through: 0.0 MB/s with node[124] .*; node4: its network lets no data'
}

# Its launcher stands still in the check; on a busy machine it may not have joined
# the others by then, and is named for that
# long: tests/helpers/step/test_node_check (silence, one_hangs)
# takes: 0.25
test_stopped() {
	program=$d/looks
	printf '%s\n' '#!/bin/sh' \
		"[ \"\$(hostname)\" != node3 ] || { echo \$PPID > $d/looking; sleep 30; }" \
		> "$program"
	chmod 755 "$program"
	limit=90 background srun -N4 \
		--dist-train=ddp,check=fast,check-program="$program",timeout=10 \
		sh -c "$ok"
	until_true 30 test -s "$d/looking" || fail "no program"
	# The program's parent is a child of the launcher
	as_root node3 'p=$(ps -o ppid= -p "$(cat '"$d/looking"')") &&
		kill -STOP $p && echo $p > /tmp/check-stopped'
	afterwards "as_root node3 'kill -KILL \$(cat /tmp/check-stopped); rm /tmp/check-stopped'"
	until_true 60 grep -q '^dist-train: ' "$d/bg.out" ||
		fail "nobody is named"
	grep -E "^dist-train: (check=fast: the step can't start: node3: its launcher doesn't answer: nothing has come within 16 s|after 10 s the launchers of 1 of 4 tasks have not answered; silent nodes: node3)" \
		"$d/bg.out" || fail "node3 isn't named: $(< "$d/bg.out")"
	if grep '^rank ' "$d/bg.out"; then fail "processes have started"; fi
}
