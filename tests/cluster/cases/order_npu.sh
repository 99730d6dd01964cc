# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# order=topology with NPUs: the rank table has the order of ranks, on all ways by
# which the nodes tell each other their addresses; and super pods that the
# administrator's inventory tells come before Slurm's switches, which are node1 and
# node3, node2 and node4.
# clusters: treenpu
# takes: 0.5
# shellcheck disable=SC2034,SC2154 # shared with lib.sh
# shellcheck source-path=SCRIPTDIR/.. source=npus.sh
. "$here/npus.sh"

limit=120

order="node1 node1 node3 node3 node2 node2 node4 node4"

# in_order SRUN-ARGUMENT...: two processes on each of these, and one table
in_order() {
	local found

	trains 8 -N4 "$@"
	found=$(sed -n 's/^ascend .*\brank=\([0-9]*\) .*\bnode=\([^ ]*\) .*/\1 \2/p;
		s/^ascend .*\bnode=\([^ ]*\) .*\brank=\([0-9]*\) .*/\2 \1/p' \
		"$d/out" | sort -n | awk '{ print $2 }' | xargs)
	[ "$found" = "$order" ] || fail "$found, not $order"
	no_tables || fail "a table is left"
}

# long: super_pods has both modes
test_device_mode() {
	in_order --gres=npu:2 $ascend,order=topology
}

# long: super_pods has both modes
test_task_mode() {
	in_order --ntasks-per-node=2 --gres=npu:2 $ascend,order=topology
}

# long: exchange.pmix_device_mode; tests/helpers/ranktable/test_exchange: order
test_pmix() {
	need_pmix
	in_order --mpi=pmix --gres=npu:2 $ascend,exchange=pmix,order=topology
	in_order --mpi=pmix --ntasks-per-node=2 --gres=npu:2 \
		$ascend,exchange=pmix,order=topology
}

# The library's own order
# long: tests/spank/scenarios/order-no-effect
test_without_table() {
	try srun -N4 --gres=npu:2 $ascend,table=none,order=topology true
	[ "$rc" -eq 0 ] || fail "status $rc"
	ours | grep -q '^dist-train: order=topology has no effect: ' ||
		fail "not a word"
}

# --- super pods ---------------------------------------------------------------

# pods POD1 POD2 POD3 POD4: in the inventory, until the case ends
pods() {
	local n

	for n in 1 2 3 4; do
		echo "node$n 0-7 address=29.17.$n.[10-17] chip=910B pod=${!n}"
	done > "$d/inventory"
	chmod 644 "$d/inventory"
	afterwards "plugstack '$plug_line'"
	plugstack "optional $plugin inventory=$d/inventory"
}

test_super_pods() {
	pods 7 8 8 7
	order="node1 node1 node4 node4 node2 node2 node3 node3"
	in_order --gres=npu:2 $ascend,order=topology
	in_order --ntasks-per-node=2 --gres=npu:2 $ascend,order=topology
	in_order --gres=npu:2 $ascend,order=topology,exchange=none
}

# An inventory that tells nothing else
# long: tests/spank/scenarios/order-pods-alone
test_pods_alone() {
	pods 7 8 8 7
	sed -i 's/address=[^ ]* chip=910B //' "$d/inventory"
	order="node1 node1 node4 node4 node2 node2 node3 node3"
	in_order --gres=npu:2 $ascend,order=topology
}

# Frameworks that run on anything: these devices are NPUs, others are not
# long: tests/spank/scenarios/order-pods-gpu, order-pods-none,
# order-pods-unasked
test_ddp() {
	pods 7 8 8 7
	succeed srun -N4 --gres=npu:2 --dist-train=ddp,procs=1,order=topology "$show"
	[ "$(sed -n 's/^show node=\([^ ]*\) .* RANK=\([0-9]*\) .*/\2 \1/p' "$d/out" |
		sort -n | awk '{ print $2 }' | xargs)" = \
		"node1 node4 node2 node3" ] || fail "another order"
	chmod 600 "$d/inventory"
	succeed srun -N4 --dist-train=ddp,order=topology \
		sh -c 'echo "$RANK $SLURMD_NODENAME"'
	says '^1 node3$'
}

# A group inside a super pod doesn't go by the switches
# long: tests/spank/scenarios/groups-pods, groups-strict; order.nvlink_domains
# (groups and blocks of an inventory)
test_pods_in_groups() {
	pods 7 8 8 7
	try srun -N4 --gres=npu:2 $ascend,groups=tp:4+dp true
	[ "$rc" -eq 0 ] || fail "status $rc"
	ours | grep -q '^dist-train: groups: 2 of 2 tp groups cross a block (node1 and node2); order=topology has 0$' ||
		fail "$(ours)"
	refuse 'groups-strict: 2 of 2 tp groups cross a block' srun -N4 \
		--gres=npu:2 $ascend,groups=tp:4+dp,groups-strict=yes true
	succeed srun -N4 --gres=npu:2 \
		$ascend,groups=tp:4+dp,groups-strict=tp,order=topology true
}

# A line about it, and the switches count
# long: tests/spank/scenarios/order-pods-unread
test_unread() {
	pods 7 8 8 7
	chmod 600 "$d/inventory"
	try srun -N4 --gres=npu:2 --dist-train=ddp,procs=1,order=topology \
		sh -c 'echo "$RANK $SLURMD_NODENAME"'
	[ "$rc" -eq 0 ] || fail "status $rc"
	says '^1 node3$'
	[ "$(ours)" = "dist-train: order=topology: super pods and NVLink domains aren't known on this host: $d/inventory: Permission denied" ] ||
		fail "$(ours)"
}

# The last node of the order is in reserve
# long: tests/frameworks/ascend/spares, order-pods
test_pods_and_spares() {
	pods 7 8 8 7
	succeed srun -N4 --gres=npu:2 $ascend,order=topology,spares=1 \
		sh -c 'echo "$RANK $SLURMD_NODENAME"'
	says '^2 node4$'
	says_not 'node3'
}
