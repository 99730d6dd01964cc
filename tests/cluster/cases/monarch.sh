# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# Monarch itself, on CPUs, between the nodes.
# clusters: plain
# shellcheck disable=SC2016,SC2034,SC2086,SC2154 # shared with lib.sh

# shellcheck source-path=SCRIPTDIR source=../training.sh
. "$here/training.sh"

limit=180

client() {
	need_venv monarch
	place="$venv -W ignore $top/tests/clients/monarch_place.py"
	# Where Monarch has its log, on every node
	for node in $(nodes); do
		afterwards "node=$node user=root at rm -rf /tmp/alice"
	done
}

# no_monarch: none of its processes is anywhere
no_monarch() {
	local node

	for node in $(nodes); do
		! node=$node user=root at sh -c '
			cat /proc/[0-9]*/cmdline 2> /dev/null | tr "\\0" "\\n"' |
			grep -E 'dist-train-monarch|monarch[._]' || return 1
	done
}

started() {
	[ "$(grep -c '^placed ' "$d/bg.out")" -ge 1 ] ||
		! kill -0 "$bg" 2> /dev/null
}

# takes: 1
test_actors_by_node() {
	client
	try srun -w node2,node3,node4 -N3 --dist-train=monarch env PROCS=2 $place
	[ "$rc" -eq 0 ] || fail "status $rc"
	says '^placed on=node2,node2,node3,node3,node4,node4 same=True sum=111111 of=node2 '
	[ "$(grep -c '^placed ' "$d/out")" -eq 1 ] || fail "not run once"
	[ -z "$(ours)" ] || fail "unexpected: $(ours)"
	until_true 20 no_monarch || fail "Monarch is still there"
}

# long: large; frameworks/monarch has the variables
# takes: 1
test_exit_code_and_two_steps() {
	client
	batch -w node1,node2 -N2 -n2 -c2 --dist-train=monarch <<-END
	srun -n2 -c1 --overlap $place > "$d/a" 2>&1 &
	srun -n2 -c1 --overlap env FAIL=5 $place > "$d/b" 2>&1
	echo "b ended with \$?"
	wait \$!
	echo "a ended with \$?"
	END
	says '^b ended with 5$'
	says '^a ended with 0$'
	[ "$(grep -h '^placed on=node1,node2 same=True sum=11 ' "$d/a" "$d/b" |
		sed 's/.* at=//' | sort -u | wc -l)" -eq 2 ] ||
		fail "not two of them: $(cat "$d/a" "$d/b")"
	until_true 20 no_monarch || fail "Monarch is still there"
}

# Another user on the node finds the port, and gets nothing
# long: large
# takes: 1
test_strangers() {
	client
	background srun -w node1,node2 --dist-train=monarch \
		env WAIT="$d/go" $place
	until_true 150 started
	address=$(sed -n 's/^placed .* at=\([^,]*\),.*/\1/p' "$d/bg.out")
	user=bob try srun -N1 -w node1 sh -c 'cd /tmp
		openssl req -x509 -newkey ed25519 -nodes -subj "/CN=dist-train step" \
			-keyout bob.key -out bob.crt 2> /dev/null
		for pair in "" "-cert bob.crt -key bob.key"; do
			echo | timeout 5 openssl s_client $pair -ign_eof -connect $0 2>&1 |
				grep -E "alert" | sort -u
		done; rm bob.key bob.crt' "$address"
	says 'alert certificate required'
	[ "$(grep -c ' alert ' "$d/out")" -eq 2 ] || fail "a stranger gets in"
	: > "$d/go"
	wait "$bg" || fail "status $?: $(cat "$d/bg.out")"
}

# long: large; that a service ends is ray.killed_worker's
# takes: 1
test_killed_worker() {
	client
	background srun -w node1,node2 --dist-train=monarch,grace=2 \
		env WAIT="$d/go" $place
	until_true 150 started
	node=node2 user=root at sh -c 'for p in /proc/[0-9]*; do
		! tr "\0" " " < $p/cmdline | grep -q dist-train-monarch ||
			kill -9 ${p#/proc/}
	done' 2> /dev/null
	wait "$bg"
	rc=$?
	cat "$d/bg.out"
	[ "$rc" -eq 137 ] || fail "status $rc"
	grep -Eq '^dist-train: service worker-1 on node2, .*: signal 9 ' \
		"$d/bg.out" || fail "no report"
	until_true 20 no_monarch || fail "Monarch is still there"
}

test_no_monarch_at_all() {
	try srun -w node1,node2 --dist-train=monarch "$PYTHON" x.py
	[ "$rc" -eq 1 ] || fail "status $rc"
	one_of_ours "^dist-train: Monarch on node[12]: no Monarch in .*; activate the environment before srun, or name its python in the command\$"
}
