# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# groups, where node1 and node3 share a switch, node2 and node4 another one:
# four ranks on two nodes in a row cross, and order=topology cures it.
# clusters: tree
# shellcheck disable=SC2016,SC2034,SC2154 # shared with lib.sh

limit=60
crossing="2 of 2 tp groups cross a switch (node1 and node2); order=topology has 0"

# starts_with WORDS COMMAND...: it starts, with this one line
starts_with() {
	local words=$1

	shift
	try "$@"
	[ "$rc" -eq 0 ] || fail "status $rc: $*"
	[ "$(ours)" = "dist-train: $words" ] || fail "another line: $(ours)"
	layout 8 device
}

# Slurm 26.05 numbers the tasks by switch itself
tasks_by_name() {
	succeed srun -N4 --ntasks-per-node=1 \
		sh -c 'echo "at $SLURM_PROCID $SLURMD_NODENAME"'
	grep -qx 'at 1 node2' "$d/out" ||
		skip "this Slurm puts neighbours on one switch itself"
}

# long: tests/spank/scenarios/groups; groups.one_switch
test_task_mode() {
	tasks_by_name
	starts_with "groups: $crossing" srun -N4 --ntasks-per-node=2 \
		--dist-train=ddp,groups=tp:4 "$show"
}

# long: tests/spank/scenarios/groups, groups-order
test_device_mode() {
	tasks_by_name
	starts_with "groups: $crossing" srun -N4 --ntasks-per-node=1 \
		--dist-train=ddp,procs=2,groups=tp:4+dp "$show"
}

# long: tests/spank/scenarios/groups-strict; order.nvlink_domains
test_strict_refuses() {
	tasks_by_name
	refuse "^dist-train: groups-strict: 2 of 2 tp groups cross a switch" \
		srun -N4 --ntasks-per-node=2 \
		--dist-train=ddp,groups=tp:4+dp,groups-strict=yes "$show"
}

# No line at all
# long: tests/spank/scenarios/groups-order; order.nvlink_domains
test_cured() {
	succeed srun -N4 --ntasks-per-node=2 \
		--dist-train=ddp,groups=tp:4+dp,groups-strict=yes,order=topology \
		"$show"
}

# What no order cures: the two nodes are on two switches, and each has room
test_one_switch() {
	try srun -w 'node[1-2]' --ntasks-per-node=2 \
		--dist-train=ddp,groups=tp:4 "$show"
	layout 4
	[ "$(ours)" = "dist-train: groups: 1 of 1 tp groups crosses a switch \
(node1 and node2); srun --switches=1 has 0 that cross a switch" ] ||
		fail "another line: $(ours)"
	succeed srun -N2 --ntasks-per-node=2 --switches=1 \
		--dist-train=ddp,groups=tp:4,groups-strict=yes "$show"
}

# Each component's srun knows its own part alone: both keys say so, once
# long: tests/spank/scenarios/groups-het
test_het() {
	try srun -N2 -n2 --dist-train=ddp,groups=tp:2,order=topology "$show" : \
		-N2 -n2 "$show"
	layout 4
	[ "$(ours | sort)" = "\
dist-train: groups: those of a heterogeneous step aren't counted
dist-train: order=topology has no effect on a heterogeneous step: its ranks stay in the order of its components" ] ||
		fail "other lines: $(ours)"
	refuse "^dist-train: groups-strict: the groups of a heterogeneous step" \
		srun -N2 -n2 --dist-train=ddp,groups=tp:2,groups-strict=yes \
		"$show" : -N2 -n2 "$show"
}
