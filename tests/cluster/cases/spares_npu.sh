# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# A lost node's NPUs are replaced by those of a spare: every rank's table is
# made anew, and is right for its node (tests/clients/ascend_check.py); the
# ranks then talk to those whom it names.
# clusters: npu
# shellcheck disable=SC2034,SC2154 # shared with lib.sh

# shellcheck source-path=SCRIPTDIR source=../losses.sh
. "$here/losses.sh"

# npus SRUN-ARGUMENT...
npus() {
	local tool=$prefix/bin/dist-train

	judge=(--no-curve)
	program="$PYTHON $top/tests/clients/ascend_check.py $tool --
		$PYTHON $top/tests/clients/ranktable_talk.py"
	framework=ascend train "$@"
}

# rows ROUND ADDRESS...: of its ranks, in their order. Another rank's first step
# may come before they have all begun.
rows() {
	until_true 10 rows_are "$@" ||
		fail "round $1 has the NPUs $(rows_of "$1"), not ${*:2}"
}

rows_are() {
	[ "$(rows_of "$1")" = "${*:2}" ]
}

rows_of() {
	sed -n "s/^begin round=$1 rank=\([0-9]*\) .* row=[^,]*,\(.*\)/\1 \2/p" \
		"$folder/log" | sort -n | cut -d ' ' -f 2 | xargs
}

# The last one that ranks have begun
last_round() {
	sed -n 's/^begin round=\([0-9]*\) .*/\1/p' "$folder/log" | sort -n |
		tail -n 1
}

test_table_of_the_new_world() {
	keys=spares=2 npus -N4 --ntasks-per-node=1 --gres=npu:2
	trains_in 0 7
	rows 0 29.17.1.10 29.17.1.11 29.17.2.10 29.17.2.11
	lose kill node2
	rows 1 29.17.1.10 29.17.1.11 29.17.3.10 29.17.3.11
	lose cut node1
	rows 2 29.17.4.10 29.17.4.11 29.17.3.10 29.17.3.11
	all_is_well 4,4,4
}

# Fewer nodes, each rank a task. The node's two launchers end one after the
# other, and where task 0's outlives the other one, it has begun round 1 without
# it when it ends, too.
test_table_of_a_smaller_world() {
	keys=on-node-loss=shrink:1 npus -N2 --ntasks-per-node=2 --gres=npu:2
	trains_in 0 7
	lose kill node1
	rows "$(last_round)" 29.17.2.10 29.17.2.11
	all_is_well 4,2
}
