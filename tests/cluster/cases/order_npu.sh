# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# order=topology with NPUs: the rank table has the order of ranks, on all ways by
# which the nodes tell each other their addresses.
# clusters: treenpu
# shellcheck disable=SC2034,SC2154 # shared with lib.sh
# shellcheck source-path=SCRIPTDIR/.. source=npus.sh
. "$here/npus.sh"

limit=120

# in_order SRUN-ARGUMENT...: two processes on each of node1, 3, 2, 4, and one table
in_order() {
	local found

	trains 8 -N4 "$@"
	found=$(sed -n 's/^ascend .*\brank=\([0-9]*\) .*\bnode=\([^ ]*\) .*/\1 \2/p;
		s/^ascend .*\bnode=\([^ ]*\) .*\brank=\([0-9]*\) .*/\2 \1/p' \
		"$d/out" | sort -n | awk '{ print $2 }' | xargs)
	[ "$found" = "node1 node1 node3 node3 node2 node2 node4 node4" ] ||
		fail "$found"
	no_tables || fail "a table is left"
}

test_device_mode() {
	in_order --gres=npu:2 $ascend,order=topology
}

test_task_mode() {
	in_order --ntasks-per-node=2 --gres=npu:2 $ascend,order=topology
}

test_pmix() {
	need_pmix
	in_order --mpi=pmix --gres=npu:2 $ascend,exchange=pmix,order=topology
	in_order --mpi=pmix --ntasks-per-node=2 --gres=npu:2 \
		$ascend,exchange=pmix,order=topology
}

# The library's own order
test_without_table() {
	try srun -N4 --gres=npu:2 $ascend,table=none,order=topology true
	[ "$rc" -eq 0 ] || fail "status $rc"
	ours | grep -q '^dist-train: order=topology has no effect: ' ||
		fail "not a word"
}
