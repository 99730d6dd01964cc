# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# A lost node doesn't end the training, which has checkpoints, on nodes that are
# lost in each way, and spares. PyTorch's DDP is that of two_at_once, and of
# spares_matrix, which has each node and each way.
# clusters: six
# shellcheck disable=SC2034,SC2154 # shared with lib.sh

# shellcheck source-path=SCRIPTDIR source=../losses.sh
. "$here/losses.sh"

# A spare is lost, which nobody in the training notices; then rank 0's node and
# another one at once: the spares that are left have their places. Which round that
# is depends on whether node1 has seen the loss of node3.
# takes: 1
test_two_at_once() {
	prop=torch
	keys=spares=3 train -N6 --ntasks-per-node=1
	trains_in 0 7
	fault kill node4
	lost_at=()
	trains_in 0 40
	lose kill node1 node3
	all_is_well 3,3
	tells '^dist-train: node4, a spare, is lost: 2 spares are left'
	grep -q '^begin round=[12] rank=0 .* node=node5 ' "$folder/log" ||
		fail "node5 hasn't node1's place"
	grep -q '^begin round=[12] rank=2 .* node=node6 ' "$folder/log" ||
		fail "node6 hasn't node3's place"
	grep -q '^begin round=[12] rank=1 .* node=node2 ' "$folder/log" ||
		fail "node2 has another place"
}

# A node that hears nobody, though it is heard, comes back, and is the spare for
# rank 0's node, which stands still; that one comes back, too
test_comes_back_as_a_spare() {
	keys=spares=1 train -N3 --ntasks-per-node=2
	trains_in 0 7
	lose deaf node2
	returns node2
	lose stop node1
	returns node1
	all_is_well 4,4,4
	grep -q '^begin round=2 rank=0 .* node=node2 ' "$folder/log" ||
		fail "node2 hasn't node1's place"
}

# One way: what node1 says doesn't arrive, though it hears the others
test_mute_first_node() {
	keys=spares=1,procs=2 train -N3 --ntasks-per-node=1
	trains_in 0 7
	lose mute node1
	all_is_well 4,4
}

# A replacement has begun when the next node is lost
test_one_during_a_replacement() {
	keys=spares=2 train -N4 --ntasks-per-node=1
	trains_in 0 7
	fault kill node2
	tells '^dist-train: node2 .*: node3, a spare, takes its place'
	lose off node1
	all_is_well '2,2(,2)?'
	grep -q '^begin round=[12] rank=0 .* node=node4 ' "$folder/log" ||
		fail "node4 hasn't node1's place"
}

# No spare is left: one node less, but not fewer than two. Then the ladder ends.
# long: spares_npu.table_of_a_smaller_world;
# tests/helpers/channel/test_recovery (no_spare: shrink:2)
test_shrink() {
	keys=on-node-loss=shrink:2 train -N3 --ntasks-per-node=1
	trains_in 0 7
	lose kill node1
	fault cut node2
	step_ends 137
	tells '^dist-train: node2 .*, and nothing can take its place: the step fails \(on-node-loss=shrink:2'
	nodes_are_clean
}
