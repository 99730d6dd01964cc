# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# srun or a launcher is stopped while a rank fails: the others end all the same.
# clusters: plain
# shellcheck disable=SC2034,SC2154 # shared with lib.sh

# shellcheck source-path=SCRIPTDIR source=../shells.sh
. "$here/shells.sh"

limit=200
step_limit=180

stop_srun() {
	# shellcheck disable=SC2016 # of that shell
	root login sh -c 'kill "-$0" "$1" $(pgrep -x -P "$1" srun)' \
		"$1" "$(< "$d/srun")"
}

# is_full: the writers on all nodes wait for somebody who reads
is_full() {
	local node

	for node in node1 node2 node3 node4; do
		# shellcheck disable=SC2016 # of that shell
		root $node sh -c 'for p in $(pgrep -x yes); do
				grep -q pipe /proc/$p/wchan || exit 1
			done' || return 1
	done
}

no_yes() {
	local node

	for node in node1 node2 node3 node4; do
		! root $node pgrep -x yes > /dev/null || return 1
	done
}

# nobody_reads NODE: where the rank fails
nobody_reads() {
	# Ranks that write before all are ready may keep srun from them
	begin "" "until [ -e $d/go ]; do sleep 0.1; done
		exec yes \"\$DIST_TRAIN_RANK\" >&2"
	stop_srun STOP
	touch "$d/go"
	until_true 30 is_full || fail "the pipes don't get full"
	until_true 10 root "$1" pkill -KILL -n -x yes || fail "no rank on $1"
	until_true $((grace + 5 + 20)) no_yes ||
		fail "ranks run on, though a rank of $1 was killed"
	stop_srun CONT
	# Slurm's own: it has much to write now
	until_true 120 has_ended || fail "srun doesn't end"
	[ "$(< "$d/status")" -eq 137 ] || fail "status $(< "$d/status")"
	told | grep -q 'first failure' || fail "nobody is named"
}

# long: a failure on node3, whose way is longer
test_nobody_reads_node1() {
	nobody_reads node1
}

test_nobody_reads_node3() {
	nobody_reads node3
}

# The launcher of task 0 is none but its node's: a failure elsewhere is decided
# and told without it, and Slurm's kill-on-bad-exit ends it
# takes: 0.25
test_launcher_stopped() {
	begin "" "exec sleep 77"
	# Ranks may run before all launchers have met
	"$here/node_fault" "$cluster" joined node3 ||
		fail "node3's launcher hasn't joined"
	signal_launcher node1 STOP
	kill_rank node3
	until_true $((grace + 10)) no_rank node2 node3 node4 ||
		fail "ranks run on: $(told)"
	until_true 60 has_ended || fail "srun doesn't end"
	blames "rank 5 .*SIGKILL.*first failure"
}

# Nobody decides for the step: Slurm's kill-on-bad-exit ends the other nodes
# takes: 0.25
test_controller_stopped() {
	begin "" "exec sleep 77"
	"$here/node_fault" "$cluster" joined node3 ||
		fail "node3's launcher hasn't joined"
	signal_controller STOP
	kill_rank node3
	until_true $((grace + 10 + 30)) no_rank node2 node3 node4 ||
		fail "ranks run on: $(told)"
	told | grep -Eq "the step's controller on srun's host has not answered a failure on node3 for $((grace + 10)) s" ||
		fail "not said: $(told)"
	until_true 30 grep -q 'first failure' "$d/step.err" ||
		fail "nobody is named: $(told)"
	# With Slurm's SIGTERM comes a SIGCONT: the controller may name the loss
	# of node3's, too
	told | grep -Eq "^dist-train: rank 5 .*SIGKILL.*first failure" ||
		fail "rank 5 isn't named: $(told)"
	until_true 60 has_ended || fail "srun doesn't end"
	# The highest of all tasks: of those that Slurm's SIGTERM ended, unless
	# the controller tells them the failure before they leave
	[[ $(< "$d/status") == @(137|143) ]] ||
		fail "status $(< "$d/status"): $(told)"
}

# It is killed: the step ends at once, and one line says why
# takes: 0.25
test_controller_killed() {
	begin "" "exec sleep 77"
	"$here/node_fault" "$cluster" joined node3 ||
		fail "node3's launcher hasn't joined"
	signal_controller KILL
	until_true 5 no_rank node1 node2 node3 node4 ||
		fail "ranks run on: $(told)"
	until_true 5 has_ended || fail "srun doesn't end"
	blames "the step's controller beside srun has ended, or the connection to it is lost \\(first failure\\)"
	[ "$(< "$d/status")" -eq 137 ] || fail "status $(< "$d/status"): $(told)"
}
