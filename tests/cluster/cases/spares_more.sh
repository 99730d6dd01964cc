# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# What else can happen to a step with spares: its launchers, its program, its
# job; torchrun.
# clusters: six
# shellcheck disable=SC2016,SC2034,SC2154 # shared with lib.sh

# shellcheck source-path=SCRIPTDIR source=../losses.sh
. "$here/losses.sh"

# The nodes are well, but what keeps their processes is not: a launcher stands
# still, whose guard ends them (it is a spare when it goes on); one is killed;
# slurmstepd is, whose death is that of all that it has started
test_launcher_and_stepd() {
	local pid

	keys=spares=2 train -N4 -w 'node[1-4]' --ntasks-per-node=2
	trains_in 0 7
	pid=$(pid_on node1 '/dist-train-launc[h] ')
	afterwards "root node1 kill -CONT $pid"
	lost_at+=("$EPOCHREALTIME")
	root node1 kill -STOP "$pid"
	trains_again
	! root node1 pgrep -af '^[^ ]*python[^ ]* .*resume_loss[.]py' ||
		fail "old ranks are left on node1"
	root node1 kill -CONT "$pid"
	"$here/node_fault" "$cluster" joined node1 || fail "node1 is no spare"
	lost_at+=("$EPOCHREALTIME")
	root node2 kill -KILL "$(pid_on node2 '/dist-train-launc[h] ')"
	trains_again
	lost_at+=("$EPOCHREALTIME")
	root node3 kill -KILL "$(pid_on node3 '^slurmstepd: ')"
	trains_again
	all_is_well 4,4,4,4
}

# A program that fails by itself isn't a lost node
test_program_fails() {
	local pid

	keys=spares=1 train -N3 --ntasks-per-node=1
	trains_in 0 7
	pid=$(sed -n 's/^begin round=0 rank=1 .* pid=\([0-9]*\) .*/\1/p' \
		"$folder/log")
	root node2 kill -SEGV "$pid"
	step_ends 139
	tells 'rank 1 .* on node2, .*: signal 11 \(SIGSEGV\).*first failure'
	nodes_are_clean
}

# torchrun is the program: its agents are ended with the round. Debian 12's needs
# the two PET_ variables.
# takes: 1
test_torchrun() {
	need_torchrun
	program="env PET_REDIRECTS=1 PET_TEE=1 torchrun
		$top/tests/clients/train_resume_loss.py"
	keys=spares=1,procs=2 framework=torchrun train -N3 --ntasks-per-node=1
	trains_in 0 7
	lose off node1
	all_is_well 4,4
}

# Of two jobs of an array that with the lost nodes is queued again, once, and
# trains to its end
# long: that a job is queued again after a loss is in supervision.requeue
test_requeue() {
	folder=$d/training keys=spares=1,on-node-loss=replace+requeue
	mkdir -m 777 "$folder"
	cat > "$d/job.sh" <<-END
		#!/bin/sh
		#SBATCH -N3 --ntasks-per-node=1 --no-kill --requeue -w node[1-3]
		#SBATCH --array=1-2 --open-mode=append
		[ \$SLURM_ARRAY_TASK_ID = 1 ] || exec sleep 300
		srun --dist-train=ddp,grace=$grace,lease=$lease,$keys $PYTHON \
			$top/tests/clients/plain_resume_loss.py $folder
	END
	try sbatch --parsable -o "$d/job.%a" "$d/job.sh"
	job=$out
	afterwards "at scancel -f $job; until_true 20 job_ended $job"
	trains_in 0 7
	fault kill node2
	trains_again
	fault kill node3
	until_true 60 element_is 1 'Requeue=1 Restarts=1 ' || {
		cat "$d/job.1"
		fail "not requeued: $(root login scontrol show job "$job")"
	}
	grep -q 'nothing can take its place: the step ends, and its job is requeued' \
		"$d/job.1" || fail "not said"
	comes_back node2 node3
	next_life "${job}_1"
	trains_again
	stop_training
	until_true 60 element_is 1 'JobState=COMPLETED .* ExitCode=0:0 ' || {
		cat "$d/job.1"
		fail "not well: $(root login scontrol show job "$job")"
	}
	element_is 2 'JobState=RUNNING .* Restarts=0 ' ||
		fail "the other element: $(root login scontrol show job "$job")"
	at scancel -f "$job"
	until_true 30 job_ended "$job" || fail "the job doesn't end"
	nodes_are_clean
}

# element_is N REGEX: what Slurm says of it
element_is() {
	root login scontrol -o show job "${job}_$1" | grep -Eq -- "$2"
}

# Nothing is lost, and nobody speaks of it
# long: tests/helpers/channel/test_recovery (no_loss); pages.readme
# (readme-spare: 24 of 32)
test_nothing_lost() {
	keys=spares=1 train -N3 --ntasks-per-node=1
	trains_in 0 7
	all_is_well 2
	! grep '^dist-train: ' "$d/step.err" || fail "something is said"
	! grep -q 'node=node3 ' "$folder/log" || fail "the spare trains"
}
