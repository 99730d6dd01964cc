# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# The step's record, and dist-train why, on several nodes.
# clusters: plain
# shellcheck disable=SC2034,SC2154 # shared with lib.sh

tool=$prefix/bin/dist-train

# records: a folder of alice's for records, that all nodes see
records() {
	mkdir -p "$d/records"
	chmod 777 "$d/records"
}

# in_record REGEX: of the newest record
in_record() {
	grep -Eq -- "$1" "$(newest)" ||
		fail "no '$1' in the record: $(cat "$(newest)")"
}

newest() {
	find "$d/records" -name '*.jsonl' -printf '%T@ %p\n' | sort -n |
		tail -n 1 | cut -d ' ' -f 2
}

has_line() {
	local file

	file=$(newest)
	[ -n "$file" ] && grep -q -- "$1" "$file"
}

# end_job: that of the step beside the case
end_job() {
	at scancel -u alice
	wait "$bg"
	all_idle 20 || fail "the job doesn't end"
}

why() {
	try "$tool" why --record "$d/records" "$@"
	[ "$rc" -eq 0 ] || fail "status $rc"
}

# The page of a step that has failed: culprit, last lines, exit code
test_failure() {
	records
	# shellcheck disable=SC2016
	try srun -J fails -N2 --dist-train="ddp,procs=2,grace=0,record=$d/records,log-dir=$d/logs" \
		sh -c '[ $RANK != 3 ] || { echo no such file >&2; exit 3; }
			exec sleep 60'
	[ "$rc" -ne 0 ] || fail "status 0"
	why
	says '^job  *fails$'
	says '^end  *exit code 3 after'
	says '^  rank 3 \(worker\) on node2, .*exit code 3'
	says '^  no such file$'
	says "^logs  *$d/logs$"
	[ "$(stat -c %a "$(newest)")" = 600 ] || fail "others may read it"
	why --json
	says '"exit_code":3,.*"first_failure":\{.*"node":"node2"'
	# Arguments and the environment may be secrets
	! grep -q 'no such file >' "$(newest)" || fail "it has arguments"
	succeed "$tool" timeline "$(newest)"
	says 'node2 has failed first, exit code 3'
	# A step that never starts
	try srun -N2 --dist-train="ddp,procs=2,check=fast,check-program=/bin/false,record=$d/records" true
	[ "$rc" -ne 0 ] || fail "status 0"
	why
	says "^  check=fast: the step can't start: node"
	says '^end  *exit code 1'
}

# Rounds of a step that starts again, and one that goes well in the end
# long: why.lost (round 1 begins); tests/helpers/cli/test_json (why: rounds),
# test_pictures (restarted: the launcher's own record)
test_restart() {
	records
	# shellcheck disable=SC2016
	try srun -N2 --dist-train="ddp,procs=2,restarts=2,restart-on=any,record=$d/records" \
		sh -c '[ $RANK != 3 -o $DIST_TRAIN_RESTART = 1 ] || exit 4'
	[ "$rc" -eq 0 ] || fail "status $rc"
	why
	says '^end  *exit code 0'
	says 'restart 1 of 2'
	says 'round 1 begins: 4 processes on 2 nodes'
	says '^  rank 3 .*exit code 4'
}

# The controller keeps the record: task 0's launcher may be killed, a single one, too
test_killed() {
	local n

	for n in 1 2; do
		rm -rf "$d/records"
		records
		background srun -N$n -w "node[1-$n]" --dist-train="ddp,procs=2,record=$d/records" sleep 60
		until_true 20 has_line '"event":"runs"' || fail "no record"
		# shellcheck disable=SC2016 # of that shell
		as_root node1 'kill -9 $(pgrep -o dist-train-laun)'
		wait "$bg"
		in_record '"event":"step"'
		why
		says '^  the launcher of task 0 on node1 has ended'
		says '^end  *exit code 137'
	done
}

# A node is lost, and it is that of task 0
test_lost() {
	records
	background srun -k -N3 -w 'node[1-3]' --dist-train="ddp,procs=2,spares=1,lease=5,record=$d/records" sleep 20
	until_true 20 has_line '"event":"runs"' || fail "no record"
	# shellcheck disable=SC2016 # of that shell
	as_root node1 'kill -9 $(pgrep -o dist-train-laun)'
	until_true 40 has_line '"event":"runs","round":1' ||
		fail "no second round: $(cat "$(newest)" "$d/bg.out")"
	why
	says 'node1 lost'
	says 'node3 has the place of node1'
	says 'round 1 begins: 4 processes on 2 nodes'
	end_job
}

# It still runs: its launchers are asked; then the user ends it, and nobody is
# blamed
test_runs() {
	records
	background srun -N2 -w 'node[1-2]' --dist-train="ddp,procs=2,record=$d/records" sleep 60
	until_true 20 has_line '"event":"runs"' || fail "no record"
	why
	says '^end  *it still runs$'
	says '^now  *4 ranks on 2 nodes answer'
	says '^  4 ranks \(0-3\): '
	why --json
	says '"ended":false,"now":\{"answers":true,"ranks":4,"nodes":2'
	why -o -
	says '^<!DOCTYPE html>'
	says '"why":\{"schema":1,.*"now":\{"answers":true,.*"groups":\[\{"ranks":\[0,1,2,3\]'
	says '"timeline":\{"schema":1,'
	end_job
	why
	says '^end  *cancelled \(SIGTERM to the whole step\): exit code 143'
	says_not 'first failure'
	succeed "$tool" timeline "$(newest)"
	says '^cancelled \(SIGTERM to the whole step\), after '
}

# Each element of an array, also by its own name; a step of dist-train exec
test_array() {
	records
	batch -a 1-2 -N1 << END
srun --dist-train=ddp,procs=2,record=$d/records sh -c 'exit \$SLURM_ARRAY_TASK_ID'
exit 0
END
	why "${job}_1"
	says '^end  *exit code 1'
	why "${job}_2.0"
	says '^end  *exit code 2'
	try srun -N2 --dist-train=none "$tool" exec "ddp,procs=2,record=$d/records" -- true
	[ "$rc" -eq 0 ] || fail "status $rc"
	why
	says '^end  *exit code 0'
	says '^size  *4 processes on 2 nodes'
}

# Nowhere to write: not a word, unless a folder is named; and off
test_no_folder() {
	succeed env XDG_STATE_HOME=/proc srun -N2 --dist-train=ddp,procs=2 true
	try srun -N2 --dist-train=ddp,procs=2,record=/proc/none true
	[ "$rc" -eq 0 ] || fail "status $rc"
	one_of_ours 'record: .*/proc/none.*; the step has no record$'
	mkdir -m 777 "$d/state"
	succeed env XDG_STATE_HOME="$d/state" srun -N2 \
		--dist-train=ddp,procs=2,record=off true
	[ -z "$(ls -A "$d/state")" ] || fail "there is a record"
	refuse 'no record in .*; steps with launchers' \
		env XDG_STATE_HOME="$d/state" "$tool" why
}

# Another user, and root
test_whose() {
	records
	succeed srun -N1 --dist-train="ddp,procs=2,record=$d/records" true
	user=bob try "$tool" why --record "$d/records"
	[ "$rc" -ne 0 ] || fail "bob reads it"
	user=root try "$tool" why --record "$d/records"
	[ "$rc" -ne 0 ] || fail "root reads it as root"
	user=root try "$tool" why --record "$d/records" --user alice
	[ "$rc" -eq 0 ] || fail "status $rc"
	says '^end  *exit code 0'
}

is_mounted() {
	grep -q mounted "$d/bg.out"
}

# A state folder on srun's host whose file system never answers holds the step's end
# for a second, and nothing else
test_dead_folder() {
	as_root login 'mkdir -p /run/dead'
	user=root node=login limit=90 background "$PYTHON" \
		"$top/tests/clients/hang_fuse.py" /run/dead dead
	until_true 10 is_mounted || skip "no FUSE: $(< "$d/bg.out")"
	limit=20 try env XDG_STATE_HOME=/run/dead srun -w 'node[1-2]' -N2 \
		--dist-train=ddp,procs=2 sleep 2
	[ "$rc" -eq 0 ] || fail "status $rc"
	grep -q asked "$d/bg.out" || fail "nobody has asked"
	within 12
}
