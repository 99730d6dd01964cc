# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# Another user at the port where the launchers of a step meet: on the node of task 0,
# where srun has had no plugin, else on srun's host.
# clusters: plain
# shellcheck disable=SC2016,SC2034,SC2154 # shared with lib.sh

limit=90
neighbour="$PYTHON $top/tests/clients/neighbour.py"

# allocate NODES: $job, and $port[], where the launchers of its first step meet
allocate() {
	try salloc --no-shell -w "$1" --ntasks-per-node=2
	job=$(sed -n 's/^salloc: Granted job allocation //p' "$d/err")
	[ -n "$job" ] || fail "no job"
	afterwards "at scancel -f $job; until_true 20 job_ended $job"
	mapfile -t port < <(ports_of "$job")
}

# bob NODE WORD ARG...: he has begun; his output is $d/bg.out, his program $bg
bob() {
	local name=$1
	shift

	# shellcheck disable=SC2086 # words they are
	user=bob node=$name limit=120 background $neighbour "$@"
	until_true 20 grep -q ready "$d/bg.out" || fail "bob: $(cat "$d/bg.out")"
}

# by_hand PROGRAM...: in the job, with launchers that get the secret by
# MUNGE; in the background
by_hand() {
	(
		try srun --jobid="$job" --overlap -N2 --ntasks-per-node=1 \
			"$top/tests/clients/by_hand" "$launcher" \
			ddp,procs=2,timeout=40,grace=1 '' "$@"
		[ "$rc" -eq 3 ] || fail "status $rc, not 3: they haven't met"
	) &
	step=$!
}

# takes: 0.25
test_seven_ports_are_taken() {
	allocate node1,node2
	bob node1 squat "${port[@]:0:7}"
	by_hand sh -c 'sleep 5; [ $RANK != 3 ] || exit 3; exec sleep 80'
	wait $step || fail "$(cat "$d/why")"
	grep -q "^dist-train: port ${port[0]} on node1 is in use, by another program or another user there; the step's launchers meet at port ${port[7]}$" "$d/err" ||
		fail "not told: $(cat "$d/err")"
	! grep 'have not answered' "$d/err" || fail "they met late"
}

# The same on srun's host, where the controller has told its port
test_ports_of_sruns_host_are_taken() {
	allocate node1,node2
	bob login squat "${port[@]:0:7}"
	try srun --jobid="$job" --overlap -N2 --ntasks-per-node=1 \
		--dist-train=ddp,procs=2,timeout=10,grace=1 sh -c \
		'[ $RANK != 3 ] || exit 3; exec sleep 80'
	[ "$rc" -eq 3 ] || fail "status $rc, not 3: they haven't met"
	! ours | grep 'have not answered' || fail "they met late"
}

# He passes on what comes at the first port, and is gone in the middle of the step
# clusters: plain auth
# takes: 0.25
test_relay() {
	allocate node1,node2
	bob node1 relay "${port[0]}" "${port[1]}"
	by_hand sh -c 'touch $0/up.$RANK; until [ -e $0/gone ]; do sleep 0.2; done
		sleep 4; [ $RANK != 3 ] || exit 3; exec sleep 60' "$d"
	for k in 0 1 2 3; do
		until_true 40 test -e "$d/up.$k" || fail "rank $k isn't up"
	done
	until_true 20 eval '[ "$(connected)" -ge 1 ]' ||
		fail "node2's launcher isn't connected to port ${port[1]}"
	user=root node=node1 at pkill -KILL -u bob -f 'neighbour[.]py relay'
	touch "$d/gone"
	wait $step || fail "$(cat "$d/why")"
}

# connected: how many of node1's connections to its second port node2 has
connected() {
	user=root node=node2 at ss -tnH state established |
		grep -c ":${port[1]}\$\|:${port[1]} " || true
}

# controller_listens: at $listens, the first of its ports that was free
controller_listens() {
	listens=$(user=root node=login at ss -ltnH |
		grep -oE ":($(IFS='|'; echo "${port[*]}")) " | head -n 1)
	listens=${listens//[: ]/}
	[ -n "$listens" ]
}

# Thousands of connections from another node, and a launcher that comes late
test_thousands_of_connections() {
	allocate node1,node2
	cat > "$d/prolog" <<- END
		#!/bin/sh
		touch $d/prolog.begun
		[ \$SLURMD_NODENAME = node2 ] || exit 0
		until [ -e $d/held ]; do sleep 0.2; done
		sleep 5
	END
	chmod 755 "$d/prolog"
	(
		until_true 30 test -e "$d/prolog.begun" &&
			until_true 30 controller_listens &&
			bob node3 hold login "$listens" 6000 &&
			until_true 30 grep -q held "$d/bg.out" && touch "$d/held"
		sleep 60
	) &
	echo $! >> "$d/pids"
	limit=120 try srun --jobid="$job" --overlap -N2 --ntasks-per-node=1 \
		--task-prolog="$d/prolog" \
		--dist-train=ddp,procs=2,addr=nic:eth0,timeout=80 sh -c \
		'echo "rank $RANK ran"'
	[ -e "$d/held" ] ||
		fail "bob had no time: $(ls "$d"; cat "$d/bg.out"; user=root node=login at ss -ltn)"
	[ "$rc" -eq 0 ] || fail "status $rc"
	[ "$(grep -c ' ran$' "$d/out")" -eq 4 ] || fail "not four ranks"
}

# He asks for the secret of alice's step as her launchers do, and shows what he
# got to those of her next one
test_secret_by_munge() {
	need_munge
	local wait='touch $0/up.$RANK; until [ -e $0/gone ]; do sleep 0.2; done
		[ $RANK != 3 ] || exit 3; exec sleep 60'

	allocate node1,node2
	by_hand sh -c "$wait" "$d"
	until_true 40 test -e "$d/up.3" || fail "rank 3 isn't up"
	user=bob node=node3 at "$PYTHON" "$top/tests/clients/asker.py" node1 \
		"${port[0]}" 500 > "$d/answer" 2> "$d/asked"
	grep -qx 'answered 500' "$d/asked" || fail "$(cat "$d/asked")"
	grep -q '^MUNGE:' "$d/answer" || fail "no credential"
	user=bob node=node1 try sh -c 'unmunge --input="$0"' "$d/answer"
	[ "$rc" -eq 18 ] || fail "bob could open it: status $rc"
	grep -q 'Unauthorized credential' "$d/err" || fail "no reason"
	touch "$d/gone"
	wait $step || fail "$(cat "$d/why")"
	rm "$d"/gone "$d"/up.*
	user=bob node=node1 limit=120 background "$PYTHON" \
		"$top/tests/helpers/meet/stranger.py" $((port[0] + 1)) \
		"$(cat "$d/answer")" 0.0.0.0
	until_true 20 grep -q listening "$d/bg.out" || fail "$(cat "$d/bg.out")"
	touch "$d/gone"
	by_hand sh -c "$wait" "$d"
	wait $step || fail "$(cat "$d/why")"
	grep -q "port $((port[0] + 1)) on node1 is in use, by another" "$d/err" ||
		fail "not told: $(ours)"
}
