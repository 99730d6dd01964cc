# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# order=topology where node1 and node3 share a switch, node2 and node4 another
# one: the nodes' order is 1, 3, 2, 4, whoever asks.
# clusters: tree
# shellcheck disable=SC2034,SC2154 # shared with lib.sh

o=order=topology

# ordered WANTED: "NODE:RANK..." of the processes, in the order of ranks; each
# sees Slurm's variables as if that were Slurm's order
ordered() {
	local found

	layout "$(wc -w <<< "$1")" device
	found=$(sed -n 's/^show node=\([^ ]*\) .* RANK=\([0-9]*\) .*/\2 \1/p' \
		"$d/out" | sort -n | awk '{ print $2 ":" $1 }' | xargs)
	[ "$found" = "$1" ] || fail "$found, not $1"
}

test_task_mode() {
	succeed srun -N4 --ntasks-per-node=2 --dist-train=ddp,$o "$show"
	ordered "node1:0 node1:1 node3:2 node3:3 node2:4 node2:5 node4:6 node4:7"
	says "procid=2 localid=0 nodeid=1 .* RANK=2 .* LOCAL_RANK=0 .* GROUP_RANK=1 "
}

test_device_mode() {
	succeed srun -N4 --ntasks-per-node=1 --dist-train=ddp,procs=2,$o "$show"
	ordered "node1:0 node1:1 node3:2 node3:3 node2:4 node2:5 node4:6 node4:7"
}
