# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# Launchers under a plain srun: the secret comes by MUNGE, and what other nodes
# have is learned from them.
# clusters: plain
# shellcheck disable=SC2016,SC2034,SC2154 # shared with lib.sh

limit=90

# by_hand OPTION... -- REQUEST LEARN PROGRAM [ARG]...
by_hand() {
	local options=()

	while [ "$1" != -- ]; do
		options+=("$1")
		shift
	done
	shift
	try srun "${options[@]}" env COUNTS="${COUNTS:-}" \
		"$top/tests/clients/by_hand" "$launcher" "$@"
}

# Two launchers on each node: the second one's credential was opened there before
# long: tests/helpers/meet/test_meet (secret, not_fresh);
# supervision.restarts_device@exec, ascend.parts_of_nodes@execnpu
test_secret() {
	by_hand -N4 --ntasks-per-node=2 -- ddp,supervise=yes,grace=1,restarts=1 '' \
		sh -c '[ "$DIST_TRAIN_RESTART$RANK" != 07 ] || kill -KILL $$
		[ "$DIST_TRAIN_RESTART" = 0 ] || exit 0
		exec sleep 80'
	[ "$rc" -eq 0 ] || fail "status $rc"
	one_of_ours 'rank 7 .* on node4.*: signal 9 \(SIGKILL\)'
	one_of_ours '^dist-train: restart 1 of 1 of the step'
}

test_counts() {
	COUNTS='2 1 4' by_hand -N3 --ntasks-per-node=1 -- ddp counts \
		sh -c 'echo "$RANK/$WORLD_SIZE $LOCAL_RANK/$LOCAL_WORLD_SIZE"'
	[ "$rc" -eq 0 ] || fail "status $rc"
	[ "$(sort "$d/out" | tr '\n' ' ')" = \
		"0/7 0/2 1/7 1/2 2/7 0/1 3/7 0/4 4/7 1/4 5/7 2/4 6/7 3/4 " ] ||
		fail "other ranks"
	COUNTS='2 0 4' by_hand -N3 --ntasks-per-node=1 -- ddp counts true
	[ "$rc" -ne 0 ] || fail "status 0"
	one_line "some node of the step has none \(devices by node: '2,0,4'\)"
}

# The places of tasks that aren't dealt out in blocks, and all addresses
# long: tests/helpers/meet/test_meet: addresses, taskmap
test_addresses() {
	by_hand -N4 --ntasks-per-node=2 --distribution=cyclic -- \
		tf,procs=task,addr=ip,supervise=yes addrs,taskmap \
		sh -c 'echo "$TF_CONFIG"'
	[ "$rc" -eq 0 ] || fail "status $rc"
	[ "$(grep -oE '"[0-9.]+:' "$d/out" | sort | uniq -c |
		awk '{ print $1 }' | tr '\n' ' ')" = '16 16 16 16 ' ] ||
		fail "not two tasks at each of four addresses"
	[ "$(grep -o '"worker":\[[^]]*' "$d/out" | sort -u | wc -l)" -eq 1 ] ||
		fail "not one list"
}
