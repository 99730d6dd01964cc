# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# The way into a step whose leading launcher has moved with a lost node.
# clusters: six
# shellcheck disable=SC2034,SC2154 # shared with lib.sh

# shellcheck source-path=SCRIPTDIR source=../losses.sh
. "$here/losses.sh"

look="$prefix/bin/dist-train"

# Rank 0's node is off; then the next leader's launcher is gone
test_has_moved() {
	local job

	keys=spares=2 train -N4 --ntasks-per-node=1
	trains_in 0 5
	job=$(root login squeue -h -o %A)
	succeed "$look" status "$job"
	[ "$(wc -l < "$d/out")" -eq 2 ] || fail "not two ranks"
	lose off node1
	try "$look" status "$job"
	[ "$rc" -eq 0 ] || fail "status $rc"
	[ "$(wc -l < "$d/out")" -eq 2 ] || fail "not two ranks"
	says_not 'node1'
	one_line "1 of the step's launchers aren't there"
	[ "$took" -lt 4000 ] || fail "$took ms"
	echo "looked for $took ms"
}
