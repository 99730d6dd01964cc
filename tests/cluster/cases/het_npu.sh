# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# Heterogeneous steps on NPUs: one world, and one rank table, over components whose
# nodes have different numbers of them. Each process reads its variables and the
# table as the library does, and opens its device.
# clusters: npu
# takes: 0.5
# shellcheck disable=SC2016,SC2034,SC2154 # shared with lib.sh
# shellcheck source-path=SCRIPTDIR/.. source=npus.sh
. "$here/npus.sh"

# over OPTION [COMMAND...]: four processes on node1, two on each of the others
over() {
	local option=$1
	shift

	try srun -w node1 -N1 --gres=npu:4 "$option" "$@" "${check[@]}" : \
		-w 'node[2-3]' -N2 --gres=npu:2 "$@" "${check[@]}"
	[ "$rc" -eq 0 ] || fail "status $rc"
	tables 8
	[ "$(field node "$d/out" | sort | uniq -c | xargs)" = \
		'4 node1 2 node2 2 node3' ] || fail "other nodes"
	until_true 10 no_tables || fail "a table is left"
}

test_rank_table() {
	over $ascend
	[ -z "$(ours)" ] || fail "unexpected: $(ours)"
}

# fails RANK NODE: when all have the table, and are at work. It is named, all others end,
# and no table is left
# shellcheck disable=SC2016 # of that shell
fails() {
	local work='touch "$0/$RANK"
		until [ "$(ls "$0" | wc -l)" -eq 8 ]; do sleep 0.1; done
		[ "$RANK" != "$1" ] || exit 3; exec sleep 100'

	mkdir -m 777 "$d/rank.$1"
	try srun -w node1 -N1 --gres=npu:4 $ascend,grace=1 "${check[@]}" -- \
		sh -c "$work" "$d/rank.$1" "$1" : \
		-w 'node[2-3]' -N2 --gres=npu:2 "${check[@]}" -- \
		sh -c "$work" "$d/rank.$1" "$1"
	[ "$rc" -eq 3 ] || fail "status $rc"
	tables 8
	[ "$(ours | grep -c 'first failure')" -eq 1 ] || fail "told: $(ours)"
	one_of_ours "^dist-train: rank $1 \(worker\) on $2, .*pid [0-9]+: exit code 3 after .*first failure"
	one_of_ours '^dist-train: 7 other processes were ended$'
	until_true 10 no_tables || fail "a table is left"
}

# In each component
test_failure() {
	fails 1 node1
	fails 5 node2
}

# Several tasks on a node beside a launcher for each device, and one process of
# its own number
test_task_mode() {
	try srun -N1 -n3 --gres=npu:3 $ascend "${check[@]}" : \
		-N1 --gres=npu:2 $ascend "${check[@]}" : \
		-N1 --gres=npu:1 $ascend,procs=1 "${check[@]}"
	[ "$rc" -eq 0 ] || fail "status $rc"
	tables 6
}

# No device, no rank of the table
test_component_without() {
	refused 'rank 2 on node node[1-4] has 0 NPUs, but the collective library needs' \
		-N1 --gres=npu:2 $ascend sh -c 'echo "it runs"' : -N1
}

# Components of the step alone: the job's record is one
test_in_one_job() {
	succeed salloc -Q -w 'node[1-3]' --gres=npu:4 \
		srun -w node1 -N1 --gres=npu:4 $ascend "${check[@]}" : \
		-w 'node[2-3]' -N2 --gres=npu:4 "${check[@]}"
	tables 12
	try salloc -Q -w 'node[1-2]' --gres=npu:4 \
		srun -w node1 -N1 --gres=npu:4 $ascend true : \
		-w node2 -N1 --gres=npu:2 true
	[ "$rc" -eq 1 ] || fail "status $rc"
	one_line "Slurm doesn't say which 2 of the job's 4 npu on a node belong"
}

# asked SRUN-ARGUMENT...: sets $n, how often slurmctld is asked for a job or its steps
# while this step runs
asked() {
	local what='/REQUEST_JOB_(INFO_SINGLE|STEP_INFO) / {
		sub(/.*count:/, ""); n += $1 } END { print n + 0 }'

	n=$(root login sdiag | awk "$what")
	succeed srun "$@"
	n=$(($(root login sdiag | awk "$what") - n))
}

# Of the tasks of a node one asks for all
test_questions() {
	local tell='echo "at $RANK/$WORLD_SIZE $DIST_TRAIN_DEVICES"' n one

	asked -N1 -n2 --gres=npu:2 --dist-train=ddp sh -c "$tell" : \
		-N2 --ntasks-per-node=2 --gres=npu:2 sh -c "$tell"
	one=$n
	asked -N1 -n8 --gres=npu:8 --dist-train=ddp sh -c "$tell" : \
		-N2 --ntasks-per-node=8 --gres=npu:8 sh -c "$tell"
	[ "$(grep -c '^at [0-9]*/24 [0-7]$' "$d/out")" -eq 24 ] || fail "not 24"
	[ "$one" -ge 6 ] && [ "$n" -eq "$one" ] || fail "$one of 6 tasks, $n of 24"
}

# The scheduler is beside rank 0 and has no device; MindSpore itself isn't there
test_mindspore() {
	over --dist-train=mindspore "${stand_in[@]}"
}

# Without a table the first node's first device is the chief
test_no_rank_table() {
	local chief='echo "$CM_WORKER_SIZE $CM_CHIEF_DEVICE at=$CM_CHIEF_IP
		own=$CM_WORKER_IP index=$ASCEND_DEVICE_ID"'

	succeed srun -w node1 -N1 --gres=npu:2 $ascend,table=none sh -c "$chief" : \
		-w node2 -N1 --gres=npu:3 sh -c "$chief"
	[ "$(grep -c '^5 0 at=' "$d/out")" -eq 5 ] &&
		[ "$(sed -n 's/^5 0 //p' "$d/out" | sort -u | wc -l)" -eq 1 ] &&
		[ "$(grep 'own=' "$d/out" | sort -u | wc -l)" -eq 5 ] ||
		fail "not one chief, or not five workers"
}

# Nobody is asked: all have told which of the inventory's devices are theirs
test_inventory() {
	at srun -N4 -w 'node[1-4]' --gres=npu:8 "$tool" devices \
		--inventory > "$work/npus" || fail "no inventory"
	chmod 644 "$work/npus"
	afterwards "plugstack '$plug_line'"
	plugstack "optional $plugin inventory=$work/npus"
	over $ascend,exchange=none
}

# Frameworks without a table have a process for each NPU, too
test_ddp() {
	local tell='echo "at $RANK/$WORLD_SIZE $DIST_TRAIN_DEVICES"'

	succeed srun -N1 --gres=npu:2 --dist-train=ddp sh -c "$tell" : \
		-N1 --gres=npu:3 sh -c "$tell"
	[ "$(grep -c '^at [0-4]/5 [0-2]$' "$d/out")" -eq 5 ] || fail "not five"
}
