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

test_first_launcher_killed() {
	launcher_killed node1 0
}

test_launcher_killed() {
	launcher_killed node3 2
}

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

test_children_of_jax() {
	framework=jax killed_with_children
}
