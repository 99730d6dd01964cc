# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# bob against alice's step, at the ports of its controller on srun's host, and
# with what he can read (doc/attacks.md). The step goes on, and a
# failure in it is noticed and told as ever.
# clusters: plain
# shellcheck disable=SC2016,SC2034,SC2154 # shared with lib.sh

# shellcheck source-path=SCRIPTDIR source=../steps.sh
. "$here/steps.sh"

kinds='junk silent slow churn partial lengths forged'

# begin NAME [ARGUMENT]...: a step that is up
begin() {
	launch "$1" --dist-train="ddp,$keys" "${@:2}"
	all_up
}

# find_server: the step's controller, $pid, listens at $port; also at another one,
# for the facts, until it leads
find_server() {
	find_controller
	pid=$(< "$s/pid")
	port=$(root login ss -Hltnp |
		sed -n "s/.*:\([0-9]*\) .*pid=$pid,.*/\1/p")
	[ -n "$port" ] || fail "the controller doesn't listen"
}

# peak_kb NODE PID: the most memory that it has had
peak_kb() {
	root "$1" sed -n 's/^VmHWM:[[:space:]]*\([0-9]*\) kB/\1/p' "/proc/$2/status"
}

count_fds() {
	root "$1" sh -c 'ls /proc/$0/fd | wc -l' "$2"
}

few_fds() {
	[ "$(count_fds "$1" "$2")" -le "$3" ]
}

# bounded NODE PID KB FDS: while strangers are there
bounded() {
	local kb fds

	kb=$(peak_kb "$1" "$2") fds=$(count_fds "$1" "$2")
	echo "process $2 on $1: $kb kB, $fds descriptors"
	[ "$kb" -le "$3" ] || fail "process $2 on $1 has taken $kb kB"
	[ "$fds" -le "$4" ] || fail "process $2 on $1 has $fds descriptors"
}

# bounded_meanwhile NODE PID KB FDS: until the strangers have ended
bounded_meanwhile() {
	while kill -0 "${strangers[@]}" 2> /dev/null; do
		bounded "$@"
	done
	strangers_end
	bounded "$@"
}

# did_much CONNECTIONS KINDS: or the attack was none
did_much() {
	local kind n

	for kind in $2; do
		n=$(cat "$d"/stranger.* |
			sed -n "s/^$kind: connections=\([0-9]*\) .*/\1/p" |
			sort -n | tail -n 1)
		[ "${n:-0}" -ge "$1" ] || fail "$kind: only ${n:-no} connections"
	done
}

# A rank is killed: all is noticed and told as ever
failure_is_noticed() {
	root node3 kill -KILL "$(< "$s/up.5")"
	step_ends 137
	grep 'first failure' "$s/err" | grep -q \
		'^dist-train: rank 5 (worker) on node3, .*signal 9 (SIGKILL)' ||
		fail "the failure isn't told: $(step_says)"
	nothing_left_of_step
}

# All kinds at the same time, from a node of the step and one that isn't.
# Nobody who hasn't proved the secret is kept for longer than 10 s, and the
# controller's memory is that of some hundred records.
test_strangers_at_the_controller() {
	local port pid kind before

	begin hub
	find_server
	before=$(count_fds login "$pid")
	for kind in $kinds; do
		stranger bob node2 stranger "$kind" 12 login "$port"
	done
	stranger bob node4 stranger junk 12 login "$port"
	bounded_meanwhile login "$pid" 40000 1400
	did_much 50 "$kinds"
	step_goes_on
	until_true 30 few_fds login "$pid" $((before + 2)) ||
		fail "$(count_fds login "$pid") descriptors stay, not $before"
	failure_is_noticed
}

# A failure while they are there
test_failure_among_strangers() {
	local port pid kind

	begin among
	find_server
	for kind in junk partial churn; do
		stranger bob node4 stranger "$kind" 20 login "$port"
	done
	failure_is_noticed
}

# Before any launcher has come, at both ports; nobody has to make do with another
# controller
test_strangers_before_the_launchers() {
	local port pid kind

	hold_plugin
	new_step early
	touch "$s"/task.node{1,2,3}
	begin_step --dist-train="ddp,$keys"
	wait_for "held tasks" task.node{1,2,3}.here
	find_server
	[ "$(wc -w <<< "$port")" -eq 2 ] || fail "not two ports: $port"
	for kind in $kinds; do
		# shellcheck disable=SC2086 # words they are
		stranger bob node4 stranger "$kind" 20 login $port
	done
	rm "$s"/task.node{1,2,3}
	all_up
	step_goes_on
	! root node1 pgrep -u alice -f '^dist-train-ste[p] ' ||
		fail "the first node has a controller, too"
	failure_is_noticed
}

# No task is left that could tell srun its end: only the controller can
test_lost_launchers_among_strangers() {
	local port pid kind node

	begin lost
	find_server
	for kind in junk silent churn; do
		stranger bob login stranger "$kind" 30 login "$port"
	done
	for node in node1 node2 node3; do
		find_stepd "$node"
		cp "$s/pid" "$s/stepd.$node"
	done
	# The last one may be told to end before it is killed
	for node in node1 node2 node3; do
		root "$node" kill -KILL "$(< "$s/stepd.$node")"
	done
	step_ends '1[34][37]'
	grep -q '^dist-train: srun aborts the step: ' "$s/err" ||
		fail "srun doesn't say why it ends: $(step_says)"
}

# Each port of alice's has 200 strangers from the moment it is there: on the first
# node, and all of srun's and the controller's. Then both of her sruns are killed.
test_ports_are_starved_from_the_start() {
	local port pid

	stranger bob login stranger snipe 40 10001
	stranger bob node1 stranger snipe 40 10001
	begin starved
	find_server
	root login sh -c 'kill -KILL $(pgrep -x -P "$0" srun) "$0"' "$(< "$s/srun")"
	nothing_left_of_step
	kill "${strangers[@]}"
	root login scancel -Q "$(< "$s/job")"
	until_true 60 job_ended "$(< "$s/job")" || fail "the job doesn't end"
}

# The socket at which dist-train-rsh is called back. What a command prints goes
# through its srun, which loses a line now and then when strangers are at its own
# ports: a bare srun 2 of 90. So each writes to a file.
test_rsh_is_sniped() {
	: > "$d/ran"
	chmod 666 "$d/ran"
	stranger bob node1 stranger snipe 120 10001
	try srun -w 'node[1-3]' --dist-train=mpi,run-on=first sh -c '
		for i in 1 2 3; do
			ssh node2 "echo on \$SLURMD_NODENAME >> $0"
			echo "code $?"
			ssh node3 "echo on \$SLURMD_NODENAME >> $0; exit 3"
			echo "code $?"
		done' "$d/ran"
	[ "$rc" -eq 0 ] || fail "status $rc"
	[ "$(xargs < "$d/ran")" = \
		'on node2 on node3 on node2 on node3 on node2 on node3' ] ||
		fail "not six commands: $(< "$d/ran")"
	[ "$(xargs < "$d/out")" = \
		'code 0 code 3 code 0 code 3 code 0 code 3' ] ||
		fail "other exit codes"
}

# What node2's and node3's launchers have said, with a failure and a restart in
# it, is said again: in the same step, and in a later one
# clusters: plain auth
test_replay() {
	local from port

	for from in node2 node3; do
		stranger root $from replay record eth0 login 20000 28999 \
			"$d/said.$from"
	done
	begin first --dist-train="ddp,$keys,restarts=1"
	root node2 kill -KILL "$(< "$s/up.3")"
	wait_for "the second round" up.0.1 up.3.1 up.5.1
	for from in node2 node3; do
		root $from pkill -TERM -f 'replay[.]py record'
	done
	strangers_end
	[ "$(grep -c '^recorded [1-9]' <(cat "$d"/stranger.*))" -eq 2 ] ||
		fail "nothing was recorded"
	chmod 644 "$d"/said.*
	say_again
	may_go
	step_ends 0
	[ "$(step_says | grep -c 'restart 1 of 1')" -eq 1 ] ||
		fail "other restarts: $(step_says)"
	begin second
	say_again
	step_goes_on
	may_go
	step_ends 0
}

# Each of it is closed by the launcher, and the step goes on
say_again() {
	local said port pid

	find_server
	for said in "$d"/said.*; do
		user=bob node=node4 limit=100 try "$PYTHON" \
			"$top/tests/clients/replay.py" say login "$port" "$said"
		grep -q '^replayed \([1-9][0-9]*\) closed \1$' "$d/out" ||
			fail "not all of it is refused"
	done
	[ ! -e "$s/status" ] || fail "the step has ended: $(step_says)"
}

# alice's words: long hexadecimal numbers of the ranks' and launchers'
# environments, credentials, and one of her own
collect_words() {
	local node

	for node in node1 node2 node3; do
		root "$node" sh -c '
			for p in $(pgrep -u alice); do
				tr "\0" "\n" < /proc/$p/environ
			done' 2> /dev/null
	done | grep -v '^DT_HOLD' |
		grep -Eo '[0-9a-f]{24,}|MUNGE:[^:]*:|token-of-alice-[0-9]*' |
		sort -u > "$d/words"
	chmod 600 "$d/words"
	# One that everybody may see shows that the search finds what is there
	echo "known-to-all-$RANDOM$RANDOM" >> "$d/words"
	install -m 644 "$d/words" "$d/bobs-words"
}

# search NODE: all that bob finds there
search() {
	local node=$1

	user=bob node=$node limit=300 at sh -c '{ scontrol show job -dd
		scontrol show step -dd; scontrol show node; squeue -a -o %all
		} 2>&1 | "$0" "$@"' "$PYTHON" "$top/tests/clients/search.py" \
		"$d/bobs-words" "$d" > "$d/found.$node" 2>&1
	sed 's/^/'"$node: /" "$d/found.$node"
	grep -q '^searched [0-9][0-9][0-9]' "$d/found.$node" ||
		fail "$node: the search has failed"
}

test_secrets() {
	limit=600
	local node n public job

	new_step secret
	echo "export OWN_TOKEN=token-of-alice-$RANDOM" >> "$s/environment"
	begin_step --dist-train="horovod,controller=gloo,$keys"
	all_up
	collect_words
	n=$(wc -l < "$d/words")
	[ "$n" -ge 3 ] || fail "only $n words to look for"
	grep -q '^token-of-alice' "$d/words" || fail "her own word isn't there"
	public=$((n - 1))
	node=node1 background "$PYTHON" -c \
		'import time; time.sleep(900)' \
		"$(tail -n 1 "$d/words")"
	for node in login node1; do
		search "$node"
	done
	grep -q "^found $public in .*/cmdline$" "$d/found.node1" ||
		fail "the search doesn't find what everybody may see"
	! cat "$d"/found.* | grep -v "^found $public in " | grep '^found' ||
		fail "bob can read a secret of alice's"
	may_go
	step_ends 0
}
