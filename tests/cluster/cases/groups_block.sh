# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# groups, where node1, node3 and node5 are a block of Slurm's topology/block,
# node2, node4 and node6 another one.
# clusters: block
# long: Slurm 22.05 has no blocks: it is tests/matrix that runs it
# shellcheck disable=SC2034,SC2154 # shared with lib.sh

limit=60
crossing='2 of 2 tp groups cross a block \(node1 and node2\); order=topology has 0'
# Three nodes of one block and one of the other: two pairs in no order
uneven=(-w 'node[1-3,5]' --ntasks-per-node=1)
segment='1 of 2 tp groups crosses a block \(node[135] and node2\); srun --segment=2 with order=topology has 0 that cross a block'

# Slurm 26.05 follows the topology itself, which order=topology says first
# (order.who_orders)
ours() {
	grep '^dist-train: ' "$d/err" | grep -v ': order=topology changes no rank: '
}

# by_name WORDS: tasks in the order of the nodes' names, which not every Slurm
# does by itself; and Slurm has no such order for a job with topology/block
by_name() {
	printf 'node%s\n' 1 2 3 4 > "$d/hosts"
	by_name=(salloc -Q -n4 -w 'node[1-4]' env SLURM_HOSTFILE="$d/hosts" srun
		-n4 -m arbitrary --dist-train="ddp,$1" "$show")
}

# starts_with WORDS COMMAND...: it starts, with this one line
starts_with() {
	local words=$1

	shift
	try "$@"
	[ "$rc" -eq 0 ] || fail "status $rc: $*"
	one_line "^dist-train: groups: $words\$"
}

test_task_mode() {
	by_name groups=tp:2
	starts_with "$crossing" "${by_name[@]}"
	layout 4
}

test_device_mode() {
	by_name procs=2,groups=tp:4+dp
	starts_with "$crossing" "${by_name[@]}"
	layout 8 device
}

test_strict_refuses() {
	by_name groups=tp:2+dp,groups-strict=yes
	refuse "^dist-train: groups-strict: $crossing\$" "${by_name[@]}"
	says_not .
}

# No line at all
test_cured_by_order() {
	by_name groups=tp:2+dp,groups-strict=yes,order=topology
	succeed "${by_name[@]}"
	layout 4 device
}

# What no order cures: Slurm has to choose other nodes
test_segment() {
	starts_with "$segment" srun "${uneven[@]}" \
		--dist-train=ddp,groups=tp:2,order=topology "$show"
	layout 4 device
	refuse "^dist-train: groups-strict: $segment\$" srun "${uneven[@]}" \
		--dist-train=ddp,groups=tp:2,order=topology,groups-strict=yes \
		"$show"
	succeed srun -N4 --ntasks-per-node=1 --segment=2 \
		--dist-train=ddp,groups=tp:2,order=topology,groups-strict=yes \
		"$show"
	layout 4 device
}
