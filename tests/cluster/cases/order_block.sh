# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# order=topology where node1, node3 and node5 are a block of Slurm's
# topology/block, node2, node4 and node6 another one.
# clusters: block
# long: Slurm 22.05 has no blocks: it is tests/matrix that runs it
# shellcheck disable=SC2034,SC2154 # shared with lib.sh

o=order=topology
four=(-w 'node[1-4]' --ntasks-per-node=1)

# ordered NODE...: the nodes of ranks 0, 1, 2...
ordered() {
	local found

	layout "$#" device
	found=$(sed -n 's/^show node=\([^ ]*\) .* RANK=\([0-9]*\) .*/\2 \1/p' \
		"$d/out" | sort -n | awk '{ print $2 }' | xargs)
	[ "$found" = "$*" ] || fail "$found, not $*"
}

test_task_mode() {
	succeed srun "${four[@]}" --dist-train=ddp,$o "$show"
	ordered node1 node3 node2 node4
}

test_device_mode() {
	succeed srun "${four[@]}" --dist-train=ddp,procs=2,$o "$show"
	ordered node1 node1 node3 node3 node2 node2 node4 node4
}
