# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# Who is named as the first failure, some times in a row: Slurm's own SIGTERM
# comes to all ranks right after a launcher's end.
# clusters: plain
# shellcheck disable=SC2034,SC2154 # shared with lib.sh

# shellcheck source-path=SCRIPTDIR source=../shells.sh
. "$here/shells.sh"

limit=150
times=4

# launcher_killed NODE TASK
launcher_killed() {
	local i

	for ((i = 0; i < times; i++)); do
		begin "" "exec sleep 77"
		signal_launcher "$1" KILL
		ends 137 $((grace + 25))
		blames "the launcher of task $2 on $1 has ended or lost its connection"
	done
}

# long: why.killed (the line, 137); phases.launcher_of_the_first_node (137,
# nobody else); tests/helpers/channel/test_arbiter (loss_before_failure)
test_first_launcher_killed() {
	launcher_killed node1 0
}

# long: phases.launcher_of_the_last_node (three phases),
# failures.launcher_killed_task; tests/helpers/channel/test_arbiter
# (lost_launcher, loss_is_told_late)
test_launcher_killed() {
	launcher_killed node3 2
}

# long: failures.scancel_task (task mode);
# supervision.stopped_longer_than_lease_device (137 in device mode);
# tests/helpers/channel/test_arbiter (quiet)
test_scancel_step() {
	local i

	for ((i = 0; i < times; i++)); do
		begin "" "exec sleep 77"
		# shellcheck disable=SC2016 # of that shell
		at sh -c 'scancel "$(squeue -h -u alice -o %A | head -n 1).0"'
		ends 137 $((grace + 25))
		[ -z "$(told)" ] || fail "unexpected: $(told)"
	done
}

# nobody_is_blamed: by what the step has said
nobody_is_blamed() {
	! told | grep 'first failure' || fail "somebody is blamed"
}

# All ranks die of it at the same time
# long: tests/helpers/launch/test_launch (signal_comes_late: USR1, 138, not a
# word); tests/helpers/channel/test_arbiter (quiet)
test_scancel_usr1() {
	local i

	for ((i = 0; i < times; i++)); do
		begin "" "exec sleep 77"
		# shellcheck disable=SC2016 # of that shell
		at sh -c 'scancel -s USR1 "$(squeue -h -u alice -o %A |
			head -n 1).0"'
		ends 138 $((grace + 25))
		nobody_is_blamed
	done
}

# Ctrl-C twice, in task mode under the launcher: the second one as soon as srun
# asks for it, within its second
test_interrupt_twice() {
	local i grace=5 procs=task ranks=4

	for ((i = 0; i < times; i++)); do
		begin "" "exec sleep 77"
		# shellcheck disable=SC2016 # of that shell
		user=root at sh -c 'read -r srun < "$0"
			said=0
			kill -INT "$srun"
			until grep -q "sending Ctrl-C" "$1"; do
				n=$(grep -c "interrupt (one more" "$1")
				[ "$n" -eq "$said" ] || kill -INT "$srun" || exit
				said=$n
			done' "$d/srun" "$d/step.err" ||
			fail "srun has gone: $(cat "$d/step.err")"
		until_true 40 has_ended || fail "no end"
		nobody_is_blamed
	done
}

test_requeue() {
	local job i

	for ((i = 0; i < times; i++)); do
		rm -f "$d/step.err"
		printf '%s\n' '#!/bin/sh' \
			"srun --dist-train=ddp,procs=2 sh -c 'touch $d/up.\$RANK.\$SLURM_RESTART_COUNT; trap \"exit 143\" TERM; sleep 77 & wait'" \
			> "$d/job.sh"
		rm -f "$d"/up.*
		job=$(at sbatch --parsable -N4 --ntasks-per-node=1 --requeue \
			--open-mode=append -o "$d/step.err" "$d/job.sh")
		until_true 60 files_up || fail "not up"
		at scontrol requeue "$job"
		until_true 60 is_pending "$job" || fail "isn't requeued"
		at scancel "$job"
		until_true 30 is_gone "$job"
		cat "$d/step.err"
		nobody_is_blamed
	done
}

files_up() {
	[ "$(find "$d" -name 'up.*' | wc -l)" -eq 8 ]
}

is_pending() {
	[ "$(at squeue -h -j "$1" -o %T)" = PENDING ]
}

is_gone() {
	[ -z "$(at squeue -h -j "$1" -o %T 2> /dev/null)" ]
}

# What a rank has started ends with it, in each framework, where Slurm follows
# parents and no cgroup; jax and env have no folder of files
killed_with_children() {
	begin "" "sleep 77 & wait"
	signal_launcher node3 KILL
	until_true 15 no_rank node3 || fail "processes are left on node3"
	ends 137 $((grace + 25))
}

test_children_of_env() {
	framework="env" killed_with_children
}

# long: blame.children_of_env; tests/core/plan/test_resolve (before_the_step:
# neither has one)
test_children_of_jax() {
	framework=jax killed_with_children
}
