# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# The key stage while something goes wrong at a random moment of it: a process is
# killed, a node's line is cut for a while, a disk becomes full. The step starts
# right, or it ends with a line; and nothing half is left for the next one.
# clusters: plain
# shellcheck disable=SC2016,SC2034,SC2154 # shared with lib.sh; of that shell

# A folder of 300 files and 10 MB, small disks for copies, and what a rank says:
# whether all of it is as it should be, wherever it has it from
make_faulty() {
	local node

	shared=$d/env
	at sh -ec 'mkdir -p "$1" && cd "$1"
		for i in $(seq 30); do
			mkdir folder_$i
			for j in $(seq 9); do
				head -c 35000 /dev/urandom > folder_$i/$j
			done
			ln -s 1 folder_$i/link
		done
		find . -type f | sort | xargs cat | md5sum > ../sum' - "$shared"
	for node in $(nodes); do
		as_root "$node" 'mkdir -p /tmp/disk &&
			mount -t tmpfs -o size=90m,mode=1777 x /tmp/disk'
		afterwards "as_root $node 'umount /tmp/disk'"
	done
	plugstack "optional $plugin stagedir=/tmp/disk"
	afterwards "plugstack '$plug_line'"
	rank="cd $shared && [ \$(ls -d */link | wc -l) = 30 ] &&
		find . -type f | sort | xargs cat | md5sum |
		cmp -s - ../sum && echo \"rank \$RANK is right: \$DIST_TRAIN_STAGED\""
}

# so_ms MS: let the time pass that the seed says
so_ms() {
	local s

	printf -v s '%d.%03d' $(($1 / 1000)) $(($1 % 1000))
	read -rt "$s" <> <(:) || :
}

# Of that name on the node, if there is one: the oldest, or the newest (-n), a
# process of a launcher's that reads, packs or unpacks
kill_one() {
	root "$1" pkill -KILL "${3:--o}" -x "$2" || :
}

# fault KIND NODE: what happens then; heal_fault NODE ends it
fault() {
	case $1 in
	0) kill_one "$2" dist-train-laun ;;
	1) kill_one "$2" dist-train-laun -n ;;
	2) kill_one login dist-train-step ;;
	3) net "$2" down ;;
	*) as_root "$2" 'head -c 90m /dev/zero > /tmp/disk/full 2> /dev/null || :' ;;
	esac
}

heal_fault() {
	case $1 in
	3) net "$2" up ;;
	4) as_root "$2" 'rm -f /tmp/disk/full' ;;
	esac
}

# starts_or_ends WHAT: the step that was in the background has
starts_or_ends() {
	local status=0

	wait "$bg" || status=$?
	[ "$status" -ne 124 ] || fail "$1: it hangs: $(< "$d/bg.out")"
	if [ "$status" -eq 0 ]; then
		[ "$(grep -c '^rank [0-9]* is right: ' "$d/bg.out")" -eq 4 ] ||
			fail "$1: not 4 ranks: $(< "$d/bg.out")"
	else
		grep -Eq '^(dist-train|srun): ' "$d/bg.out" ||
			fail "$1: status $status without a line"
	fi
	echo "$1: status $status, $(grep -c 'is right: userns' "$d/bg.out") staged"
}

# right_after: a step has all from its nodes' disks, and nothing is left on them
right_after() {
	local node left

	all_nodes_well
	try srun -N4 --dist-train=ddp,stage="$shared" sh -c "$rank"
	[ "$rc" -eq 0 ] || fail "status $rc"
	[ "$(grep -c 'is right: userns$' "$d/out")" -eq 4 ] ||
		fail "not on all nodes"
	for node in $(nodes); do
		left=$(root "$node" find /tmp/disk -mindepth 2 ! -name '*.why')
		[ -z "$left" ] || fail "left on $node: $left"
	done
}

# faults N SEED: so many steps, each with one fault
faults() {
	local i kind node span

	make_faulty
	right_after
	span=$((took + 300))
	RANDOM=$2
	for ((i = 0; i < $1; i++)); do
		kind=$((i % 5)) node=node$((RANDOM % 4 + 1))
		background srun -N4 --dist-train=ddp,stage="$shared" sh -c "$rank"
		so_ms $((RANDOM % span))
		fault $kind "$node"
		so_ms $((kind == 3 ? RANDOM % 3000 : 0))
		[ $kind -eq 4 ] || heal_fault $kind "$node"
		starts_or_ends "$i: fault $kind on $node"
		heal_fault $kind "$node"
	done
	right_after
}

# Each kind of fault, and one more
test_some() {
	faults 6 39
}

# long: some has each kind
test_many() {
	faults 50 4711
}
