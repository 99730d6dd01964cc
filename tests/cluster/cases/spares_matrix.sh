# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# Each of six nodes is lost in each way: five train in the order of their
# numbers, the last one is the spare. PyTorch's DDP.
# clusters: six
# takes: 1
# long: spares and spares_more lose nodes in each way, and chaos loses any of them
# shellcheck disable=SC2034,SC2154 # shared with lib.sh

# shellcheck source-path=SCRIPTDIR source=../losses.sh
. "$here/losses.sh"

# matrix HOW: each node in turn, in a step of its own
matrix() {
	local victim begun

	prop=torch
	for victim in $(nodes); do
		echo "--- $victim: $1"
		lost_at=() woken=()
		rm -rf "$d/training"
		keys=spares=1 train -N6 --ntasks-per-node=1
		trains_in 0 7
		if [ "$victim" = node6 ]; then
			fault "$1" "$victim"
			lost_at=()
			begun=$(steps_done 0)
			until_true $((2 * lease)) has_done 0 $((begun + 200))
			all_is_well 5
		else
			lose "$1" "$victim"
			all_is_well 5,5
		fi
		: > "$d/undo"
	done
}

test_cut() {
	matrix cut
}

test_deaf() {
	matrix deaf
}

test_mute() {
	matrix mute
}

test_kill() {
	matrix kill
}

test_stop() {
	matrix stop
}

test_off() {
	matrix off
}
