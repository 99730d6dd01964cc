# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# What can fail while ranks wait for each other, in task and in device mode: the
# step ends in time with the first failure's exit code, the culprit is named,
# nothing is left on any node, and the next step of the job works. PyTorch's ranks
# are those of kill_task, error_file_device and restarts_task (supervision).
# clusters: plain
# shellcheck disable=SC2034,SC2154 # shared with lib.sh

# shellcheck source-path=SCRIPTDIR source=../training.sh
. "$here/training.sh"

# --- ranks ------------------------------------------------------------------

# fails MODE HOW CODE CAUSE [SECONDS]: rank 3 does, which may take that long
fails() {
	mode "$1"
	begin "$2" 3
	ends "$3" $((${5:-0} + grace + 5))
	[ "$1" = plain ] || blames "$(rank 3 "$4")"
	nothing_of_ours
}

test_exit_task() {
	fails task exit 3 "exit code 3"
}

# long: restart_on of supervision ends with 3 at first
test_exit_device() {
	fails device exit 3 "exit code 3"
}

# long: hang_plain has an exit code of a step without the option
test_exit_plain() {
	fails plain exit '[1-9]*'
}

# long: kill_task, and spares_more.program_fails has this signal
test_segv_task() {
	fails task segv 139 "signal 11 \(SIGSEGV\)"
}

# long: kill_device, and spares_more.program_fails has this signal
test_segv_device() {
	fails device segv 139 "signal 11 \(SIGSEGV\)"
}

# takes: 1
test_kill_task() {
	prop=torch
	fails task kill 137 "signal 9 \(SIGKILL\)"
}

# long: phases.rank_of_the_last_node (three phases), failures.kill_task
# (PyTorch)
test_kill_device() {
	fails device kill 137 "signal 9 \(SIGKILL\)"
}

# One that SIGTERM ends is told of half a second later, since all may have got it:
# the rank on another node that fails by its end isn't the first
# takes: 0.25
test_term_of_one() {
	try srun -N2 --ntasks-per-node=1 --dist-train=ddp,procs=1,grace=1 sh -c '
		[ "$RANK" = 0 ] || { touch "$0"; kill -TERM $$; }
		until [ -e "$0" ]; do sleep 0.05; done
		sleep 0.05
		exit 1' "$d/gone"
	[ "$rc" -eq 143 ] || fail "status $rc"
	ours | grep -q '^dist-train: rank 1 .*signal 15 (SIGTERM).* (first failure)$' ||
		fail "another one is named: $(ours)"
}

# Its peers have noticed, and wait for ever: only SIGKILL ends them
hangs() {
	mode "$1"
	begin hang 3
	ends "${2:-3}" $((grace + 5 + 5))
	[ "$1" = plain ] || {
		blames "$(rank 3 "exit code 3")"
		grep -qx 'dist-train: 3 other processes were ended' \
			"$d/step.err" || fail "not three were ended: $(told)"
	}
	nothing_of_ours
}

test_hang_task() {
	hangs task
}

# long: hang_task; an end by SIGKILL is in kill_device
test_hang_device() {
	hangs device
}

# long: ports.failure_in_task_mode (as srun -K), streams.exit_code_in_task_mode
# (143); failures.hang_task
test_hang_plain() {
	hangs plain '[1-9]*'
}

# All that slurmd starts on node2 gets 1 GB; the launcher finds its cgroup
limit_memory() {
	local slurmd

	# shellcheck disable=SC2016
	root node2 sh -c '
		mount -t tmpfs tmpfs /sys/fs/cgroup &&
		mkdir /sys/fs/cgroup/memory &&
		mount -t cgroup -o memory cgroup /sys/fs/cgroup/memory &&
		mkdir "/sys/fs/cgroup/memory/$0" &&
		echo 1G > "/sys/fs/cgroup/memory/$0/memory.limit_in_bytes"' \
		"$cluster" || skip "no memory cgroup (v1) that can be written"
	slurmd=$(pid_on node2 '^slurmd')
	move_slurmd "$cluster" "$slurmd"
	afterwards "umount_memory $slurmd"
}

# shellcheck disable=SC2016
move_slurmd() {
	root node2 sh -c 'echo "$1" > "/sys/fs/cgroup/memory/$0/cgroup.procs"' \
		"$1" "$2" || skip "slurmd can't be put into a memory cgroup"
}

# shellcheck disable=SC2016
umount_memory() {
	move_slurmd "$(root node2 sed -n 's/.*:memory://p' /proc/self/cgroup)" \
		"$1"
	root node2 sh -c 'rmdir "/sys/fs/cgroup/memory/$0"
		umount /sys/fs/cgroup/memory /sys/fs/cgroup' "$cluster"
}

# long: oom_device; the launcher finds its cgroup in one way
test_oom_task() {
	limit_memory
	fails task oom 137 "out of memory" 10
}

test_oom_device() {
	limit_memory
	fails device oom 137 "out of memory" 10
}

# --- what is ours, and Slurm's ------------------------------------------------

# killed_launcher MODE WHOSE: in task mode a node has one, of all its tasks
killed_launcher() {
	mode "$1"
	begin nothing
	all_ready
	root node2 kill -KILL "$(pid_on node2 '/dist-train-launc[h] ')"
	ends 137 $((grace + 5))
	blames "the launcher $2 has ended or lost its connection"
	nothing_of_ours
}

test_launcher_killed_task() {
	killed_launcher task 'on node2'
}

# long: phases.launcher_of_the_last_node, and blame
test_launcher_killed_device() {
	killed_launcher device 'of task [0-9] on node2'
}

# slurmstepd's death ends at once what it has started; srun gives up later
killed_stepd() {
	mode "$1"
	begin nothing
	all_ready
	root node2 kill -KILL "$(pid_on node2 '^slurmstepd: ')"
	ends 137 $((grace + lost + 5))
	grep -q '^dist-train: slurmstepd on node2 was killed$' "$d/step.err" ||
		fail "not told: $(told)"
	nobody_blamed
	nothing_of_ours
}

# Nobody is left who could tell srun how a task has ended
# long: neighbours.lost_launchers_among_strangers (all of three nodes, the same
# line)
test_all_stepds_killed() {
	local node

	mode device
	begin nothing
	all_ready
	began=$(now)
	for node in node1 node2; do
		root $node kill -KILL "$(pid_on $node '^slurmstepd: ')"
	done
	ends 137 $((grace + lost + 5))
	grep -q '^dist-train: srun aborts the step: ' "$d/step.err" ||
		fail "srun doesn't say why it ends"
	nothing_of_ours
}

# long: phases.stepd_of_the_last_node (three phases);
# tests/helpers/channel/test_arbiter (orphan);
# tests/helpers/keepers/test_keepers (parent_is_gone)
test_stepd_killed_task() {
	killed_stepd task
}

# long: phases.stepd_of_the_last_node
test_stepd_killed_device() {
	killed_stepd device
}

# An srun that is told to take no notice of signals ends its step all the same
test_signals_ignored() {
	need_srun_option --ignore-signals
	more=--ignore-signals=SIGINT,SIGQUIT,SIGTERM,SIGHUP killed_stepd task
}

# srun has a second process, which ends the step when the first one is killed:
# both go when its host is lost or the session is ended
kill_sruns() {
	# shellcheck disable=SC2016
	root login sh -c 'kill -KILL $(pgrep -P "$0") "$0"' "$(< "$d/srun")"
}

killed_srun() {
	mode "$1"
	begin nothing
	all_ready
	kill_sruns
	nodes_end
	nothing_of_ours
}

nodes_end() {
	local node end=$((SECONDS + lost + grace + 5))

	for node in node1 node2; do
		until_true $((end - SECONDS)) no_client $node ||
			fail "processes are left on $node"
	done
}

no_client() {
	! root "$1" pgrep -f "$props|dist-train-launc[h]" > /dev/null
}

# long: failures.top_srun_host_lost_device;
# neighbours.ports_are_starved_from_the_start
test_srun_killed_task() {
	killed_srun task
}

# long: srun_killed_task; the launchers hear of srun in one way
test_srun_killed_device() {
	killed_srun device
}

# As the job's own command: Slurm keeps the allocation where both are killed
killed_top_srun() {
	mode "$1"
	at scancel -f "$job"
	until_true 30 job_ended "$job" || fail "the allocation doesn't end"
	job=
	begin nothing
	all_ready
	job=$(root login squeue -h -u alice -o %A)
	"$2"
	nodes_end
	[ "$2" = kill_sruns ] || until_true 10 job_ended "$job" ||
		fail "Slurm doesn't end the job"
	at scancel -f "$job"
	until_true 30 job_ended "$job" || fail "the job doesn't end"
	allocate
	nothing_of_ours
}

kill_first_srun() {
	root login kill -KILL "$(< "$d/srun")"
}

test_top_srun_killed_task() {
	killed_top_srun task kill_first_srun
}

# long: top_srun_killed_task
test_top_srun_killed_device() {
	killed_top_srun device kill_first_srun
}

# long: top_srun_host_lost_device
test_top_srun_host_lost_task() {
	killed_top_srun task kill_sruns
}

test_top_srun_host_lost_device() {
	killed_top_srun device kill_sruns
}

# --- nodes --------------------------------------------------------------------

cut_network() {
	mode "$1"
	begin nothing
	all_ready
	afterwards "net node2 up"
	net node2 down
	ends 137 $((lost + grace + 5))
	blames "no sign of life from node2 for [0-9]+ s: node or network lost"
	until_true $((lost + grace + 5)) no_client node2 ||
		fail "processes are left on node2"
	net node2 up
	node_returns
	nothing_of_ours
}

# long: networks.long_outage (and not before the lease is over);
# failures.no_kill_task (task mode)
test_network_cut_task() {
	cut_network task
}

# long: network_cut_task, and node_lost_device
test_network_cut_device() {
	cut_network device
}

# Slurm believes in the node for minutes: the next step is another job's
lost_node() {
	mode "$1"
	begin nothing
	all_ready
	afterwards "restart_node node2"
	lose_node node2
	ends 137 $((lost + grace + 5))
	blames "no sign of life from node2 for [0-9]+ s: node or network lost"
	restart_node node2
	sed -i /restart_node/d "$d/undo"
	node_returns
	at scancel -f "$job"
	until_true 30 job_ended "$job" || fail "the job doesn't end"
	allocate
	nothing_of_ours
}

# long: node_lost_device, and network_cut_task
test_node_lost_task() {
	lost_node task
}

test_node_lost_device() {
	lost_node device
}

# srun's host is silent (and slurmctld, which is on it): the nodes' bridge is
# there as well, and must go on
silence_login() {
	# shellcheck disable=SC2016
	root login sh -c 'ip -4 -o route show proto kernel | while read -r net _
		do
			net=${net%.*}
			ip route "$0" blackhole "$net.0/25"
			ip route "$0" blackhole "$net.128/25"
		done' "$1"
}

cut_srun() {
	mode "$1"
	begin nothing
	all_ready
	silence_login add
	afterwards "silence_login del"
	nodes_end
	silence_login del
	sed -i /silence_login/d "$d/undo"
	node_returns
	until_true 60 test -s "$d/ended" || fail "srun doesn't end"
	nothing_of_ours
}

test_srun_cut_task() {
	cut_srun task
}

# long: srun_cut_task
test_srun_cut_device() {
	cut_srun device
}

# srun --no-kill keeps the job, not the step: its next one has other nodes
no_kill() {
	more="--no-kill -w node1,node2"
	wanted_nodes=node1,node2,node3 mode "$1"
	begin nothing
	all_ready
	afterwards "restart_node node2"
	lose_node node2
	ends 137 $((lost + grace + 5))
	blames "no sign of life from node2 for [0-9]+ s: node or network lost"
	more="--no-kill -w node1,node3" next_step
	restart_node node2
	sed -i /restart_node/d "$d/undo"
	node_returns
}

test_no_kill_task() {
	no_kill task
}

# long: no_kill_task
test_no_kill_device() {
	no_kill device
}

# --- from outside -------------------------------------------------------------

full_disk() {
	local dir=/tmp/small-$RANDOM

	root node2 sh -c "mkdir $dir && mount -t tmpfs -o size=64k tmpfs $dir &&
		chmod 1777 $dir"
	afterwards "root node2 sh -c 'umount -l $dir; rmdir $dir'"
	afterwards "root node1 rm -rf $dir"
	mode "$1" "log-dir=$dir/%r"
	begin fill
	ends 0 90
	[ "$(grep -c '^dist-train: .*No space left' "$d/step.err")" -eq 2 ] ||
		fail "not one line for each rank on node2: $(told)"
	[ "$(root node1 grep -c '^trained' $dir/0.out)" -eq 1 ] ||
		fail "rank 0 hasn't trained to its end"
	until_true 10 clean_node node2 || fail "something is left on node2"
}

test_log_disk_full_task() {
	full_disk task
}

# long: log_disk_full_task; files are written in one way
test_log_disk_full_device() {
	full_disk device
}

cancelled() {
	mode "$1"
	begin nothing
	all_ready
	try scancel "$job.0"
	[ "$rc" -eq 0 ] || fail "scancel: status $rc"
	ends "$2" $((grace + 5))
	[ -z "$(told)" ] || fail "unexpected: $(told)"
	nothing_of_ours
}

test_scancel_task() {
	cancelled task 137
}

# long: blame.scancel_step
test_scancel_device() {
	cancelled device 137
}

# The job: first SIGTERM, of which each rank dies; none is a culprit
cancelled_job() {
	mode "$1"
	begin nothing
	all_ready
	try scancel "$job"
	[ "$rc" -eq 0 ] || fail "scancel: status $rc"
	ends "$2" $((grace + 5))
	nobody_blamed
	until_true 30 job_ended "$job" || fail "the job doesn't end"
	allocate
	nothing_of_ours
}

test_scancel_job_task() {
	cancelled_job task 143
}

# long: scancel_job_task, and blame.requeue
test_scancel_job_device() {
	cancelled_job device 143
}

interrupted() {
	mode "$1"
	begin nothing
	all_ready
	root login sh -c "kill -INT $(< "$d/srun"); sleep 0.3
		kill -INT $(< "$d/srun")"
	ends "$2" $((grace + 5))
	nobody_blamed
	nothing_of_ours
}

# long: blame.interrupt_twice (task mode, four times), no_kill.ctrl_c (137, all
# nodes clean)
test_ctrl_c_task() {
	interrupted task 137
}

# long: ctrl_c_task
test_ctrl_c_device() {
	interrupted device 137
}

# Slurm looks for time limits every 30 s
timed_out() {
	mode "$1"
	begin nothing
	all_ready
	root login scontrol update "jobid=$job" EndTime=now+1 ||
		fail "can't change the job's limit"
	until_true 45 grep -q 'DUE TO TIME LIMIT' "$d/step.err" ||
		fail "Slurm doesn't end it, or doesn't say why"
	began=$(now)
	ends 143 $((grace + 5))
	nobody_blamed
	until_true 30 job_ended "$job" || fail "the job doesn't end"
	allocate
	nothing_of_ours
}

# long: time_limit_device
test_time_limit_task() {
	timed_out task
}

# takes: 0.25
test_time_limit_device() {
	timed_out device
}
