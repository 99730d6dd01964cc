# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# node3 is far away: 200 ms each way. And a line that is cut in one direction
# only, for longer than the lease.
# clusters: plain
# shellcheck disable=SC2016,SC2034,SC2154 # shared with lib.sh

# shellcheck source-path=SCRIPTDIR source=../steps.sh
. "$here/steps.sh"

keys=procs=2,grace=$grace,lease=$lease,timeout=30

# far_away MILLISECONDS: between node3 and the bridge is a program
far_away() {
	afterwards near_again
	root login sh -c 'ip link add slow0 type veth peer name slow1 &&
		ip link set slow1 master cluster0 up &&
		ip link set port3 nomaster promisc on up &&
		ip link set slow0 promisc on up' || fail "no long line"
	stranger root login delay port3 slow0 "$1"
	until_true 20 all_respond || fail "node3 can't be reached"
}

near_again() {
	root login sh -c 'pkill -f "^[^ ]*python[^ ]* .*clients/delay[.]py"
		ip link set port3 master cluster0 promisc off
		ip link del slow0'
}

round_trip_ms() {
	user=alice node=login at "$PYTHON" -c '
import socket, time
t = time.monotonic()
socket.create_connection(("node3", 6818), 10)
print(int((time.monotonic() - t) * 1000))'
}

# It starts, and is restarted in place; who fails there then is known here.
# Another one ends well.
test_long_line() {
	local ms

	far_away 200
	ms=$(round_trip_ms)
	[ "$ms" -ge 400 ] || fail "the line has a round trip of $ms ms"
	launch far --dist-train="ddp,$keys,restarts=1"
	all_up
	root node3 kill -KILL "$(< "$s/up.5")"
	wait_for "the second round" up.0.1 up.3.1 up.5.1
	root node3 kill -KILL "$(< "$s/up.5.1")"
	step_ends 137
	blames_rank_5
	[ "$(step_says | grep -c 'restart 1 of 1')" -eq 1 ] ||
		fail "other restarts: $(step_says)"
	nothing_left_of_step
	launch service --dist-train="horovod,controller=gloo,$keys"
	all_up
	may_go
	step_ends 0
	[ -z "$(step_says)" ] || fail "unexpected: $(step_says)"
	next_step_works
}

blames_rank_5() {
	step_says | grep 'first failure' | grep -q \
		'^dist-train: rank 5 (worker) on node3, .*signal 9 (SIGKILL)' ||
		fail "the failure isn't told: $(step_says)"
}

turn() {
	root login pkill "-$1" -f '^[^ ]*python[^ ]* .*clients/delay[.]py' ||
		fail "nobody forwards"
}

# cut_one_way SIGNAL: the program's, by which it takes one direction away
cut_one_way() {
	far_away 1
	launch cut --dist-train="ddp,$keys"
	all_up
	find_job
	turn "$1"
	step_ends 137
	step_says | grep -q 'no sign of life from node3 for [0-9]* s: .*first failure' ||
		fail "node3 isn't named: $(step_says)"
	# By themselves: nobody can tell them
	until_true 60 no_rank_on node3 || fail "ranks stay on node3"
	turn "$1"
	node_returns
	nothing_left_of_step
	next_step_works
}

no_rank_on() {
	! root "$1" pgrep -f 'clients/waits[.]sh' > /dev/null
}

# long: networks_delay.cut_to_the_node; spares.mute_first_node;
# tests/helpers/channel/test_recovery (cut_one_way)
test_cut_from_the_node() {
	cut_one_way USR1
}

test_cut_to_the_node() {
	cut_one_way USR2
}
