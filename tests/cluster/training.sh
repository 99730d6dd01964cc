# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# Steps of processes that go wrong on demand, on node1 and node2, and what has to
# be true afterwards. Sourced by cases. The processes are those of
# tests/clients/ring.c; where a case says prop=torch, the same of PyTorch
# (misbehave.py).
# shellcheck disable=SC2034,SC2154 # shared with lib.sh and with the cases

limit=90
grace=2 lease=$((5 * slow))
lost=$((lease + lease / 3 + 2))	# at most, until a lost node is noticed
prop=ring	# who trains: ring, or torch
client=		# its program
props='misbehave[.]py|/rin[g] '	# those programs, for pgrep -f
job=		# of the case
mode_args=	# srun's arguments for 2 nodes with 2 processes each

# need_client: $client, or skip
need_client() {
	if [ $prop = torch ]; then
		need_torch
		client="$torch $top/tests/clients/misbehave.py"
	else
		need_ring
		client=$ring
	fi
}

# mode task|device|plain [KEYS]: how the processes come up
mode() {
	local keys=grace=$grace,lease=$lease${2:+,$2}

	need_client
	case $1 in
	task) mode_args="--ntasks-per-node=2 --dist-train=ddp,$keys" ;;
	device) mode_args="--ntasks-per-node=1 --dist-train=ddp,procs=2,$keys" ;;
	plain) mode_args="--ntasks-per-node=2 --dist-train=ddp" ;;
	esac
	allocate
}

# A job that outlives its nodes and steps
allocate() {
	try salloc --no-shell --no-kill -w "${wanted_nodes:-node1,node2}" \
		--ntasks-per-node=2
	job=$(sed -n 's/^salloc: Granted job allocation //p' "$d/err")
	[ -n "$job" ] || fail "no job"
	afterwards "at scancel -f $job; until_true 20 job_ended $job"
}

now() {
	echo "${EPOCHREALTIME/./}"
}

# begin HOW [RANK]: the step beside the case, in $job or, where there is none,
# in one of srun's own; arguments in $mode_args and $more; its output in
# $d/step.out and $d/step.err, its srun's process id in $d/srun, its status in
# $d/status
begin() {
	rm -f "$d/status" "$d/srun" "$d/ended"
	: > "$d/step.out"
	# shellcheck disable=SC2016,SC2086 # words they are; of that shell
	(
		at sh -c 'echo $$ > "$0"; exec "$@"' "$d/srun" \
			srun ${job:+--jobid=$job --overlap} -N2 $mode_args \
			${more:-} $client "$@" > "$d/step.out" 2> "$d/step.err"
		echo $? > "$d/status"
		now > "$d/ended"
	) &
	began=$(now)
}

# How often a line with this word is in the output
lines() {
	[ "$(grep -c "^$1" "$d/step.out")" -ge "$2" ]
}

all_ready() {
	until_true 60 lines ready 4 || {
		cat "$d/step.out" "$d/step.err"
		fail "the ranks aren't in their all-reduce"
	}
	began=$(now)
}

# ends CODE SECONDS: in time, counted from $began, with 3 s for what runs beside it;
# CODE may be a pattern
ends() {
	local failing

	until_true "$limit" test -s "$d/ended" || fail "no end"
	until_true 5 test -s "$d/status"
	failing=$(awk '$1 == "failing" { printf "%.0f", $3 * 1e6; exit }' "$d/step.out")
	took=$((($(< "$d/ended") - ${failing:-$began}) / 1000))
	rm "$d/ended"
	rc=$(< "$d/status")
	grep -v '^x' "$d/step.out" | cut -c 1-200
	sed 's/^/! /' "$d/step.err" | cut -c 1-300
	echo "-> $rc after $took ms"
	[ $took -le $((($2 + 3) * 1000 * slow)) ] || fail "$took ms until the end"
	# shellcheck disable=SC2053 # a pattern
	[[ $rc == $1 ]] || fail "status $rc, not $1"
}

# Exactly one line names a first failure, and it is this one
blames() {
	[ "$(grep -c 'first failure' "$d/step.err")" -eq 1 ] ||
		fail "not one first failure: $(grep 'first failure' "$d/step.err")"
	grep 'first failure' "$d/step.err" | grep -Eq "^dist-train: $1" ||
		fail "not '$1' is blamed: $(grep 'first failure' "$d/step.err")"
}

nobody_blamed() {
	! grep -q 'first failure' "$d/step.err" || fail "blamed: $(told)"
}

# Our lines of the step
told() {
	grep '^dist-train: ' "$d/step.err"
}

# No process, file or listening port on the nodes
clean_node() {
	[ -z "$(list_processes "$1")" ] || return 1
	# shellcheck disable=SC2016
	user=root node=$1 at sh -c '
		! pgrep -f "$0" && ! ls -d /tmp/dist-train-[0-9]* \
			2> /dev/null &&
		awk "\$4 == \"0A\" { split(\$2, a, \":\"); print a[2] }" \
			/proc/net/tcp /proc/net/tcp6 |
		while read -r port; do
			[ $((0x$port)) -eq 6818 ] || exit 1
		done' "$props"
}

# nothing_of_ours: ... and the next step of the same job works
nothing_of_ours() {
	local node

	for node in node1 node2; do
		until_true 10 clean_node $node || {
			list_processes $node
			user=root node=$node at sh -c 'ps -ef; ls /tmp
				ss -ltn'
			fail "something is left on $node"
		}
	done
	next_step
}

# shellcheck disable=SC2016,SC2086 # words they are; of that shell
next_step() {
	try srun --jobid="$job" --overlap -N2 $mode_args ${more:-} sh -c \
		'echo "next $RANK"'
	[ "$rc" -eq 0 ] || fail "the next step: status $rc"
	[ "$(grep -c '^next [0-3]$' "$d/out")" -eq 4 ] ||
		fail "the next step: other output"
}

rank() {
	echo "rank $1 \(worker\) on node2, pid [0-9]+: $2 after [0-9.]+ s"
}

# pid_on NODE PATTERN: the oldest process there with that command line
pid_on() {
	root "$1" pgrep -o -f "$2" || fail "no process '$2' on $1"
}

# --- nodes ------------------------------------------------------------------

# All its processes at once, and not a word of it on the network
lose_node() {
	"$here/node_fault" "$cluster" off "$1" || fail "$1 isn't lost"
	sleep 0.1
}

start_munged() {
	"$here/node_fault" "$cluster" munged "$1"
}

# Its daemons, as at its start
restart_node() {
	"$here/node_fault" "$cluster" back "$1"
}
