# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# The way into a running step: which step is meant, who may look, and what is
# said where nobody can.
# clusters: plain
# takes: 0.25
# shellcheck disable=SC2016,SC2034,SC2154 # shared with lib.sh and steps.sh

# shellcheck source-path=SCRIPTDIR source=../steps.sh
. "$here/steps.sh"

look="$prefix/bin/dist-train"

# ranks_are N: the last output, JSON, has the ranks 0 to N-1, each once
ranks_are() {
	[ "$rc" -eq 0 ] || fail "status $rc"
	[ "$(ranks_of "$d/out")" = "$(seq -s ' ' 0 $(($1 - 1)))" ] ||
		fail "not $1 ranks"
}

ranks_of() {
	python3 -c 'import json, sys
print(*(r["rank"] for r in json.load(open(sys.argv[1]))["ranks"]))' "$1"
}

waiting_step() {
	launch step --dist-train="ddp,$keys"
	all_up
	find_job
}

ends() {
	may_go
	step_ends 0
}

test_who_may_look() {
	waiting_step
	succeed "$look" status --json "$job"
	ranks_are 6
	succeed "$look" status --json "$job.0"
	ranks_are 6
	user=root succeed "$look" status --json "$job"
	ranks_are 6
	user=bob refuse "job $job is alice's: only its user and root" \
		"$look" status "$job"
	refuse "$job.batch is Slurm's own step" "$look" status "$job.batch"
	refuse "step $job.7 doesn't run now" "$look" status "$job.7"
	step_goes_on
	ends
	refuse "no step of job $job runs now|step $job.0 doesn't run now|knows no job" \
		"$look" status "$job.0"
	[ -z "$(step_says)" ] || fail "the step says: $(step_says)"
}

# One task on one node; and task mode with launchers
# long: status.* and stack.* look into both
test_small_and_task_mode() {
	(user=alice at srun -J one -w node1 -n1 --dist-train=ddp,procs=2 \
		"$top/tests/clients/waits.sh" "$d" > "$d/one" 2>&1) &
	until_true 60 test -e "$d/up.1" || fail "no ranks: $(< "$d/one")"
	try "$look" status --json "$(root login squeue -h -n one -o %A)"
	ranks_are 2
	touch "$d/go"
	wait $!
	launch tasks --ntasks-per-node=2 \
		--dist-train=ddp,procs=task,supervise=yes
	all_up
	find_job
	succeed "$look" status --json "$job"
	ranks_are 6
	ends
}

# Without launchers nobody can look: said soon, with what would help
# long: tests/helpers/visit/test_way: nobody
test_no_launchers() {
	launch bare --ntasks-per-node=2 --dist-train=ddp,procs=task
	all_up
	find_job
	refuse 'nobody listens at .* with supervise=yes only' \
		"$look" status "$job"
	within 20
	ends
}

test_arrays_and_components() {
	local job

	try sbatch --parsable -N1 -n1 --array=3-4 -o /dev/null --wrap \
		"srun --dist-train=ddp,procs=\$SLURM_ARRAY_TASK_ID $top/tests/clients/waits.sh $d"
	job=$out
	afterwards "at scancel -f $job"
	until_true 60 test -e "$d/up.3" || fail "no ranks"
	until_true 60 array_is_up "$job" || fail "no two steps"
	refuse 'is an array: name one of its tasks' "$look" status "$job"
	succeed "$look" status --json "${job}_3"
	ranks_are 3
	succeed "$look" status --json "${job}_4.0"
	ranks_are 4
	touch "$d/go"
	until_true 30 job_ended "$job"
	mkdir -m 777 "$d/het"
	cat > "$d/het.sh" <<-END
		#!/bin/sh
		srun --het-group=1 --dist-train=ddp,procs=2 \
			$top/tests/clients/waits.sh $d/het
		rm $d/het/go $d/het/up.*
		exec srun --het-group=0,1 --dist-train=ddp,procs=2 \
			$top/tests/clients/waits.sh $d/het
	END
	try sbatch --parsable -N1 -n1 -o /dev/null : -N1 -n1 "$d/het.sh"
	job=$out
	afterwards "at scancel -f $job"
	until_true 60 test -e "$d/het/up.1" || fail "no ranks"
	succeed "$look" status --json "$job"
	ranks_are 2
	succeed "$look" status --json "$job+1"
	ranks_are 2
	refuse "no step of job $job\\+0 runs" "$look" status "$job+0"
	touch "$d/het/go"
	until_true 60 components_are_up "$job" || fail "no second step"
	for component in "$job" "$job+1"; do
		succeed "$look" status --json "$component"
		ranks_are 4
	done
	touch "$d/het/go"
}

array_is_up() {
	[ "$(at squeue -hs -j "$1" -o %i | grep -c '\.0$')" -eq 2 ]
}

components_are_up() {
	[ -e "$d/het/up.1" ] &&
		[ "$(at squeue -hs -j "$1,$(($1 + 1))" -o %i |
			grep -c '\.[01]$')" -eq 2 ]
}

# The administrator's ports; and where the file isn't there
# long: tests/helpers/visit/test_site_ports
test_ports() {
	plugstack "optional $plugin ports=30000-30999"
	afterwards "plugstack '$plug_line'"
	waiting_step
	root login ss -ltnH > "$d/ports"
	grep -q ':30[0-9][0-9][0-9] ' "$d/ports" || fail "another port"
	succeed "$look" status --json "$job"
	ranks_are 6
	plugstack "# nothing"
	refuse 'give them with --ports=MIN-MAX' "$look" status "$job"
	succeed "$look" status --json --ports=30000-30999 "$job"
	ranks_are 6
	refuse "ports='30000': must be MIN-MAX" \
		"$look" status --ports=30000 "$job"
	ends
}

# A launcher that is stopped is named, and the others are shown
test_stopped_launcher() {
	local pid

	keys=procs=2,grace=$grace,lease=60,timeout=$timeout
	waiting_step
	find_launcher node3
	pid=$(< "$s/pid")
	root node3 kill -STOP "$pid"
	afterwards "root node3 kill -CONT $pid"
	try "$look" status --json "$job"
	ranks_are 4
	one_line "node3 doesn't answer in time"
	root node3 kill -CONT "$pid"
	succeed "$look" status --json "$job"
	ranks_are 6
	# So is that of task 0
	find_launcher node1
	pid=$(< "$s/pid")
	root node1 kill -STOP "$pid"
	afterwards "root node1 kill -CONT $pid"
	try "$look" status --json "$job"
	says '"silent":\["node1"\],"nodes":\[\{"node":"node2"'
	one_line "node1 doesn't answer in time"
	root node1 kill -CONT "$pid"
	find_controller
	pid=$(< "$s/pid")
	root login kill -STOP "$pid"
	afterwards "root login kill -CONT $pid"
	refuse "login doesn't answer at port [0-9]+: the step's controller there is stopped" \
		"$look" status "$job"
	root login kill -CONT "$pid"
	succeed "$look" status --json "$job"
	step_goes_on
	ends
}

# Thousands of connections of another user at the port while twenty commands look
# long: 20 s of strangers; tests/helpers/visit/test_way: strangers;
# tests/helpers/channel/test_server_strangers; neighbours_channel.*
test_strangers_beside() {
	local i port

	waiting_step
	port=$(root login ss -ltnpH | sed -n \
		's/.*:\(2[0-9]*\) .*dist-train-step.*/\1/p' | head -n 1)
	[ -n "$port" ] || fail "no port"
	stranger bob node2 stranger silent 20 login "$port"
	stranger bob node3 stranger churn 20 login "$port"
	stranger bob node2 stranger forged 20 login "$port"
	for i in 1 2 3 4 5; do
		succeed "$look" status --json "$job"
		ranks_are 6
	done
	limit=60 try sh -c 'for i in $(seq 20); do
			"$0" status --json "$1" > $2/many.$i 2> $2/many.$i.err &
		done
		wait' "$look" "$job" "$d"
	for i in $(seq 20); do
		[ "$(ranks_of "$d/many.$i" 2>&1)" = '0 1 2 3 4 5' ] ||
			grep -q 'too many commands look' "$d/many.$i.err" ||
			fail "$i: $(cat "$d/many.$i"*)"
	done
	step_goes_on
	strangers_end
	ends
}

# judge PYTHON: of the last output, JSON, in s
judge() {
	python3 -c 'import json, sys
s = json.load(open(sys.argv[1]))
exec(sys.argv[2])' "$d/out" "$1" || fail "$(< "$d/out")"
}

# Which node tells nothing is named by each command
# long: tests/helpers/visit/test_missing; as stopped_launcher
test_silent_is_named() {
	local pid

	keys=procs=2,grace=$grace,lease=60,timeout=$timeout
	waiting_step
	find_launcher node3
	pid=$(< "$s/pid")
	root node3 kill -STOP "$pid"
	afterwards "root node3 kill -CONT $pid"
	try "$look" status "$job"
	says '^step .*: 6 ranks on 3 nodes, no answer from node3$'
	try "$look" stack "$job"
	says "^note: 2 of 3 nodes have answered; no answer from node3\$"
	try "$look" stack --json "$job"
	judge 'assert s["silent"] == ["node3"] and not s["away"], s
assert s["nodes_answered"] == 2, s'
	root node3 kill -CONT "$pid"
	succeed "$look" stack --json "$job"
	judge 'assert not s["silent"] and s["nodes_answered"] == 3, s'
	step_goes_on
	ends
}
