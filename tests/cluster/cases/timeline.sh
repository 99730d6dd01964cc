# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# The step's record on several nodes, and what dist-train makes of it.
# clusters: plain
# shellcheck disable=SC2034,SC2154 # shared with lib.sh

tool=$prefix/bin/dist-train

# recorded N REGEX FILE: that many lines
recorded() {
	local n

	n=$(grep -Ec -- "$2" "$3")
	[ "$n" -eq "$1" ] || fail "$n lines '$2', not $1: $(cat "$3")"
}

# One file for all nodes, and two tasks on one of them
test_one_file() {
	# shellcheck disable=SC2016
	try srun -N4 -n5 --dist-train="ddp,grace=0,timeline=$d/%j.%s" sh -c \
		'echo up; [ $RANK != 3 ] || exit 3; exec sleep 30'
	[ "$rc" -ne 0 ] || fail "status 0"
	cat "$d"/[0-9]*.0 > "$d/record"
	recorded 5 '"event":"starting"' "$d/record"
	recorded 2 '"event":"starting".*"node":"node1"' "$d/record"
	recorded 1 '"event":"ended","rank":3,.*"code":3}' "$d/record"
	recorded 0 '^[^{]|[^}]$|\}\{' "$d/record"
	succeed "$tool" timeline "$d/record" -o "$d/record.html"
	recorded 1 '"failure":"first failure: rank 3 \(worker\) on node3, exit code 3' \
		"$d/record.html"
	recorded 1 '"step":"[0-9]+\.0\.0".*"framework":"ddp".*"processes":5,"nodes":4,' \
		"$d/record.html"
	succeed "$tool" timeline "$d/record"
	grep -q '^last to arrive: node[1-4], .* the median of 4 nodes$' \
		"$d/out" || fail "no node is named: $(< "$d/out")"
}

# One for each node, below a folder that is made
# long: metrics.files_of_shells (timeline=...%n on two nodes);
# tests/helpers/cli/test_pictures (%N)
test_file_of_each_node() {
	succeed srun -N3 --gres=gpu:2 \
		--dist-train="ddp,timeline=$d/logs/%N" true
	recorded 2 '"event":"ended".*"code":0}' "$d/logs/node2"
	[ "$(find "$d/logs" -type f | wc -l)" -eq 3 ] || fail "not three files"
}
