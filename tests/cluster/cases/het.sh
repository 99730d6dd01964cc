# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# A heterogeneous step is one step: whatever fails in a component ends all of
# them, in time and with the first failure's exit code, the culprit is named once,
# and nothing is left on any node.
# clusters: plain
# takes: 0.5
# shellcheck disable=SC2016,SC2034,SC2154 # of a step's shell; shared with lib.sh

# shellcheck source-path=SCRIPTDIR source=../training.sh
. "$here/training.sh"

look="$prefix/bin/dist-train"
keys=grace=$grace,lease=$lease
prop_nodes='node1 node2 node3'

# components ARGUMENT...: the step beside the case, of ranks 0 and 1 on node1, 2 on
# node2, 3 on node3, in two components; these are the ranks' words. A job of the
# same is $job, or srun makes one. As begin() otherwise.
components() {
	[ $prop = saves ] || need_client
	rm -f "$d/status" "$d/srun" "$d/ended"
	: > "$d/step.out"
	# shellcheck disable=SC2016,SC2086 # words they are; of that shell
	(
		at sh -c 'echo $$ > "$0"; exec "$@"' "$d/srun" \
			${inside:-} srun -J "${d##*/}" ${first:--w node1 -N1} \
			--dist-train="ddp,procs=2,$keys" $client "$@" : \
			${second:--w node2,node3 -N2} \
			--dist-train="ddp,procs=1,$keys" $client "$@" \
			> "$d/step.out" 2> "$d/step.err"
		echo $? > "$d/status"
		now > "$d/ended"
	) &
	began=$(now)
}

# In an allocation of ordinary nodes: components of the step alone
in_one_job() {
	inside="salloc -Q -J ${d##*/} -w node[1-3] -N3"
	first="-N1 -w node1" second="-N2 -w node2,node3"
}

place_of() {
	case $1 in
	0 | 1) echo node1 ;;
	2) echo node2 ;;
	3) echo node3 ;;
	esac
}

nothing_left_anywhere() {
	local node

	for node in $prop_nodes; do
		until_true 15 clean_node "$node" || {
			list_processes "$node"
			user=root node=$node at sh -c 'ps -ef; ls /tmp; ss -ltn'
			fail "something is left on $node"
		}
	done
	all_nodes_well
}

# fails HOW RANK CODE CAUSE
fails() {
	components "$1" "$2"
	ends "$3" $((grace + 10))
	blames "rank $2 \(worker\) on $(place_of "$2"), pid [0-9]+: $4 after [0-9.]+ s"
	nothing_left_anywhere
}

# Of a heterogeneous job, and of a step alone; in each component
test_exit() {
	fails exit 1 3 "exit code 3"
	fails exit 3 3 "exit code 3"
	in_one_job
	fails exit 2 3 "exit code 3"
}

# The nodes of both are looked at before, and the record has the culprit of the second
test_record() {
	mkdir -m 777 "$d/records"
	keys+=,check=fast,record=$d/records
	fails exit 2 3 "exit code 3"
	succeed "$look" why --record "$d/records"
	says '^  rank 2 \(worker\) on node2, .*exit code 3'
	[ "$(grep -c '"event":"check"' "$d"/records/*.jsonl)" -eq 3 ] || fail "not three nodes"
}

# Its peers, of both components, wait for ever
test_hang() {
	fails hang 1 3 "exit code 3"
	grep -qx 'dist-train: 3 other processes were ended' "$d/step.err" ||
		fail "not three were ended: $(told)"
}

test_signal() {
	fails segv 0 139 "signal 11 \(SIGSEGV\)"
	fails kill 2 137 "signal 9 \(SIGKILL\)"
}

# early RANK KEYS: it ends with 0 while all others run for so long
early() {
	printf '[ "$RANK" != "$1" ] || exit 0; exec sleep "$2"\n' > "$d/early.sh"
	prop=saves client="sh $d/early.sh"
	components "$@"
}

# An exit of 0 is none, unless somebody says so; also of all that a component has
test_early_exit() {
	early 1 3
	ends 0 $((3 + 10))
	in_one_job
	second="-N1 -w node2"
	early 2 3
	ends 0 $((3 + 10))
	[ -z "$(told)" ] || fail "told: $(told)"
	keys+=,early-exit=fail
	early 2 100
	ends 1 $((grace + 10))
	grep -q '^dist-train: rank 2 (worker) on node2 ended with exit code 0, and others' \
		"$d/step.err" || fail "not rank 2: $(told)"
	early 1 100
	ends 1 $((grace + 10))
	grep -q '^dist-train: rank 1 (worker) on node1 ended with exit code 0, and others' \
		"$d/step.err" || fail "not rank 1: $(told)"
	nothing_left_anywhere
}

# The tasks of one component come when all others have long been waiting: those of
# the second, and of the first, in which rank 0 is
test_late_component() {
	be_slow $((3 * slow))
	components 1
	ends 0 $((20 + 3 * slow))
	[ "$(grep -c '^ring [0-3]/4 done' "$d/step.out")" -eq 4 ] || fail "not four"
	first="-w node2 -N1" second="-w node1,node3 -N2"
	components 1
	ends 0 $((20 + 3 * slow))
	[ "$(grep -c '^ring [0-3]/4 done' "$d/step.out")" -eq 4 ] || fail "not four"
	nothing_left_anywhere
}

# never FIRST SECOND LINE: node2's task never comes, whichever component it is of
never() {
	first="$1 --task-prolog=$d/prolog" second="$2 --task-prolog=$d/prolog"
	components 1
	ends '*' $((seconds + grace + 10))
	[ "$rc" -ne 0 ] || fail "status 0"
	[ "$(told | wc -l)" -eq 1 ] && told | grep -Eq "^dist-train: $3" ||
		fail "not node2: $(told)"
	nothing_left_anywhere
}

# One never comes: it is named, and all others end; in the second component, and rank 0
test_never_starts() {
	local seconds=$((4 * slow))

	printf '#!/bin/sh\n[ $SLURMD_NODENAME != node2 ] || exec sleep 600\n' \
		> "$d/prolog"
	chmod 755 "$d/prolog"
	keys+=,timeout=$seconds
	never "-w node1 -N1" "-w node2,node3 -N2" ".* of 3 tasks .*: node2"
	never "-w node2 -N1" "-w node1,node3 -N2" \
		"the launcher of task 0 on node2 hasn't answered "
}

# What a task finds when the step is there already is told by the launchers to each
# other: one line, no rank has run, and srun's code isn't that of a killed task
test_refused() {
	node=node1 background "$PYTHON" -c 'import socket, time
s = socket.create_server(("", 23456))
print("listens", flush=True)
time.sleep(60)'
	until_true 20 grep -q listens "$d/bg.out" || fail "can't hold the port"
	keys+=,port=23456
	components 1
	ends 1 $((grace + 10))
	[ "$(told)" = 'dist-train: port 23456 on node1 is in use (it was key port); choose another with port=N' ] ||
		fail "told: $(told)"
	! grep -q '^ready' "$d/step.out" || fail "a rank has run"
}

# An own size of the world, as a component's environment has it
test_world() {
	first="-w node1 -N1 --export=ALL,WORLD_SIZE=4"
	components 1
	ends 0 20
	first='' second="-w node2,node3 -N2 --export=ALL,WORLD_SIZE=9"
	components 100
	ends '*' $((grace + 10))
	[ "$rc" -ne 0 ] || fail "status 0"
	grep -Eq "^dist-train: your WORLD_SIZE='9', but the step has '4' " "$d/step.err" ||
		fail "told: $(told)"
	nothing_left_anywhere
}

# killed_launcher NODE TASK
killed_launcher() {
	components nothing
	all_ready
	root "$1" kill -KILL "$(pid_on "$1" '/dist-train-launc[h] ')"
	ends 137 $((grace + 5))
	blames "the launcher of task $2 on $1 has ended or lost its connection"
	nothing_left_anywhere
}

test_launcher_killed() {
	killed_launcher node1 0
	killed_launcher node3 2
}

# killed_stepd NODE: what has started its tasks
killed_stepd() {
	components nothing
	all_ready
	root "$1" kill -KILL "$(pid_on "$1" '^slurmstepd: ')"
	ends 137 $((grace + lost + 5))
	grep -qx "dist-train: slurmstepd on $1 was killed" "$d/step.err" ||
		fail "not told: $(told)"
	nobody_blamed
	nothing_left_anywhere
}

# Of each component; what is on the first node tells all lines
# long: failures.stepd_killed_task
test_stepd_killed() {
	killed_stepd node3
	first="-w node1,node2 -N2" second="-w node3 -N1"
	killed_stepd node2
}

# cut_off NODE TASK: its link is down
cut_off() {
	components nothing
	all_ready
	net "$1" down
	ends 137 $((grace + lost + 15))
	net "$1" up
	grep -Eq "^dist-train: .*$1" "$d/step.err" || fail "not $1: $(told)"
	[ "$(grep -c 'first failure' "$d/step.err")" -eq 1 ] || fail "told: $(told)"
	node_returns
	nothing_left_anywhere
}

test_cut_node() {
	cut_off node1 0
	cut_off node3 2
}

# cancel [+COMPONENT]: all end within the time in which Slurm kills
cancel() {
	components nothing
	all_ready
	at scancel "$(root login squeue -h -n "${d##*/}" -o %A | sort -n | head -n 1)${1:-}"
	ends '1[34][37]' $((grace + 5))
	nothing_left_anywhere
}

# The second component's job alone: nobody is blamed
test_cancelled() {
	cancel +1
	[ "$rc" -eq 143 ] || fail "status $rc"
	[ "$(told)" = "dist-train: Slurm has ended the component of tasks 1 to 2 alone (cancelled, or its time limit), and so the step ends" ] ||
		fail "told: $(told)"
}

# All of it: as any step. Slurm takes the first component's job for all
test_cancelled_job() {
	cancel
	[ -z "$(told)" ] || fail "told: $(told)"
	cancel +0
	[ -z "$(told)" ] || fail "told: $(told)"
}

# Longer than the lease: no node is lost, and it goes on as one step
test_suspended() {
	components nothing
	all_ready
	job=$(root login squeue -h -n "${d##*/}" -o %A | sort -n | head -n 1)
	root login scontrol suspend "$job" || fail "can't suspend"
	sleep $((lease + 2))
	root login scontrol resume "$job" || fail "can't resume"
	[ ! -e "$d/status" ] || fail "the step has ended: $(told)"
	began=$(now)
	root node3 pkill -KILL -x ring || fail "no rank on node3"
	ends 137 $((grace + 10))
	blames 'rank 3 \(worker\) on node3, pid [0-9]+: signal 9 \(SIGKILL\)'
	nothing_left_anywhere
}

# In place, also those of the other component
test_restart() {
	keys+=,restarts=2,restart-on=any
	components twice 3
	ends 0 20
	grep -qx 'dist-train: restart 2 of 2 of the step.s processes' "$d/step.err" ||
		fail "told: $(told)"
	[ "$(grep -c '^trained [0-3] 2' "$d/step.out")" -eq 4 ] || fail "not four"
	nothing_left_anywhere
}

# ports_of NODE: at which processes of ours listen there
ports_of() {
	root "$1" ss -Hltnp | sed -n 's/.*:\([0-9]*\) .*"dist-train-.*/\1/p' | sort -u
}

both_listen() {
	[ "$(ports_of login | wc -l)" -ge 1 ] && [ "$(ports_of node1 | wc -l)" -ge 1 ]
}

# The controller's port is srun's process number behind 20000, on task 0's node, too:
# with this one it was a port that Slurm may reserve for a round of this step
test_ports() {
	root login sh -c 'echo 1400 > /proc/sys/kernel/ns_last_pid'
	components nothing
	all_ready
	until_true 10 both_listen || fail "nobody listens"
	for node in login node1; do
		[[ $(ports_of $node) != *21[0-9][0-9][0-9]* ]] ||
			fail "on $node: $(ports_of $node)"
	done
	at scancel "$(root login squeue -h -n "${d##*/}" -o %A | sort -n | head -n 1)"
	ends '1[34][37]' $((grace + 5))
	nothing_left_anywhere
}

# stopped RANK: it stands still, and all wait for it
stopped() {
	components nothing
	all_ready
	root "$(place_of "$1")" pkill -STOP -n '^ring$'
	ends 124 $((seconds + 20))
	grep -Eq "^dist-train: .*hang: no rank has worked for " "$d/step.err" &&
		grep -Eq "^dist-train: .*suspect.*\\($1, $(place_of "$1")\\)" \
			"$d/step.err" || fail "not $1: $(told)"
	nothing_left_anywhere
}

test_stopped_rank() {
	local seconds=$((6 * slow))

	keys+=,hang=$seconds:fail
	stopped 1
	stopped 3
}

# A file for each process, labels of those that are seen, too, and the step's record
test_output() {
	keys+=,label=yes,log-tee=3,log-dir=$d/logs,timeline=$d/step.json
	mkdir -m 777 "$d/logs"
	components 1
	ends 0 20
	[ "$(cat "$d"/logs/* | grep -c '^ring [0-3]/4 done')" -eq 4 ] ||
		fail "files: $(ls -R "$d/logs")"
	[ "$(grep -o '^[0-3]: ring [0-3]/4 done' "$d/step.out")" = '3: ring 3/4 done' ] ||
		fail "not rank 3 alone is seen"
	succeed "$look" timeline "$d/step.json" -o "$d/step.html"
	[ "$(grep -c . "$d/step.json")" -gt 4 ] || fail "no record"
	nothing_left_anywhere
}

# Commands see all ranks, of a step whose components are in one job, too
test_look() {
	in_one_job
	components nothing
	all_ready
	job=$(root login squeue -h -n "${d##*/}" -o %A)
	succeed "$look" status --json "$job"
	[ "$(grep -o '"rank":' "$d/out" | wc -l)" -eq 4 ] || fail "not 4 ranks"
	succeed "$look" stack "$job.0"
	at scancel "$job"
	ends '1[34][37]' $((grace + 5))
	nothing_left_anywhere
}

# Each rank that handles it gets the signal once, when the job is cancelled: all its
# components together
# shellcheck disable=SC2016 # of that shell
test_end_signal() {
	in_one_job
	keys+=,end-signal=60
	prop=saves client="$PYTHON $top/tests/clients/saves.py"
	components
	until_true 60 lines ready 4 || fail "not ready: $(< "$d/step.err")"
	at scancel "$(root login squeue -h -n "${d##*/}" -o %A)"
	ends '*' 70
	[ "$(grep -c '^saved rank=[0-3] .*by=signal stop=True$' "$d/step.out")" -eq 4 ] &&
		[ "$(grep -c '^done rank=[0-3] .*signals=1$' "$d/step.out")" -eq 4 ] ||
		fail "not four have saved, once: $(< "$d/step.out")"
	nothing_left_anywhere
}

# The job's time limit becomes one minute when all are at work: the first component's
# job is all of them
# long: requeue.limit_changes; het.end_signal
test_new_time_limit() {
	keys+=,end-signal=50
	first="-w node1 -N1 -t2" second="-w node2,node3 -N2 -t2"
	prop=saves client="$PYTHON $top/tests/clients/saves.py"
	components
	until_true 60 lines ready 4 || fail "not ready: $(< "$d/step.err")"
	at scontrol update timelimit=1 jobid="$(root login squeue -h -n "${d##*/}" -o %A |
		sort -n | head -n 1)"
	ends '*' 90
	[ "$(grep -c '^saved rank=[0-3] .*by=signal stop=True$' "$d/step.out")" -eq 4 ] ||
		fail "not four have saved: $(< "$d/step.out")"
	grep -Eq "^dist-train: the job's time limit is at [0-9:]{8}: 4 ranks got " \
		"$d/step.err" || fail "it isn't noticed: $(told)"
	nothing_left_anywhere
}

# PyTorch over two components of unequal nodes, and a rank of the second one that is
# killed
# takes: 1
test_torch() {
	need_torch
	# shellcheck disable=SC2086 # words they are
	try srun -N1 --dist-train=ddp,procs=2 $reduce : \
		-N2 --dist-train=ddp,procs=1 $reduce
	ranks_trained 4
	prop=torch
	fails kill 2 137 "signal 9 \(SIGKILL\)"
}

# takes: 1
test_torchrun() {
	local run

	need_torchrun
	run="$torch -m torch.distributed.run ${reduce#"$torch "}"
	# shellcheck disable=SC2086 # words they are
	try env OMP_NUM_THREADS=1 PET_REDIRECTS=1 PET_TEE=1 \
		srun -N1 --dist-train=torchrun,procs=2 $run : \
		-N2 --dist-train=torchrun,procs=1 $run
	[ "$rc" -eq 0 ] || fail "status $rc"
	[ "$(grep -o "trained rank=[0-3] world=4 " "$d/out" | sort -u |
		wc -l)" -eq 4 ] || fail "not four ranks have trained"
}
