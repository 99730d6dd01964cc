# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# Ray itself, on CPUs, between the nodes: a cluster of the step alone.
# clusters: plain
# shellcheck disable=SC2016,SC2034,SC2086,SC2154 # shared with lib.sh

limit=180

client() {
	need_venv ray
	place="env RAY_DEDUP_LOGS=0 $venv -W ignore $top/tests/clients/ray_place.py"
}

one_of_ours() {
	ours | grep -Eq -- "$1" || fail "no line '$1' in: $(ours)"
}

# no_ray: none of its processes is anywhere
no_ray() {
	local node

	for node in $(nodes); do
		! node=$node user=root at sh -c \
			'cat /proc/[0-9]*/comm 2> /dev/null' |
			grep -Ex 'raylet|gcs_server|ray::.*' || return 1
	done
}

# Counts as Slurm gave them; an actor on each node is on that node
test_actors_by_node() {
	client
	try srun -w node2,node3,node4 -N3 -c1 --gres=gpu:2 --dist-train=ray $place
	[ "$rc" -eq 0 ] || fail "status $rc"
	says '^placed on=node2,node3,node4 of=node2 sum=111 cpus=3 gpus=6 '
	[ -z "$(ours)" ] || fail "unexpected: $(ours)"
	no_ray || fail "Ray is still there"
}

# The program's own end is that of the step, at once
test_exit_code() {
	client
	batch -N2 -c1 --dist-train=ray <<-END
	srun env FAIL=5 $place
	echo "ended with \$?"
	END
	says '^ended with 5$'
	one_of_ours '^dist-train: rank 0 \(head\) on node1, .*: exit code 5 '
	no_ray || fail "Ray is still there"
}

started() {
	[ "$(grep -c '^placed ' "$d/bg.out")" -ge 1 ] ||
		! kill -0 "$bg" 2> /dev/null
}

# Of two users on one node: each has its own, and the end of one isn't that
# of the other
test_two_users_at_once() {
	client
	background srun -N1 -w node1 -c1 --dist-train=ray \
		env WAIT="$d/go" $place
	until_true 60 started
	user=bob try srun -N2 -w node1,node2 -c1 --dist-train=ray $place
	[ "$rc" -eq 0 ] || fail "the second one: status $rc"
	says '^placed on=node1,node2 of=node1 sum=11 cpus=2 '
	kill -0 "$bg" 2> /dev/null || fail "the first one is gone"
	: > "$d/go"
	wait "$bg" || fail "the first one: status $?"
	grep -q '^placed on=node1 of=node1 sum=1 cpus=1 ' "$d/bg.out" ||
		fail "the first one: $(cat "$d/bg.out")"
	no_ray || fail "Ray is still there"
}

# A node's part of the cluster ends while the program runs
test_killed_worker() {
	client
	background srun -N2 -c1 --dist-train=ray,grace=2 env WAIT="$d/go" $place
	until_true 60 started
	node=node2 user=root at sh -c 'for p in /proc/[0-9]*; do
		[ "$(cat $p/comm)" != raylet ] || kill -9 ${p#/proc/}
	done' 2> /dev/null
	wait "$bg"
	rc=$?
	cat "$d/bg.out"
	[ "$rc" -eq 137 ] || fail "status $rc"
	grep -Eq '^dist-train: Ray on node2: raylet \(pid [0-9]+\) ended by signal 9$' \
		"$d/bg.out" || fail "not said what ended"
	grep -Eq '^dist-train: service worker-1 on node2, .*: exit code 137 ' \
		"$d/bg.out" || fail "no report"
	no_ray || fail "Ray is still there"
}

# nobody_left: no Ray, although nobody could end it in order
nobody_left() {
	until_true 20 no_ray || fail "Ray is still there"
}

# The node's launcher is gone, and with it what it watched
test_lost_launcher() {
	client
	background srun -N2 -c1 --dist-train=ray,grace=2 env WAIT="$d/go" $place
	until_true 60 started
	node=node2 user=root at sh -c 'for p in /proc/[0-9]*; do
		! grep -q "^Name:	dist-train-laun" $p/status ||
			kill -9 ${p#/proc/}
	done'
	wait "$bg"
	rc=$?
	cat "$d/bg.out"
	[ "$rc" -eq 137 ] || fail "status $rc"
	grep -Eq '^dist-train: .*node2' "$d/bg.out" || fail "node2 isn't named"
	nobody_left
}

test_cancelled() {
	client
	background srun -N2 -c1 --dist-train=ray env WAIT="$d/go" $place
	until_true 60 started
	at scancel -u alice
	wait "$bg"
	rc=$?
	cat "$d/bg.out"
	[ "$rc" -ne 0 ] || fail "status 0"
	nobody_left
}

# With a program, not Ray's Python: it never answers
test_no_head() {
	printf '#!/bin/sh\nexec sleep 100\n' > "$d/python3"
	chmod 755 "$d/python3"
	SECONDS=0
	try srun -N2 -c1 --dist-train=ray,timeout=3 "$d/python3" x.py
	[ "$rc" -eq 1 ] || fail "status $rc"
	[ $SECONDS -lt 30 ] || fail "it took $SECONDS s"
	one_of_ours '^dist-train: service head on node[1-4] doesn.t answer at port [0-9]+ after 3 s'
}

test_no_ray_at_all() {
	try srun -N2 -c1 --dist-train=ray "$PYTHON" x.py
	[ "$rc" -eq 1 ] || fail "status $rc"
	one_of_ours '^dist-train: Ray on node[1-4]: ray start ended with 1$'
	one_of_ours '^dist-train: service head on node[1-4], .*: exit code 1 '
}

test_refusals() {
	refuse 'ray takes one task per node, this step has 4 on 2 nodes' \
		srun -N2 -n4 --dist-train=ray true
}
