# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# contrib/cluster itself: the machine that it runs on may change meanwhile.
# clusters: plain
# shellcheck disable=SC2016,SC2034,SC2154 # shared with lib.sh

limit=120

# on_changing_machine COMMANDS: with a cluster "own", in a mount namespace whose
# /etc is the machine's until it is written to
on_changing_machine() {
	mkdir "$d/layer"
	timeout -k 5 "$limit" unshare --mount --propagation private bash -e -c '
		mount -t tmpfs tmpfs "$0"
		mkdir "$0/upper" "$0/work"
		mount -t overlay -o \
			"lowerdir=/etc,upperdir=$0/upper,workdir=$0/work" \
			overlay /etc
		own() { "$1/contrib/cluster" "${@:2}"; }
		export DIST_TRAIN_CLUSTER=$2
		trap "own $1 down" EXIT
		'"$1" "$d/layer" "$top" "own-${cluster#suite-}" > "$d/out" 2>&1
	rc=$?
	cat "$d/out"
}

# New users and a new /etc/hosts take the place of the old files
test_new_user() {
	[ -z "${CLUSTER_ROOT:-}" ] || skip "the nodes have another /etc"
	on_changing_machine '
		own "$1" up 2
		useradd --no-create-home carol
		echo 127.0.0.1 localhost > /etc/hosts.new
		mv /etc/hosts.new /etc/hosts
		own "$1" exec -u alice -- timeout 60 srun -N2 \
			sh -c "echo \$(id -un) \$(getent hosts node2)"'
	[ "$rc" -eq 0 ] || fail "status $rc"
	[ "$(grep -c '^alice 10.77.[0-9]*.12 node2$' "$d/out")" -eq 2 ] ||
		fail "not on two nodes"
}

test_machine_without_hosts() {
	[ -z "${CLUSTER_ROOT:-}" ] || skip "the nodes have another /etc"
	on_changing_machine '
		rm /etc/hosts
		own "$1" up 1'
	[ "$rc" -eq 0 ] || fail "status $rc"
}

# Of each node its own, and none of the machine's
test_homes() {
	succeed srun -N2 sh -c 'touch ~/"$SLURMD_NODENAME" && ls ~ && rm ~/node*'
	says '^node1$'
	says '^node2$'
	[ "$(wc -l < "$d/out")" -eq 2 ] || fail "a home is shared"
}
