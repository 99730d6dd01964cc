# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# Launchers that meet late or never: ports that are closed between the nodes, a
# first node that is slow, a node that stays silent.
# clusters: faulty
# takes: 0.25
# shellcheck disable=SC2016,SC2034,SC2154 # shared with lib.sh

limit=90
four=(-N4 --ntasks-per-node=1)
together="after 4 s the launchers of 3 of 4 tasks have not answered; silent nodes: node2,node3,node4; the step goes on"

# close_ports: nobody reaches node1, and no node srun's host, at the ports of ports=
close_ports() {
	local node

	user=root node=node1 at test -x /usr/sbin/nft || skip "the nodes have no nft"
	for node in node1 login; do
		as_root $node '/usr/sbin/nft -f - <<- END
			table inet meeting {
				chain in {
					type filter hook input priority 0
					iifname != lo tcp dport 20000-28999 ct state new drop
				}
			}
		END'
		afterwards "as_root $node '/usr/sbin/nft delete table inet meeting'"
	done
}

# ran N TEXT: so many processes have said that
ran() {
	[ "$(grep -c "$2$" "$d/out")" -eq "$1" ] || fail "not $1 times '$2'"
}

# told REGEX: in a line of ours
told() {
	ours | grep -Eq -- "$1" || fail "no line '$1': $(ours)"
}

# The ranks wait with this until the user has heard of it
until_told='until [ -e $0/told ]; do sleep 0.2; done'
touch_when_told() {
	(until_true 60 grep -q 'silent nodes' "$d/err" && touch "$d/told") &
}

# long: tests/helpers/channel/test_session (never, no_server);
# meeting.ports_closed_and_a_failure
test_ports_closed() {
	close_ports
	touch_when_told
	try srun "${four[@]}" --dist-train=ddp,procs=2,timeout=4 \
		sh -c "$until_told; echo \"rank \$RANK ran\"" "$d"
	[ "$rc" -eq 0 ] || fail "status $rc"
	ran 8 ran
	told "$together\$"
	told "node1 can't reach the step's controller on srun's host .*: it runs on node1"
	[ "$(ours | wc -l)" -eq 2 ] || fail "more lines: $(ours)"
}

test_ports_closed_and_a_failure() {
	close_ports
	try srun "${four[@]}" --dist-train=ddp,procs=2,timeout=4,grace=1 \
		sh -c '[ $RANK != 7 ] || exit 3; exec sleep 80'
	[ "$rc" -ne 0 ] || fail "status 0"
	told 'rank 7 .* on node4.*: exit code 3'
	within 60
}

# long: tests/helpers/channel/test_session: never; as ports_closed
test_ports_closed_and_restarts() {
	close_ports
	touch_when_told
	try srun "${four[@]}" \
		--dist-train=ddp,procs=2,timeout=4,grace=1,restarts=1 \
		sh -c "$until_told; [ \$RANK != 0 ] || kill -KILL \$\$; exec sleep 80" "$d"
	[ "$rc" -ne 0 ] || fail "status 0"
	told "$together, and nothing is restarted until all launchers are here\$"
	told 'no restart: the launchers of 3 of 4 tasks have not answered$'
	within 60
}

# be_slow NODE SECONDS: a task prolog takes so long there
be_slow() {
	printf '#!/bin/sh\n[ $SLURMD_NODENAME != %s ] || sleep %s\n' "$1" "$2" \
		> "$d/prolog"
	chmod 755 "$d/prolog"
	prolog=(--task-prolog="$d/prolog")
	rm -f "$d"/up.*
}

# All wait for rank 0, whose launcher is three times `timeout` late
with_rank_0='touch $0/up.$RANK; until [ -e $0/up.0 ]; do sleep 0.2; done
	sleep 3'

# long: waits 9 s twice; slow_first_node_and_a_failure goes on from there
test_slow_first_node() {
	be_slow node1 9
	succeed srun "${prolog[@]}" "${four[@]}" \
		--dist-train=ddp,procs=2,timeout=3 \
		sh -c "$with_rank_0; echo \"rank \$RANK ran\"" "$d"
	ran 8 ran
	rm -f "$d"/up.*
	succeed srun "${prolog[@]}" -N4 -n4 \
		--dist-train=ddp,label=yes,timeout=3 \
		sh -c "$with_rank_0; echo \"rank \$RANK ran\"" "$d"
	ran 4 ran
}

# Whoever has come late takes part in all that follows
test_slow_first_node_and_a_failure() {
	be_slow node1 9
	try srun "${prolog[@]}" "${four[@]}" \
		--dist-train=ddp,procs=2,timeout=3,grace=1 \
		sh -c "$with_rank_0; [ \$RANK != 7 ] || exit 3; exec sleep 80" "$d"
	[ "$rc" -eq 3 ] || fail "status $rc, not 3"
	told 'rank 7 .* on node4.*: exit code 3 .*first failure'
	told '7 other processes were ended'
}

# long: as slow_first_node_and_a_failure;
# tests/helpers/channel/test_arbiter_rounds
test_slow_first_node_and_a_restart() {
	be_slow node1 9
	try srun "${prolog[@]}" "${four[@]}" \
		--dist-train=ddp,procs=2,timeout=3,restarts=1 \
		sh -c "$with_rank_0; [ \$RANK\$DIST_TRAIN_RESTART != 70 ] ||
			kill -KILL \$\$; echo \"life \$DIST_TRAIN_RESTART\"" "$d"
	[ "$rc" -eq 0 ] || fail "status $rc"
	ran 8 'life 1'
	told 'restart 1 of 1 of'
}

# long: as slow_first_node_and_a_failure; tests/helpers/channel/test_session:
# late_member
test_slow_other_node() {
	be_slow node3 9
	try srun "${prolog[@]}" "${four[@]}" \
		--dist-train=ddp,procs=2,timeout=3,grace=1 \
		sh -c 'touch $0/up.$RANK
			until [ -e $0/up.5 ]; do sleep 0.2; done; sleep 3
			[ $RANK != 5 ] || exit 3; exec sleep 80' "$d"
	[ "$rc" -eq 3 ] || fail "status $rc, not 3"
	told 'launchers of 1 of 4 tasks have not answered; silent nodes: node3; the step goes on$'
	told 'rank 5 .* on node3.*: exit code 3 .*first failure'
}

# Its slurmstepd is killed before its task begins: Slurm itself waits for it
# without end
test_on_silence() {
	be_slow node3 60
	printf 'touch %s/prolog.$SLURMD_NODENAME\n' "$d" > "$d/touch"
	sed -i "1r $d/touch" "$d/prolog"
	(
		# Of what slurmstepd hasn't read yet srun would see a reset
		try srun "${prolog[@]}" "${four[@]}" --input=none \
			--dist-train=ddp,procs=2,timeout=5,grace=1,on-silence=fail \
			sleep 80
		[ "$rc" -ne 0 ] || fail "status 0"
		within 60
		told 'after 5 s the launchers of 1 of 4 tasks have not answered; silent nodes: node3$'
	) &
	step=$!
	until_true 20 test -e "$d/prolog.node3" || fail "no prolog on node3"
	as_root node3 'pkill -KILL -f "^slurmstepd: .[0-9]*[.]0"'
	wait $step || fail "$(cat "$d/why")"
}
