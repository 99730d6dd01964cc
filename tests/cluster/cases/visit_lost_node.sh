# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# The way into a step that has lost the node of task 0.
# clusters: six
# takes: 0.25
# shellcheck disable=SC2034,SC2154 # shared with lib.sh

# shellcheck source-path=SCRIPTDIR source=../losses.sh
. "$here/losses.sh"

look="$prefix/bin/dist-train"

# ranks_on NODES AWAY: the ranks of the last output, JSON, are there, one on each;
# the launchers of those away aren't here
ranks_on() {
	python3 -c 'import json, sys
s = json.load(open(sys.argv[1]))
assert " ".join(r["node"] for r in s["ranks"]) == sys.argv[2], s
assert " ".join(s["away"]) == sys.argv[3], s' "$d/out" "$@" ||
		fail "not ranks on $1, or not '$2' away"
}

# Rank 0's node is off
test_first_node() {
	local job

	keys=spares=2 train -N4 --ntasks-per-node=1
	trains_in 0 5
	job=$(root login squeue -h -o %A)
	succeed "$look" status --json "$job"
	ranks_on "node1 node2" ""
	lose off node1
	try "$look" status --json "$job"
	[ "$rc" -eq 0 ] || fail "status $rc"
	ranks_on "node3 node2" node1
	one_line "1 of the step's launchers aren't there"
	within 12
	echo "looked for $took ms"
	finish 0
}
