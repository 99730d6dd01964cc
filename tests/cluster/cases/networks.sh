# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# A network that loses packets, for a while or at random: the key lease.
# clusters: plain
# takes: 0.25
# shellcheck disable=SC2034,SC2154 # shared with lib.sh

# shellcheck source-path=SCRIPTDIR source=../shells.sh
. "$here/shells.sh"

limit=150

# rules in|out|both [WORDS]: nft's, for packets of node3: all or those that the
# words name
rules() {
	echo "add table inet cut
		add chain inet cut i { type filter hook input priority 0; }
		add chain inet cut o { type filter hook output priority 0; }"
	[ "$1" = out ] || echo "add rule inet cut i iifname eth0 ${2:-} drop"
	[ "$1" = in ] || echo "add rule inet cut o oifname eth0 ${2:-} drop"
}

# drop in|out|both [WORDS]: from now on
drop() {
	root node3 nft "$(rules "$@")" || fail "nft"
}

heal() {
	root node3 nft delete table inet cut || fail "nft"
}

# outage in|out|both: of two thirds of the lease; where the machine is so busy
# that it took longer than the lease, it says nothing
outage() {
	# shellcheck disable=SC2016 # of that shell
	root node3 sh -c 'began=$(date +%s%N)
		nft "$0" && sleep 3.3 && nft delete table inet cut
		[ $((($(date +%s%N) - began) / 1000000000)) -lt "$1" ]' \
		"$(rules "$1")" $lease ||
		skip "this machine is too busy for an outage of 3.3 s"
}

need_nft() {
	root node3 nft list ruleset > /dev/null 2>&1 || skip "no nft on the nodes"
	afterwards "root node3 nft delete table inet cut 2> /dev/null"
}

# outages WAY...: both or one of its ways, at different moments between two questions of keepalive. There
# is time for an answer in between, so that each counts for itself.
outages() {
	local way pause=2.0

	for way; do
		outage "$way"
		sleep "$pause"
		pause=2.${pause#2.}3
	done
	sleep $lease
	goes_on "an outage of less than the lease"
}

test_short_outage() {
	need_nft
	begin "" "exec sleep 77"
	outages both in both out
	kill_rank node2
	ends 137 $((grace + 20))
	blames "rank 3 .*SIGKILL"
}

is_cut() {
	root node3 nft list table inet cut > /dev/null 2>&1
}

# The failure is told, and the order to end comes, when the network is back
test_failure_in_an_outage() {
	need_nft
	begin "" "exec sleep 77"
	outage both &
	until_true 5 is_cut
	kill_rank node3
	wait $! || skip "$(< "$d/why")"
	ends 137 $((grace + 30))
	blames "rank 5 .*SIGKILL"
}

# Restarts: the orders to end and to begin are on their way meanwhile
test_restart_in_an_outage() {
	need_nft
	# shellcheck disable=SC2016 # of that shell
	begin ",restarts=1" 'echo "life $DIST_TRAIN_RESTART"; exec sleep 77'
	outage both &
	until_true 5 is_cut
	kill_rank node2
	wait $! || skip "$(< "$d/why")"
	until_true 30 second_life || fail "no restart: $(cat "$d"/step.*)"
	goes_on "an outage"
	kill_rank node3
	ends 137 $((grace + 20))
}

second_life() {
	[ "$(grep -c '^life 1' "$d/step.out")" -eq 8 ]
}

# long_outage WAY
long_outage() {
	local seen

	need_nft
	begin "" "exec sleep 77"
	drop "$1"
	ends 137 $((lost + grace + 20))
	blames "no sign of life from node3 for [0-9]+ s: node or network lost"
	seen=$(told | sed -n 's/.* from node3 for \([0-9]*\) s: .*/\1/p')
	[ "$seen" -ge $lease ] || fail "only $seen s"
	until_true $((lost + grace + 20)) no_rank node3 ||
		fail "processes are left on node3"
	heal
	until_true 30 all_respond || fail "node3 doesn't come back"
}

all_respond() {
	! root login sinfo -h -N -o %T | grep -Eq '\*|down|drain|unk'
}

test_long_outage() {
	long_outage both
}

# long: networks_delay.cut_to_the_node
test_long_outage_in() {
	long_outage in
}

# long: networks_delay.cut_from_the_node
test_long_outage_out() {
	long_outage out
}

# The default lease: seventeen questions would have to be lost in a row
test_random_loss() {
	need_nft
	lease=15
	begin "" "exec sleep 77"
	drop both "numgen random mod 10 0"
	sleep 30
	goes_on "a loss of 10 %"
	heal
	kill_rank node2
	ends 137 $((grace + 20))
}
