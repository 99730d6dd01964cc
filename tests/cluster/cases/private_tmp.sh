# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# Each job has a /tmp and a /dev/shm of its own (job_container/tmpfs, since 26.05
# namespace/linux): its tasks see that, slurmstepd the node's.
# clusters: private
# takes: 0.25
# shellcheck disable=SC2016,SC2034,SC2154 # shared with lib.sh
# shellcheck source-path=SCRIPTDIR/.. source=npus.sh
. "$here/npus.sh"

limit=60

# begin_job OPTION...: $job, which outlives its steps
begin_job() {
	try salloc --no-shell "$@"
	job=$(sed -n 's/^salloc: Granted job allocation //p' "$d/err")
	[ -n "$job" ] || fail "no job"
	afterwards "at scancel $job; until_true 20 job_ended $job"
}

# in_tmp NODE: what the job has in its /tmp there
in_tmp() {
	at srun --jobid="$job" --overlap -w "$1" -N1 -n1 ls -A /tmp
}

# by_job NODE: what Slurm keeps of jobs there
by_job() {
	root "$1" sh -c 'find /var/spool/private -name "dist-train-[0-9]*"'
}

# trains N SRUN-ARGUMENT...: that the nodes have one processor is said, and no matter
trains() {
	local n=$1
	shift

	try srun "$@" "${check[@]}"
	[ "$rc" -eq 0 ] || fail "status $rc"
	tables "$n"
}

# In task mode the node's keepers find what its launcher has written
test_table() {
	trains 6 -N3 --ntasks-per-node=2 --gres=npu:2 $ascend
	trains 6 -N3 --gres=npu:2 $ascend
	no_tables || fail "a table is left"
}

# What a launcher has written goes with it, while the job goes on
test_steps_of_a_job() {
	begin_job -w 'node[1-2]' --gres=npu:2
	succeed srun --jobid="$job" touch /tmp/mine
	trains 4 --jobid="$job" --gres=npu:2 $ascend
	try srun --jobid="$job" --gres=npu:2 $ascend,grace=1 sh -c \
		'[ $RANK != 3 ] || exit 7; exec sleep 60'
	[ "$rc" -eq 7 ] || fail "status $rc"
	one_of_ours '^dist-train: rank 3 .*on node2, .*: exit code 7 '
	for node in node1 node2; do
		[ "$(in_tmp $node)" = mine ] || fail "on $node: $(in_tmp $node)"
	done
}

# killed: a step in $job whose launcher on node2 is killed
killed() {
	background srun --jobid="$job" --gres=npu:2 $ascend \
		sh -c 'echo "it runs"; exec sleep 100'
	until_true 20 eval '[ "$(grep -c "it runs" "$d/bg.out")" -eq 4 ]' ||
		fail "the step doesn't start"
	kill_launcher node2
	! wait "$bg" || fail "status 0"
}

# What it leaves is in the job's /tmp, where slurmstepd doesn't see it, and stays as
# long as that
test_killed_launcher() {
	begin_job -w 'node[1-2]' --gres=npu:2
	killed
	[ "$(in_tmp node1)" = '' ] || fail "on node1: $(in_tmp node1)"
	no_tables || fail "a table is left in the node's /tmp"
	at scancel "$job"
	until_true 20 job_ended "$job" || fail "the job doesn't end"
	all_idle 20
	[ -z "$(by_job node2)" ] || fail "left: $(by_job node2)"
}

# slurmd_parameters EDIT: of sed
slurmd_parameters() {
	root login sh -c 'sed -i "/^SlurmdParameters=/$0" "$SLURM_CONF" &&
		scontrol reconfigure' "$1" || fail "no reconfigure"
	node_returns
}

# Hooks of plugins run there, too (contain_spank): in processes of slurmstepd's that
# share its memory, and none of what they open or close
test_contained() {
	afterwards "slurmd_parameters 's/,contain_spank//'"
	slurmd_parameters 's/$/,contain_spank/'
	trains 6 -N3 --ntasks-per-node=2 --gres=npu:2 $ascend
	begin_job -w 'node[1-2]' --gres=npu:2
	trains 4 --jobid="$job" --gres=npu:2 $ascend
	try srun -N2 -w 'node[1-2]' --ntasks-per-node=2 --gres=npu:2 \
		$ascend,grace=1 sh -c '[ $RANK != 3 ] || exit 7; exec sleep 60'
	[ "$rc" -eq 7 ] || fail "status $rc"
	one_of_ours '^dist-train: rank 3 .*on node2, .*: exit code 7 '
	killed
	for node in node1 node2; do
		until_true 20 none_runs || fail "processes are left on $node"
	done
}

none_runs() {
	! root $node pgrep -f 'dist-train-launc[h]|sleep 10[0]$'
}

# With a folder that both see nothing stays
test_rundir() {
	local dir=/var/tmp/run node

	for node in node1 node2; do
		as_root $node "mkdir -m 1777 $dir"
		afterwards "as_root $node 'rm -r $dir'"
	done
	plugstack "optional $plugin rundir=$dir"
	afterwards "plugstack '$plug_line'"
	begin_job -w 'node[1-2]' --gres=npu:2
	trains 4 --jobid="$job" --gres=npu:2 $ascend
	says " table=$dir/dist-train-"
	killed
	for node in node1 node2; do
		until_true 20 eval "[ -z \"\$(root $node ls $dir)\" ]" ||
			fail "left on $node: $(root $node ls $dir)"
	done
}
