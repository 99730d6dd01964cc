# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# What the launchers of a step do together besides ending it: restarts, early
# exits, requeues, signals; and what must not disturb them.
# clusters: plain
# shellcheck disable=SC2016,SC2034,SC2154 # shared with lib.sh

# shellcheck source-path=SCRIPTDIR source=../training.sh
. "$here/training.sh"

# lived ROUND: all ranks of that round were ready, at one port, which isn't that
# of the round before
lived() {
	local ports before

	[ "$(grep -c "^ready [0-3] $1 " "$d/step.out")" -eq 4 ] ||
		fail "not four ranks in round $1"
	ports=$(ports_of "$1") before=$(ports_of $(($1 - 1)))
	[ "$(wc -l <<< "$ports")" -eq 1 ] || fail "round $1: ports $ports"
	[ "$ports" != "$before" ] || fail "round $1 has the port of the last"
}

ports_of() {
	awk -v r="$1" '$1 == "ready" && $3 == r { print $4 }' "$d/step.out" |
		sort -u
}

# PyTorch starts three times: on a machine with other work that takes its time
restarts() {
	limit=180
	mode "$1" restarts=2
	begin twice 3
	ends 0 150
	lived 0
	lived 1
	lived 2
	[ "$(grep -c '^trained [0-3] 2$' "$d/step.out")" -eq 4 ] ||
		fail "not four ranks have trained in round 2"
	[ "$(told | grep -Ec "^dist-train: $(rank 3 'signal 9 \(SIGKILL\)')")" \
		-eq 2 ] || fail "not two failures are told: $(told)"
	[ "$(grep -c '^dist-train: restart [12] of 2 ' "$d/step.err")" -eq 2 ] ||
		fail "not two restarts are told: $(told)"
	nothing_of_ours
}

# takes: 1
test_restarts_task() {
	prop=torch
	restarts task
}

# long: restarts_task, restart_on, and this one on exec
test_restarts_device() {
	restarts device
}

# Exit code 3 isn't worth it for `signal'; it is for a list; not more than allowed
test_restart_on() {
	mode device restarts=1,restart-on=signal
	begin exit 3
	ends 3 $((grace + 5))
	! grep -q '^dist-train: restart 1' "$d/step.err" || fail "a restart"
	told | grep -q "restarts=1 not used: exit code 3 isn't in restart-on=signal" ||
		fail "not said why: $(told)"
	mode_args=${mode_args/restart-on=signal/restart-on=4,3}
	begin exit 3
	ends 3 $((grace + 5 + 60))
	[ "$(told | grep -c 'exit code 3 .*first failure')" -eq 2 ] ||
		fail "not two failures are told: $(told)"
	lived 0
	lived 1
	nothing_of_ours
}

# One fails before the other node is up, which takes longer than the end of
# processes may
# long: tests/helpers/channel/test_arbiter_rounds (late_for_the_restart),
# test_session (late_member, late_server); meeting.slow_first_node_and_a_failure
test_restart_before_all_are_up() {
	be_slow 12
	try srun -w node1,node2 --ntasks-per-node=1 \
		--dist-train=ddp,procs=2,restarts=1 sh -c '
		[ "$RANK$DIST_TRAIN_RESTART" != 00 ] || kill -KILL $$
		echo "life $DIST_TRAIN_RESTART"'
	[ "$rc" -eq 0 ] || fail "status $rc"
	[ "$(grep -c '^life 1$' "$d/out")" -eq 4 ] || fail "not four in round 1"
}

# A launcher that is killed isn't restarted
# long: tests/helpers/channel/test_arbiter (lost_node: restarts not used),
# test_arbiter_rounds (lost_while_restarting); failures.launcher_killed_task
test_restart_without_launcher() {
	mode device restarts=3,restart-on=any
	begin nothing
	all_ready
	root node2 kill -KILL "$(pid_on node2 '/dist-train-launc[h] ')"
	ends 137 $((grace + 5))
	! grep -q '^dist-train: restart 1' "$d/step.err" || fail "a restart"
	nothing_of_ours
}

test_early_exit() {
	allocate
	mode_args="--dist-train=ddp,procs=2,grace=1,early-exit=fail"
	try srun --jobid="$job" --overlap -N2 -n2 $mode_args sh -c \
		'[ $RANK = 2 ] && exit 0; exec sleep 60'
	[ "$rc" -eq 1 ] || fail "status $rc, not 1"
	grep -q '^dist-train: rank 2 (worker) on node2 ended with exit code 0, and others still ran 1 s later' \
		"$d/err" || fail "not told: $(ours)"
	succeed srun --jobid="$job" --overlap -N2 -n2 $mode_args sh -c \
		'[ $RANK = 2 ] || sleep 0.3'
	try srun --jobid="$job" --overlap -N2 -n2 \
		--dist-train=ddp,procs=2,grace=1 sh -c \
		'[ $RANK = 2 ] && exit 0; sleep 3; echo done'
	[ "$rc" -eq 0 ] || fail "status $rc: an exit of 0 has started the clock"
	[ "$(grep -c '^done$' "$d/out")" -eq 3 ] || fail "not three have gone on"
}

# The job is queued again; Slurm starts it after two minutes. The step is of
# another component than the one that can be requeued.
test_requeue() {
	need_client
	cat > "$d/job.sh" <<-END
	#!/bin/bash
	srun --het-group=1 -N2 --ntasks-per-node=1 \\
		--dist-train=ddp,procs=2,grace=$grace,lease=$lease,on-node-loss=requeue \\
		$client nothing
	END
	touch "$d/step.out" "$d/step.err"
	chmod 666 "$d"/step.*
	try sbatch --parsable --requeue -n1 -w node3 --open-mode=append \
		-o "$d/step.out" -e "$d/step.err" \
		: -N2 -n2 -w node1,node2 "$d/job.sh"
	job=$out
	all_ready
	afterwards "at scancel $job; until_true 20 job_ended $job"
	afterwards "restart_node node2"
	lose_node node2
	until_true $((lost + grace + 15)) is_queued_again ||
		fail "not requeued: $(root login scontrol show job "$job")"
	restart_node node2
	sed -i /restart_node/d "$d/undo"
	node_returns
}

is_queued_again() {
	root login scontrol -o show job "$job" | grep -q 'Requeue=1 Restarts=1 '
}

# stop_all SIGNAL: to all processes of the step's launchers on node2
stop_all() {
	root node2 sh -c "pgrep -f '$props|dist-train-launc[h] ' |
		while read -r p; do kill -$1 \$p; done"
}

# Longer than the lease: they are stopped, not lost
stopped() {
	mode "$1"
	begin nothing
	all_ready
	stop_all STOP
	sleep $((lease + 2))
	[ ! -e "$d/status" ] || fail "the step has ended: $(told)"
	stop_all CONT
	try scancel -s STOP "$job.0"
	sleep $((lease + 2))
	try scancel -s CONT "$job.0"
	sleep 1
	[ ! -e "$d/status" ] || fail "the step has ended: $(told)"
	root login scontrol suspend "$job" || fail "can't suspend"
	sleep $((lease + 2))
	root login scontrol resume "$job" || fail "can't resume"
	sleep 1
	[ ! -e "$d/status" ] || fail "the step has ended: $(told)"
	began=$(now)
	at scancel "$job.0"
	ends 137 $((grace + 5))
	nothing_of_ours
}

# long: stopped_longer_than_lease_device
test_stopped_longer_than_lease_task() {
	stopped task
}

# takes: 0.25
test_stopped_longer_than_lease_device() {
	stopped device
}

# heard NAME N: each rank has heard that signal N times
heard() {
	local rank

	for rank in 0 1 2 3; do
		[ "$(grep -cx "$1 $rank" "$d/step.out")" -ge "$2" ] || return 1
	done
}

users_signals() {
	mode "$1"
	begin signal
	all_ready
	try scancel -s USR1 "$job.0"
	until_true 10 heard usr1 1 || fail "not all have heard it"
	try scancel -s USR1 "$job.0"
	until_true 10 heard usr1 2 || fail "not all have heard it again"
	try scancel -s USR2 "$job.0"
	until_true 10 heard usr2 1 || fail "not all have heard the other one"
	[ "$(grep -c '^usr[12]' "$d/step.out")" -eq 12 ] ||
		fail "a signal reached a process twice"
	began=$(now)
	at scancel "$job.0"
	ends 137 $((grace + 5))
}

# long: keepers.signal_comes_once (task mode), ports.signals (device mode)
test_users_signals_task() {
	users_signals task
}

# long: users_signals_task, and this one on exec
test_users_signals_device() {
	users_signals device
}

# srun tells the state, and goes on
ctrl_c_once() {
	mode "$1"
	begin nothing
	all_ready
	root login kill -INT "$(< "$d/srun")"
	until_true 10 grep -q 'one more within 1 s' "$d/step.err" ||
		fail "srun says nothing: $(< "$d/step.err")"
	sleep $((grace + 1))
	[ ! -e "$d/status" ] || fail "the step has ended: $(told)"
	[ -z "$(told)" ] || fail "unexpected: $(told)"
	began=$(now)
	at scancel "$job.0"
	ends 137 $((grace + 5))
}

test_ctrl_c_once_task() {
	ctrl_c_once task
}

# long: ctrl_c_once_task
test_ctrl_c_once_device() {
	ctrl_c_once device
}

# The exception, and not only an exit code. Python takes its time to end, and
# grace begins then.
error_file() {
	mode "$1"
	begin raise 3
	ends 1 $((grace + 5 + 20))
	blames "$(rank 3 "exit code 1")"
	grep -A 1 'first failure' "$d/step.err" |
		grep -q '^dist-train: ValueError: the loss is not a number$' ||
		fail "the exception isn't told: $(told)"
	nothing_of_ours
}

# long: supervision.error_file_device (PyTorch);
# tests/helpers/files/test_error_file
test_error_file_task() {
	error_file task
}

# takes: 1
test_error_file_device() {
	prop=torch
	error_file device
}

# on_terminal COMMAND: srun's terminal; what it shows is in $d/out
on_terminal() {
	try script -qec "$*" /dev/null
}

# long: streams.terminal, terminal_interrupt; tests/helpers/procs/test_input
# (terminal_for_the_first)
test_pty() {
	on_terminal "srun --pty -n1 --dist-train=ddp,supervise=yes \
		sh -c 'test -t 0 && test -t 1 && echo is a terminal; exit 4'"
	[ "$rc" -eq 4 ] || fail "status $rc, not 4"
	says 'is a terminal'
}

test_progress() {
	on_terminal "srun -w node1,node2 --ntasks-per-node=1 \
		--dist-train=ddp,procs=2 sh -c 'sleep 0.2'"
	[ "$rc" -eq 0 ] || fail "status $rc"
	be_slow 2
	on_terminal "srun -w node1,node2 --ntasks-per-node=1 \
		--dist-train=ddp,procs=2,label=no sh -c 'echo \$RANK'"
	[ "$rc" -eq 0 ] || fail "status $rc"
	says 'dist-train: [0-3]/4 processes up, waiting for node2'
	try srun -w node1,node2 --ntasks-per-node=1 \
		--dist-train=ddp,procs=2,progress=yes true
	grep -q '^dist-train: 2/4 processes up, waiting for node2$' "$d/err" ||
		fail "no progress in lines: $(ours)"
	grep -q '^dist-train: 4/4 processes up$' "$d/err" || fail "no end"
	succeed srun -w node1,node2 --ntasks-per-node=1 \
		--dist-train=ddp,procs=2 true
}

# disturb NODE: bob says garbage and nothing at all to whatever listens there
# in the name of alice
disturb() {
	user=bob node=$1 limit=20 at "$PYTHON" -c '
import os, socket, sys, time
def ports():
    for name in ("/proc/net/tcp", "/proc/net/tcp6"):
        for line in open(name).readlines()[1:]:
            f = line.split()
            if f[3] == "0A" and f[7] == sys.argv[1]:
                yield int(f[1].split(":")[1], 16)
n, held = 0, []
for port in sorted(set(ports())):
    for i in range(60):
        try:
            s = socket.create_connection((socket.gethostname(), port), 1)
            if i % 2:
                s.send(os.urandom(500))
            held.append(s)
            n += 1
        except OSError:
            pass
print("disturbed", n)
time.sleep(3)' 10001
}

test_disturbed() {
	mode device
	begin nothing
	all_ready
	disturb node1 > "$d/bob.node1" &
	disturb login > "$d/bob.login" &
	wait $!
	until_true 10 grep -q . "$d/bob.node1"
	cat "$d"/bob.*
	grep -Eq '^disturbed [1-9]' "$d/bob.node1" || fail "nobody was disturbed"
	[ ! -e "$d/status" ] || fail "the step has ended: $(told)"
	began=$(now)
	root node2 kill -KILL "$(pid_on node2 "$props")"
	# srun of 26.05 hears of it late, while strangers keep its own port
	ends 137 $((grace + 25))
	[ "$(told | grep -c 'first failure')" -eq 1 ] || fail "$(told)"
	nothing_of_ours
}

# Slurm itself starts no task there: srun says so and ends, and so does what
# has begun on the other node
test_munged_killed() {
	need_munge
	allocate
	root node2 kill "$(pid_on node2 '^munged')"
	afterwards "start_munged node2"
	mode_args="--ntasks-per-node=1 --dist-train=ddp,procs=2,timeout=5,grace=1"
	limit=60 try srun --jobid="$job" --overlap -N2 $mode_args sh -c \
		'echo "ran $RANK"'
	[ "$rc" -ne 0 ] || fail "status 0"
	until_true 10 clean_node node1 || fail "something is left on node1"
	start_munged node2
	sed -i /start_munged/d "$d/undo"
	nothing_of_ours
}
