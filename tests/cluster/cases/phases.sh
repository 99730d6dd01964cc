# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# What a step consists of, and what it needs, is killed, or stopped for longer
# than the lease and the timeout, at the step's start, in its middle and at its
# end. Each row has the status that must come out and who must be named; in
# each nothing is left, the next step works, and no node is drained.
# clusters: plain
# shellcheck disable=SC2034,SC2154 # shared with lib.sh

# shellcheck source-path=SCRIPTDIR source=../steps.sh
. "$here/steps.sh"

stop_s=7	# longer than lease and timeout

# TARGET PHASE SIGNAL STATUS LINE. LINE is a pattern that one of our lines must
# match; "quiet": not a line of ours; "-": any. No rank is blamed unless LINE
# says so.
#
# Slurm's own faults, where plain srun does the same:
#   cancel  srun waits for a task that will never be, until it is cancelled
#   plain   the status is that of the same step without our option
# 143: Slurm's SIGTERM for the others may find one whose launcher has just begun.
rows='
srun         start   KILL  137     -
srun         middle  KILL  137     -
srun         end     KILL  137     -
srun         start   STOP  0       quiet
srun         middle  STOP  0       quiet
srun         end     STOP  0       quiet
srun-second  start   KILL  0       quiet
srun-second  middle  KILL  0       quiet
srun-second  end     KILL  0       quiet
srun-second  start   STOP  0       quiet
srun-second  middle  STOP  0       quiet
srun-second  end     STOP  0       quiet
controller   middle  KILL  137     controller_beside_srun_has_ended
controller   end     KILL  137     controller_beside_srun_has_ended
controller   start   STOP  0       -
controller   middle  STOP  0       quiet
controller   end     STOP  0       quiet
stepd-1      start   KILL  cancel  -
stepd-1      middle  KILL  137     -
stepd-1      end     KILL  137     -
stepd-1      start   STOP  0       -
stepd-1      middle  STOP  0       quiet
stepd-1      end     STOP  0       quiet
stepd-3      start   KILL  cancel  -
stepd-3      middle  KILL  137     slurmstepd_on_node3_was_killed
stepd-3      end     KILL  137     slurmstepd_on_node3_was_killed
stepd-3      start   STOP  0       -
stepd-3      middle  STOP  0       quiet
stepd-3      end     STOP  0       quiet
launcher-1   start   KILL  1[34][37] -
launcher-1   middle  KILL  137     -
launcher-1   end     KILL  137     -
launcher-1   start   STOP  0       -
launcher-1   middle  STOP  0       quiet
launcher-1   end     STOP  0       quiet
launcher-3   start   KILL  1[34][37] launcher_of_task_2_on_node3
launcher-3   middle  KILL  137     launcher_of_task_2_on_node3
launcher-3   end     KILL  137     launcher_of_task_2_on_node3
launcher-3   start   STOP  0       -
launcher-3   middle  STOP  0       quiet
launcher-3   end     STOP  0       quiet
rank-1       start   KILL  137     rank_1_.*on_node1.*SIGKILL
rank-1       middle  KILL  137     rank_1_.*on_node1.*SIGKILL
rank-1       end     KILL  137     rank_1_.*on_node1.*SIGKILL
rank-1       start   STOP  0       -
rank-1       middle  STOP  0       quiet
rank-1       end     STOP  0       quiet
rank-5       start   KILL  137     rank_5_.*on_node3.*SIGKILL
rank-5       middle  KILL  137     rank_5_.*on_node3.*SIGKILL
rank-5       end     KILL  137     rank_5_.*on_node3.*SIGKILL
rank-5       start   STOP  0       -
rank-5       middle  STOP  0       quiet
rank-5       end     STOP  0       quiet
service      start   KILL  137     service_store_on_node1.*SIGKILL
service      middle  KILL  137     service_store_on_node1.*SIGKILL
service      end     KILL  137     service_store_on_node1.*SIGKILL
service      start   STOP  0       -
service      middle  STOP  0       quiet
service      end     STOP  0       quiet
'

# --- the three phases ---------------------------------------------------------

# Start: what is to be hit exists, and not all tasks do. srun: no task has its
# program; slurmstepd: has no task; the others: node2's task isn't there yet.
hold_start() {
	case $1 in
	srun* | *d-of-*) touch "$s"/task.node{1,2,3} ;;
	stepd-*) touch "$s/step.node${1#*-}" ;;
	*) touch "$s/task.node2" ;;
	esac
}

start_is_there() {
	case $1 in
	srun* | *d-of-*) wait_for "held tasks" task.node{1,2,3}.here ;;
	stepd-*) wait_for "slurmstepd" "step.node${1#*-}.here" ;;
	*) wait_for "node2's task" task.node2.here ;;
	esac
}

end_hold() {
	[ -z "$s" ] || rm -f "$s"/task.node? "$s"/step.node?
}

# End: one rank is left, that which is to be hit or one of node2
last_rank() {
	case $1 in
	rank-*) echo "${1#*-}" ;;
	*) echo 3 ;;
	esac
}

five_done() {
	[ "$(grep -c '^done [0-5]$' "$s/out")" -eq 5 ]
}

most_end() {
	local rank last

	last=$(last_rank "$1")
	for rank in 0 1 2 3 4 5; do
		[ "$rank" -eq "$last" ] || touch "$s/go.$rank"
	done
	until_true 60 five_done || {
		show_step_output
		fail "five ranks haven't ended"
	}
}

# reach TARGET PHASE NAME: begin a step, up to there
reach() {
	local with=(--dist-train="ddp,$keys")

	[ "$1" != service ] ||
		with=(--dist-train="horovod,controller=gloo,$keys")
	[ "$3" != plain ] || with=()
	new_step "$1.$2.$3"
	[ "$2" != start ] || hold_start "$1"
	begin_step ${with[@]+"${with[@]}"}
	if [ "$2" = start ]; then
		start_is_there "$1"
	else
		all_up
	fi
	[ "$2" != end ] || most_end "$1"
	find_job
}

# --- the targets ----------------------------------------------------------------

# target TARGET: sets `at_node` and `pid`
target() {
	at_node=node${1#*-}
	case $1 in
	srun | srun-second | controller) at_node=login ;;
	service) at_node=node1 ;;
	rank-5) at_node=node3 ;;
	esac
	case $1 in
	srun) cp "$s/srun" "$s/pid" ;;
	srun-second) root login pgrep -P "$(< "$s/srun")" -x srun > "$s/pid" ;;
	controller) root login pgrep -P "$(< "$s/srun")" -f dist-train-step > "$s/pid" ;;
	stepd-*) find_stepd "$at_node" ;;
	launcher-*) find_launcher "$at_node" ;;
	service) find_process node1 '/dist-train-k[v]' ;;
	rank-*)
		wait_for "rank ${1#*-}" "up.${1#*-}"
		cp "$s/up.${1#*-}" "$s/pid"
		;;
	esac
	pid=$(< "$s/pid")
}

hit() {
	root "$at_node" kill "-$1" "$pid"
}

# What a service is before its program has begun may be gone at once
find_and_hit() {
	target "$1" && hit "$2"
}

# --- rows ------------------------------------------------------------------------

# blamed LINE
blamed() {
	local line=${1//_/ }

	case $1 in
	-) ;;
	quiet)
		[ -z "$(step_says)" ] || fail "unexpected: $(step_says)"
		return
		;;
	*)
		step_says | grep -q -- "$line" ||
			fail "no line '$line': $(step_says)"
		;;
	esac
	! step_says | grep 'first failure' | grep '^dist-train: rank ' |
		grep -v -- "$line" || fail "an innocent rank is blamed"
}

# Slurm waits for what will never be: it must be possible to end it
cancelled() {
	until_true 5 has status || {
		root login scancel "$job"
		until_true 60 has status || fail "scancel doesn't end it"
	}
	show_step_output
	[ "$(< "$s/status")" -ne 0 ] || fail "status 0"
	blamed -
}

# row TARGET PHASE SIGNAL STATUS LINE
row() {
	local job pid at_node

	reach "$1" "$2" "$3"
	until_true 20 find_and_hit "$1" "$3" || fail "no process to hit"
	if [ "$3" = STOP ]; then
		end_hold
		sleep $stop_s
		hit CONT
	fi
	end_hold
	[ "$4" != 0 ] || may_go
	if [ "$4" = cancel ]; then
		cancelled
	else
		step_ends "$4"
		blamed "$5"
	fi
	nothing_left_of_step
}

# rows_of TARGET...: all their rows side by side; most of the time they wait
rows_of() {
	local name bad=0 target phase signal status line

	limit=150
	hold_plugin
	while read -r target phase signal status line; do
		[[ " $* " == *" $target "* ]] || continue
		(
			d=$d/$target.$phase.$signal
			mkdir -m 777 "$d"
			trap end_hold EXIT
			row "$target" "$phase" "$signal" "$status" "$line"
			echo passed > "$d/passed"
		) > "$d/row.$target.$phase.$signal" 2>&1 &
	done <<< "$rows"
	wait
	for name in "$d"/row.*; do
		name=${name##*/row.}
		[ ! -e "$d/$name/passed" ] || continue
		echo "=== $name"
		cat "$d/row.$name"
		bad=$((bad + 1))
	done
	[ $bad -eq 0 ] || fail "$(cd "$d" && grep -hs . -m 1 */why | xargs -d '\n')"
	next_step_works
}

test_srun() {
	rows_of srun
}

test_second_srun() {
	rows_of srun-second
}

test_controller() {
	rows_of controller
}

# long: phases.stepd_of_the_last_node; phases.launcher_of_the_first_node (who
# leads there ends)
test_stepd_of_the_first_node() {
	rows_of stepd-1
}

test_stepd_of_the_last_node() {
	rows_of stepd-3
}

test_launcher_of_the_first_node() {
	rows_of launcher-1
}

test_launcher_of_the_last_node() {
	rows_of launcher-3
}

# long: phases.rank_of_the_last_node (another node's, which is the longer way),
# phases.service (killed and stopped on node1); keepers.first_failure (rank 0 is
# named)
test_rank_of_the_first_node() {
	rows_of rank-1
}

test_rank_of_the_last_node() {
	rows_of rank-5
}

test_service() {
	rows_of service
}

# --- what all steps need ----------------------------------------------------------

# DAEMON-of-NODE SIGNAL STATUS. A step in each of the phases is there when it
# is hit; it is back after a while.
#
# plain: a step without our option is begun beside, in the same phase, and the
# status of ours is that of Slurm's: srun has messages that nobody answers
daemons='
munged-of-node3     KILL 0
munged-of-login     KILL 0
slurmctld-of-login  KILL 0
slurmd-of-node3     KILL 0
munged-of-node3     STOP 0
munged-of-login     STOP plain
slurmctld-of-login  STOP plain
slurmd-of-node3     STOP 0
'

# Slurm's controller forgets a job that it hasn't saved when it is killed
all_saved() {
	local name

	for name in "$d/$1".*/job; do
		name=${name%/job}
		grep -q "${name##*/}" \
			"/run/dist-train-cluster/$cluster/spool/slurmctld/job_state" ||
			return 1
	done
}

begin_again() {
	case $1 in
	munged) start_munged "$2" ;;
	*) root "$2" sh -c "setsid $1 > /dev/null 2>&1" ;;
	esac
}

# strike DAEMON SIGNAL: with a pause before it is back
strike() {
	local name=${1%-of-*} node=${1#*-of-} pid

	[ "$1$2" != slurmctld-of-loginKILL ] ||
		until_true 60 all_saved "$1" || fail "the jobs aren't saved"
	pid=$(pid_on "$node" "^$name")
	[ -n "$pid" ] || fail "no $name on $node"
	root "$node" kill "-$2" "$pid"
	rm -f "$d"/*/task.node?
	sleep $stop_s
	if [ "$2" = KILL ]; then
		begin_again "$name" "$node"
	else
		root "$node" kill -CONT "$pid"
	fi
}

# daemon DAEMON: its rows, one after the other
daemon() {
	local name signal status phase expected job

	limit=150
	hold_plugin
	trap 'rm -f "$d"/*/task.node?; clean_case' EXIT
	while read -r -u 3 name signal status; do
		[ "$name" = "$1" ] || continue
		rm -rf "$d/$1".*
		for phase in start middle end; do
			reach "$1" $phase "$signal"
		done
		[ "$status" != plain ] || reach "$1" start plain
		strike "$1" "$signal"
		for s in "$d/$1".*; do
			may_go
		done
		for phase in start middle end; do
			expected=0
			if [ "$status$phase" = plainstart ]; then
				s=$d/$1.start.plain
				step_ends '*'
				expected=$(< "$s/status")
			fi
			s=$d/$1.$phase.$signal
			step_ends "$expected"
			nothing_left_of_step
		done
		next_step_works
	done 3<<< "$daemons"
}

test_munged_of_a_node() {
	need_munge
	daemon munged-of-node3
}

test_munged_of_the_login_node() {
	need_munge
	daemon munged-of-login
}

test_slurmctld() {
	daemon slurmctld-of-login
}

test_slurmd() {
	daemon slurmd-of-node3
}
