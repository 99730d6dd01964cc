# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# A ring of Slurm's topology/ring: node3, node1, node4, node2; and a torus of two rows,
# where that order is the nearest, too. Slurm's tasks follow it, and so do the ranks.
# clusters: ring torus
# takes: 0.25
# shellcheck disable=SC2016,SC2034,SC2154 # shared with lib.sh

# in_turn: "NODE:RANK..." as in the ring
in_turn() {
	local found

	found=$(sed -n 's/^show node=\([^ ]*\) .* RANK=\([0-9]*\) .*/\2 \1/p' "$d/out" |
		sort -n | awk '{ print $2 ":" $1 }' | xargs)
	[ "$found" = "node3:0 node1:1 node4:2 node2:3" ] || fail "another order: $found"
}

test_ranks() {
	succeed srun -N4 --ntasks-per-node=1 --dist-train=ddp,groups=tp:2+dp "$show"
	in_turn
	try srun -N4 --ntasks-per-node=1 --dist-train=ddp,order=topology "$show"
	one_line 'order=topology changes no rank: '
	in_turn
	says 'node=node1 .* nodeid=1 .* RANK=1 .* GROUP_RANK=1 '
}
