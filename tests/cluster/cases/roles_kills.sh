# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# Steps with five roles on six nodes in which somebody is killed, and two of them at
# once. The hundred kills follow from a seed: each role in turn, an agent, the
# director; each policy; a process or its launcher, all there or not yet.
# clusters: six
# takes: 0.5
# shellcheck disable=SC2034,SC2154 # shared with lib.sh

limit=60
grace=2
part="$PYTHON $top/tests/clients/role_part.py"
declare -gA lines=(
	[trainer]='env nodes=2 needs=router'
	[rollout]='env nodes=2 each=1node ready=http:/health'
	[router]='env with=trainer:0 needs=rollout ready=tcp'
	[judge]='env nodes=1 procs=2'
	[evaluator]='env nodes=1 needs=judge ready=tcp'
)
processes='trainer.0.0 trainer.0.1 rollout.0.0 rollout.1.0 router.0.0 judge.0.0
	judge.0.1 evaluator.0.0'
victim=		# a role, `agent' or `director'
policy=		# of the victim's role
whom=		# the process that is killed: ROLE.WORLD.RANK
target=		# what of it: its PID, that of its launcher or agent
early=		# it is killed as soon as it is there

# role_lines FOLDER [ROLE KEYS]: the lines of the file, that role's with these keys,
# too
role_lines() {
	local role

	for role in trainer rollout router judge evaluator; do
		[ -z "${lines[$role]:-}" ] || echo "$role ${lines[$role]} $([ $role != "${2:-}" ] ||
			echo "$3") -- $part $1"
	done
}

# are_there ROUND NAME...: these processes, of that round
are_there() {
	local process

	for process in "${@:2}"; do
		[ -e "$d/at/$process.$1" ] || return 1
	done
}

# written FILE: when, in milliseconds
written() {
	local at

	at=$(stat -c %.3Y "$d/at/$1")
	echo "${at/./}"
}

# --- which kill ----------------------------------------------------------------

# draw N: the N-th of those that the seed makes
draw() {
	local roles=(trainer rollout router judge evaluator agent director)
	local policies=(end restart ignore together save)
	local of r=$RANDOM world=0 rank=0

	victim=${roles[$1 % 7]} policy=${policies[$1 / 7 % 5]}
	case $victim in
	trainer | judge) rank=$((r % 2)) of=$victim ;;
	rollout) world=$((r % 2)) of=$victim ;;
	agent) # of a node that isn't the first one
		policy=agent
		set -- trainer.0.1 rollout.0.0 rollout.1.0 judge.0.0 \
			evaluator.0.0
		whom=${*:$((r % 5 + 1)):1}
		;;
	director) policy=agent whom=router.0.0 ;;
	*) of=$victim ;;
	esac
	[ -z "${of:-}" ] || whom=$of.$world.$rank
	r=$RANDOM
	target=process early=
	[ $((r % 3)) -gt 0 ] || target=launcher
	[ "$policy" != agent ] || target=agent
	case $policy in
	end | restart | agent) [ $((r / 3 % 2)) -eq 0 ] || early=yes ;;
	esac
}

# keys_of POLICY ROLE
keys_of() {
	case $1 in
	restart) echo on-failure=restart restart=1 ;;
	together) echo "on-failure=together=$(other_of "$2") restart=1" ;;
	agent) ;;
	*) echo "on-failure=$1" ;;
	esac
}

other_of() {
	if [ "$1" = trainer ]; then
		echo rollout
	else
		echo trainer
	fi
}

# --- what follows ----------------------------------------------------------------

# begin_anew NAME...: these, in time, and no others; the step ends well then
begin_anew() {
	local process last=0 at

	until_true 10 are_there 1 "$@" ||
		fail "they don't begin anew: $(< "$d/bg.out")"
	for process; do
		at=$(written "$process.1")
		last=$((at > last ? at : last))
	done
	took=$((last - killed))
	: > "$d/at/end"
	ends_with 0
	[ "$(find "$d/at" -name '*.1' | wc -l)" -eq $# ] ||
		fail "others begin anew, too: $(cd "$d/at" && echo *.1)"
	[ -z "$(find "$d/at" -name '*.2')" ] || fail "a second time"
}

# ends_with CODE
ends_with() {
	local rc=0

	wait "$bg" || rc=$?
	[ "$rc" -eq "$1" ] || fail "status $rc, not $1"
}

ends_at_once() {
	ends_with "$1"
	took=$((${EPOCHREALTIME/./} / 1000 - killed))
}

# worlds_of ROLE...: all their processes
worlds_of() {
	local role

	for role; do
		tr -s ' \n\t' '\n' <<< "$processes" | grep "^$role\\."
	done
}

# What the file says of that failure
follows() {
	local role=${whom%%.*}

	case $policy in
	agent | end) ends_at_once 137 ;;
	save)
		ends_at_once 137
		[ "$role" = trainer ] || grep -qx saved "$d/bg.out" ||
			fail "the trainer doesn't save"
		;;
	restart) # a world's processes, with its number
		# shellcheck disable=SC2046 # words they are
		begin_anew $(worlds_of "${whom%.*}")
		;;
	together)
		# shellcheck disable=SC2046
		begin_anew $(worlds_of "$role" "$(other_of "$role")")
		;;
	ignore)
		if [ "$role" = trainer ]; then
			ends_at_once 0 # it was the one that is waited for
		else
			until_true 10 grep -q "^dist-train: $role.* go on" \
				"$d/bg.out" || fail "nobody ignores it"
			took=$((${EPOCHREALTIME/./} / 1000 - killed))
			# shellcheck disable=SC2086
			are_there 0 $processes || fail "not all were there"
			begin_anew_nobody
		fi
		;;
	esac
}

begin_anew_nobody() {
	local kept=$took

	begin_anew
	took=$kept
}

# kill_one N SECONDS
kill_one() {
	local node pid launcher agent port killed awaited=$processes

	rm -rf "$d/at"
	mkdir -m 777 "$d/at"
	role_lines "$d/at" "${whom%%.*}" \
		"$(keys_of "$policy" "${whom%%.*}")" > "$d/kill.roles"
	echo "$1: $whom, $target, $policy${early:+, early}"
	background srun -N6 --dist-train="roles,grace=$grace" "$d/kill.roles"
	[ -z "$early" ] || awaited=$whom
	# shellcheck disable=SC2086
	until_true 30 are_there 0 $awaited || fail "they don't come up"
	[ -n "$early" ] || lags+=($(($(written trainer.0.0.0) -
		$(written router.0.0.0))))
	read -r node pid launcher agent port < "$d/at/$whom.0"
	[ "$target" != launcher ] || pid=$launcher
	[ "$target" != agent ] || pid=$agent
	killed=$((${EPOCHREALTIME/./} / 1000))
	node=$node at kill -9 "$pid"
	follows
	echo "  $took ms"
	times+=("$took")
	[ "$took" -le $((($2 + grace) * 1000 * slow)) ] ||
		late+=("$1 ($took ms)")
	until_true 10 no_processes || fail "a process is left"
}

# nth PERCENT N...: of these, in their order
nth() {
	printf '%s\n' "${@:2}" | sort -n |
		awk -v p="$1" '{ n[NR] = $1 } END { print n[int((NR * p + 99) / 100)] }'
}

# figures N...: the one in the middle, and the longest
figures() {
	echo "$(nth 50 "$@"), longest $(nth 100 "$@") ms"
}

# kills EACH SECONDS: of the hundred, every so many-th; each is over in that time
# and `grace'
kills() {
	local n lags=() times=() late=() took

	RANDOM=38
	for ((n = 0; n < 100; n++)); do
		draw $n
		[ $((n % $1)) -gt 0 ] || kill_one $n "$2"
	done
	nothing_left
	{
		echo "${#times[@]} kills: until the end or the new round" \
			"$(figures "${times[@]}");"
		echo "from the last role ready to the trainer's start" \
			"$(figures "${lags[@]}")"
	} | tee "$d/note"
	[ "$(nth 50 "${lags[@]}")" -le $((1000 * slow)) ] ||
		fail "the trainer starts late"
	[ ${#late[@]} -eq 0 ] || fail "late: ${late[*]}"
}

test_ten() {
	kills 10 20
}

# long: ten of these, in each run
# takes: all
test_hundred() {
	kills 1 5
}

# A server that is killed while it and the trainer are in a collective
# takes: 1
test_collective() {
	local killed node pid rest

	need_torch
	mkdir -m 777 "$d/at"
	part="$torch $top/tests/clients/role_weights.py"
	lines=(
		[trainer]='env nodes=1 ports=2'
		[rollout]='env nodes=2 each=1node on-failure=together=trainer restart=1'
	)
	role_lines "$d/at" > "$d/kill.roles"
	background srun -N3 --dist-train="roles,grace=$grace" "$d/kill.roles"
	until_true 60 are_there 0 trainer.0.0 rollout.0.0 rollout.1.0 ||
		fail "they don't come up: $(< "$d/bg.out")"
	read -r node pid rest < "$d/at/rollout.1.0.0"
	killed=$((${EPOCHREALTIME/./} / 1000))
	node=$node at kill -9 "$pid"
	until_true 60 are_there 1 trainer.0.0 # PyTorch loads
	begin_anew trainer.0.0 rollout.0.0 rollout.1.0
	nothing_left
}

# long: three steps at once are step_roles.side_by_side
# Twenty times two steps at once on the same nodes: each world has an address of its
# own, and it isn't always the same one
test_two_at_once() {
	local i

	limit=300
	for ((i = 1; i <= 20; i++)); do
		for s in a b; do
			mkdir -m 777 "$d/$i$s"
			role_lines "$d/$i$s" > "$d/$i$s.roles"
		done
	done
	# shellcheck disable=SC2016 # of that shell
	try salloc -Q -N6 sh -c 'for i in $(seq 20); do
		srun --overlap -N6 --dist-train=roles "$0/${i}a.roles" & a=$!
		srun --overlap -N6 --dist-train=roles "$0/${i}b.roles" & b=$!
		until [ -e "$0/${i}a/trainer.0.1.0" ] &&
			[ -e "$0/${i}b/trainer.0.1.0" ]; do sleep 0.1; done
		: > "$0/${i}a/end"; : > "$0/${i}b/end"
		wait $a || exit; wait $b || exit; done' "$d"
	[ "$rc" -eq 0 ] || fail "status $rc"
	for ((i = 1; i <= 20; i++)); do
		[ "$(cat "$d/$i"[ab]/*.0.0 | cut -d ' ' -f 1,5 | sort -u |
			wc -l)" -eq 12 ] || fail "not twelve addresses: $i"
	done
	[ "$(cat "$d"/*[ab]/router.0.0.0 | cut -d ' ' -f 5 | sort -u |
		wc -l)" -gt 20 ] || fail "a port is fixed"
	nothing_left
}
