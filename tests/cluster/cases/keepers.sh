# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# Task mode with one launcher for each node: the node's other tasks have keepers.
# What launchers do together is in supervision.sh and failures.sh, which run in
# this mode, too.
# clusters: npu
# shellcheck disable=SC2016,SC2034,SC2154 # shared with lib.sh
# shellcheck source-path=SCRIPTDIR/.. source=npus.sh
. "$here/npus.sh"

limit=60
supervised=--dist-train=ddp,procs=task,grace=1
who='echo "rank=$RANK task=$SLURM_PROCID node=$SLURMD_NODENAME" \
	"below=$(cat /proc/$PPID/comm)"'

# one_launcher N NODES: N ranks, and on each of the nodes one launcher
one_launcher() {
	[ "$(grep -c '^rank=' "$d/out")" -eq "$1" ] || fail "not $1 ranks"
	[ "$(grep -c '^rank=\([0-9]*\) task=\1 ' "$d/out")" -eq "$1" ] ||
		fail "ranks aren't Slurm's"
	[ "$(sed -n 's/.* node=\(.*\) below=dist-train-laun$/\1/p' "$d/out" |
		sort | xargs)" = "$2" ] || fail "not one launcher on each node"
	[ "$(grep -c ' below=dist-train-keep$' "$d/out")" -eq \
		$(($1 - $(wc -w <<< "$2"))) ] || fail "not a keeper for each"
}

test_layouts() {
	succeed srun -N4 --ntasks-per-node=3 $supervised sh -c "$who"
	one_launcher 12 'node1 node2 node3 node4'
	succeed srun -w 'node[1-3]' -n5 $supervised sh -c "$who"
	one_launcher 5 'node1 node2 node3'
	succeed srun -N2 -n5 -m cyclic $supervised sh -c "$who"
	one_launcher 5 "$(sed -n 's/.* node=\([^ ]*\) .*/\1/p' "$d/out" |
		sort -u | xargs)"
	succeed srun -w node2 -n3 $supervised sh -c "$who"
	one_launcher 3 node2
	succeed srun -N2 -n5 -m plane=2 $supervised sh -c "$who"
}

# Task 0's node isn't the first: each task has a launcher
# long: tests/helpers/launch/test_phases; layout.arbitrary
test_arbitrary() {
	printf '%s\n' node3 node1 node1 node3 > "$d/hosts"
	chmod 644 "$d/hosts"
	succeed env SLURM_HOSTFILE="$d/hosts" srun -n4 -m arbitrary \
		$supervised sh -c "$who"
	[ "$(grep -c '^rank=\([0-9]*\) task=\1 ' "$d/out")" -eq 4 ] ||
		fail "ranks aren't Slurm's"
}

test_rank_table() {
	trains 12 -N3 --ntasks-per-node=4 --gres=npu:4 $ascend
	trains 3 -w node2 -n3 --gres=npu:3 $ascend
	refused 'the ranks of a server must be together' -w 'node[1-2]' \
		--ntasks-per-node=3 -m cyclic --gres=npu:3 $ascend
}

# What keys need a launcher for each task
# long: tests/core/plan/test_resolve (one_launcher_for_a_node)
test_each_its_own() {
	local keys

	for keys in label=yes restarts=1 hang=60 metrics=on; do
		succeed srun -w node1 -n2 $supervised,$keys sh -c '
			echo "below $(cat /proc/$PPID/comm)" > /tmp/below.$RANK'
		[ "$(node=node1 at sh -c 'cat /tmp/below.*; rm /tmp/below.*' |
			sort | uniq -c | xargs)" = '2 below dist-train-laun' ] ||
			fail "$keys: not two launchers"
	done
}

# variables FILE RANK: of the process, without what differs between steps
variables() {
	grep -a "^$2 " "$1" | sed "s/^$2 //" | sort |
		grep -avE '^(_|SHLVL|(SLURM_)?JOB_?ID|PWD|SLURM_TASK_PID|SLURM_[A-Z_]*PORTS?|SLURM_LAUNCH_NODE_IPADDR|SLURM_STEP[A-Z_]*|SLURM_STEPID|SLURM_JOBID|SLURM_JOB_SLUID|SLURM_STEPMGR|[A-Z_]*PORT|HCCL_[A-Z_]*)=' |
		sed -E 's/[0-9]+\.[0-9]+\.0/STEP/; s/(STEP)-[A-Za-z0-9]*/\1/'
}

# A process has what it has under a launcher of its own: two steps of one job,
# whose times are in the variables
test_same_variables() {
	local rank job options=(-w 'node[1-2]' --ntasks-per-node=2 --gres=npu:2)

	try salloc --no-shell "${options[@]}"
	job=$(sed -n 's/^salloc: Granted job allocation //p' "$d/err")
	[ -n "$job" ] || fail "no job"
	afterwards "at scancel $job; until_true 20 job_ended $job"
	options+=(--jobid="$job")
	succeed srun "${options[@]}" $ascend,procs=task,label=yes \
		sh -c 'exec env'
	sed 's/^\([0-9]*\): /\1 /' "$d/out" > "$d/own"
	succeed srun "${options[@]}" $ascend,procs=task \
		sh -c 'env | sed "s/^/$RANK /"'
	cp "$d/out" "$d/kept"
	for rank in 0 1 2 3; do
		variables "$d/own" $rank > "$d/own.$rank"
		variables "$d/kept" $rank > "$d/kept.$rank"
		grep -q '^RANK_TABLE_FILE=' "$d/kept.$rank" ||
			fail "rank $rank has no table"
		diff <(sed 's/,label=yes//' "$d/own.$rank") "$d/kept.$rank" ||
			fail "rank $rank has other variables"
	done
}

test_first_failure() {
	local rank

	for rank in 0 3; do
		try srun -w 'node[1-2]' --ntasks-per-node=2 --gres=npu:2 \
			$ascend,grace=1 sh -c \
			"[ \$RANK = $rank ] && exit 7; exec sleep 60"
		[ "$rc" -eq 7 ] || fail "status $rc"
		one_of_ours "^dist-train: rank $rank \(worker\) on node$((rank / 2 + 1)), device $((rank % 2)), pid [0-9]+: exit code 7 after "
		one_of_ours '^dist-train: 3 other processes were ended$'
	done
	no_tables || fail "a table is left"
}

# long: tests/helpers/launch/test_launch: exit_codes, early_exit; as
# first_failure
test_crash_and_early_exit() {
	try srun -N2 --ntasks-per-node=2 $supervised sh -c \
		'[ $RANK = 1 ] && kill -SEGV $$; exec sleep 60'
	[ "$rc" -eq 139 ] || fail "status $rc"
	one_of_ours 'rank 1 .*: signal 11 \(SIGSEGV\) after .*first failure'
	try srun -N2 --ntasks-per-node=2 $supervised,early-exit=fail sh -c \
		'[ $RANK = 1 ] && exit 0; exec sleep 60'
	[ "$rc" -eq 1 ] || fail "status $rc"
	one_of_ours 'rank 1 .* ended with exit code 0, and others still ran'
	succeed srun -N2 --ntasks-per-node=2 $supervised sh -c \
		'[ $RANK = 1 ] || sleep 2'
}

# Who won't end is killed, and says where it was
# long: tests/helpers/launch/test_launch: grace;
# tests/helpers/keepers/test_keepers: programs_end
# takes: 0.25
test_stubborn() {
	try srun -w node1 -n3 $supervised "$PYTHON" -c '
import os, signal, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
if os.environ["RANK"] == "0":
    time.sleep(1)
    raise SystemExit(5)
time.sleep(60)'
	[ "$rc" -eq 5 ] || fail "status $rc"
	within 25
	one_of_ours "rank 2 \(worker\) on node1 hasn't ended by SIGTERM"
}

test_signal_comes_once() {
	background srun -J once -w 'node[1-2]' --ntasks-per-node=3 $supervised \
		"$PYTHON" -c '
import os, signal, time
n = 0
def count(*_):
    global n
    n += 1
signal.signal(signal.SIGUSR1, count)
print("ready", flush=True)
end = time.time() + 30
while not n and time.time() < end:
    time.sleep(0.05)
time.sleep(1)
print("signals", n, flush=True)'
	until_true 20 eval '[ "$(grep -c ready "$d/bg.out")" -eq 6 ]' ||
		fail "the step doesn't start"
	at scancel --signal=USR1 -n once
	wait "$bg" || fail "status $?"
	[ "$(grep -c '^signals 1$' "$d/bg.out")" -eq 6 ] ||
		fail "not once each: $(cat "$d/bg.out")"
}

# sleeps: processes of the step are on node1 or node2
sleeps() {
	[ -n "$(user=root node=node1 at pgrep -x sleep -u alice;
		user=root node=node2 at pgrep -x sleep -u alice)" ]
}

gone() {
	! sleeps
}

# begin_sleepers: six, and wait until all are there
begin_sleepers() {
	background srun -w 'node[1-2]' --ntasks-per-node=3 $supervised \
		sh -c 'echo up; exec sleep 1000'
	until_true 20 eval '[ "$(grep -c "^up$" "$d/bg.out")" -eq 6 ]' ||
		fail "the step doesn't start"
}

# kill_one NODE NAME: the first process with that name
kill_one() {
	user=root node=$1 at sh -c "kill -KILL \$(pgrep -o -x $2)" ||
		fail "no $2 on $1"
}

# takes: 0.25
test_killed() {
	local what

	for what in 'node2 dist-train-keep' 'node2 dist-train-laun' \
		'node1 dist-train-keep' 'node1 dist-train-laun'; do
		begin_sleepers
		# shellcheck disable=SC2086
		kill_one $what
		! wait "$bg" || fail "$what: status 0"
		until_true 20 gone || fail "$what: programs are left"
	done
}

# long: as killed; blame.*
test_cancelled() {
	begin_sleepers
	at scancel -u alice
	! wait "$bg" || fail "status 0"
	until_true 20 gone || fail "programs are left"
}

# long: tests/helpers/keepers/test_keepers: program_cannot_start
test_no_such_program() {
	try srun -w 'node[1-2]' --ntasks-per-node=2 $supervised /nonexistent
	[ "$rc" -eq 2 ] || fail "status $rc"
	within 20
}

# What the launcher finds out of another task ends the step with one line
# long: tests/core/plan/test_node_task: bad_list
test_wrong_list_of_tasks() {
	printf '#!/bin/sh\necho export SLURM_GTIDS=9,9\n' > "$d/gtids"
	chmod 755 "$d/gtids"
	refuse 'SLURM_GTIDS has no task below 4 for task . of node' srun \
		-w 'node[1-2]' --ntasks-per-node=2 --gres=npu:2 \
		--task-prolog="$d/gtids" $ascend,procs=task true
	no_tables || fail "a table is left"
}

# What programs leave behind ends with the step, also without cgroups, and holds
# nothing up
# long: tests/helpers/keepers/test_keepers: ends_what_is_left;
# ports.nothing_survives
test_left_behind() {
	succeed srun -w node1 -n3 $supervised sh -c \
		'setsid sleep 33 < /dev/null > /dev/null 2>&1 & sleep 0.2'
	gone || fail "a process is left"
	try srun -w node1 -n2 $supervised bash -c '
		[ $RANK = 0 ] && { sleep 1; exit 7; }
		"$0" -c "import time; time.sleep(25)"; true' "$PYTHON"
	[ "$rc" -eq 7 ] || fail "status $rc"
	within 20
}

# Slurm runs the prolog when the plugin has decided already
# long: Slurm's SLURM_GPU_BIND is read before the prolog, in layouts too
test_prolog_that_binds() {
	printf '#!/bin/sh\necho export SLURM_GPU_BIND=closest\n' > "$d/bind"
	chmod 755 "$d/bind"
	succeed srun -w node1 -n3 $supervised --task-prolog="$d/bind" \
		sh -c 'echo "rank=$RANK"'
	[ "$(grep -c '^rank=' "$d/out")" -eq 3 ] || fail "not three ranks"
}

# What slurmstepd knows already: no task asks the kernel for its node's address,
# or munged for the step's secret
# long: strace over a whole step; root_opens.tasks_ask_nothing looks at the
# same
test_asks_nobody() {
	local pid kept=0

	need_strace
	pid=$(user=root node=node1 at pgrep -o -x slurmd)
	user=root node=node1 background strace -f -o "$d/trace" \
		-e trace=prctl,socket,connect -p "$pid"
	until_true 10 grep -q attached "$d/bg.out" || fail "no strace of slurmd"
	trains 6 -N2 --ntasks-per-node=3 --gres=npu:3 $ascend
	user=root node=node1 at pkill -o -x strace
	wait "$bg"
	grep -q AF_NETLINK "$d/trace" && grep -q 'connect(.*munge' "$d/trace" ||
		fail "an empty trace"
	for pid in $(sed -n 's/ .*PR_SET_NAME, "dist-train-keep.*//p' "$d/trace"); do
		! grep "^$pid .*\(AF_NETLINK\|munge\)" "$d/trace" ||
			fail "a kept task asks"
		kept=$((kept + 1))
	done
	[ $kept -eq 2 ] || fail "not two kept tasks in the trace"
}

# A task whose prolog takes longer than the key timeout
# takes: 0.25
test_slow_prolog() {
	printf '#!/bin/sh\n[ $SLURM_PROCID != 1 ] || sleep 6\n' > "$d/slow"
	chmod 755 "$d/slow"
	try srun -w node1 -n3 $supervised,timeout=2,on-silence=fail \
		--task-prolog="$d/slow" sleep 8
	[ "$rc" -ne 0 ] || fail "status 0"
	one_of_ours "task 1 of node node1: it hasn't started its program"
	try srun -w node1 -n3 $supervised,timeout=2 \
		--task-prolog="$d/slow" sleep 8
	[ "$rc" -eq 0 ] || fail "status $rc"
	one_of_ours 'the step goes on'
}

# Under a parallel debugger slurmstepd waits for each task to stop at its
# program's start
# long: MPIR is Slurm's; keepers only have to wait
test_debugger() {
	need_program gdb
	dir=$d try gdb -q -batch -ex 'break main' -ex run \
		-ex 'set var *(int*)&MPIR_being_debugged=1' \
		-ex 'break MPIR_Breakpoint' -ex continue \
		-ex 'print *(int*)&MPIR_proctable_size' -ex kill \
		--args "$(readlink -f "$(command -v srun)")" -w node1 -n3 \
		$supervised sleep 2
	says '= 3$'
	at scancel -u alice
	until_true 30 all_idle 1 || fail "node1 isn't idle"
}

# long: visit.small_and_task_mode, status.*
test_looked_into() {
	begin_sleepers
	job=$(at squeue -h -o %i -t R | head -n 1)
	until_true 10 eval \
		'at "$tool" status "$job" --json > "$d/status" 2> "$d/status.err"' ||
		fail "no status: $(cat "$d/status.err")"
	[ "$(grep -o '"rank": *[0-9]*' "$d/status" | sort -u | wc -l)" -eq 6 ] ||
		fail "not six ranks: $(cat "$d/status")"
	at "$tool" stack "$job" > "$d/stack" 2>&1 || :
	! grep -q 'has ended' "$d/stack" || fail "stack: $(cat "$d/stack")"
	at scancel -u alice
	wait "$bg" || :
}

# long: torch.task_mode
# takes: 1
test_torch() {
	need_torch
	succeed srun -N2 --ntasks-per-node=2 $supervised $torch \
		"$top/tests/clients/train.py"
	ranks_trained 4
}
