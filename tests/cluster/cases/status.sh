# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# dist-train status and top on running steps, whose ranks wait for each other
# (tests/clients/ring.c).
# clusters: plain
# shellcheck disable=SC2016,SC2034,SC2154 # shared with lib.sh; of that shell
# shellcheck source-path=SCRIPTDIR source=../steps.sh
. "$here/steps.sh"
# shellcheck source-path=SCRIPTDIR source=../terminal.sh
. "$here/terminal.sh"

tool=$prefix/bin/dist-train
limit=150

# train WORDS [ARGUMENT]...: eight ranks on four nodes that meet until $d/go is
# there, and rank 1 is late each time; the job is $job
train() {
	need_ring
	: > "$d/bg.out"
	background srun -J "status$$" \
		-N4 --ntasks-per-node=1 "${@:2}" --dist-train="ddp,procs=2,$1" \
		"$ring" slow 1 "$d/go"
	until_true 60 all_meet || fail "they don't meet: $(< "$d/bg.out")"
	job=$(at squeue -h -n "status$$" -o %A)
}

all_meet() {
	[ "$(grep -Ec '(^|: )ready [0-7] ' "$d/bg.out")" -eq 8 ]
}

end_training() {
	touch "$d/go"
	wait "$bg" || fail "the step ended with $?: $(tail -n 20 "$d/bg.out")"
}

# judge PYTHON: of the status as JSON, in s; ranks are r
judge() {
	at "$tool" status --json "$job" > "$d/json" 2> "$d/json.err" ||
		fail "status $?: $(< "$d/json.err")"
	python3 -c 'import json, sys
s = json.load(open(sys.argv[1]))
r = s["ranks"]
exec(sys.argv[2])' "$d/json" "$1" || fail "$(< "$d/json")"
}

# Without a number it is alice's one running job, or that of the environment
test_own_job() {
	train label=yes
	succeed "$tool" status
	says "^step $job.0: 8 ranks on 4 nodes"
	succeed "$tool" stack
	says '^[0-9]* ranks? '
	try env "SLURM_JOB_ID=$job" "$tool" top
	says "^step $job.0: "
	afterwards "at scancel $(at sbatch --parsable -o /dev/null \
		--wrap 'sleep 100')"
	until_true 20 eval '[ "$(at squeue -h -t R -u alice | wc -l)" -eq 2 ]' ||
		fail "no other job runs"
	refuse "^dist-train: 2 jobs of yours run: name one of .*$job" "$tool" status
	end_training
}

test_ranks() {
	train label=yes
	judge 'assert s["world_size"] == 8 and s["nnodes"] == 4, s
assert s["step"].endswith(".0") and not s["away"], s
assert [x["rank"] for x in r] == list(range(8))
assert [x["node"] for x in r] == ["node%d" % (1 + i // 2) for i in range(8)]
assert all(x["state"] in "RSD" for x in r)
assert all(0 <= x["cpu_percent"] < 150 for x in r)
assert all(16e6 < x["memory_bytes"] < 4e7 for x in r)
assert all(x["up"] > 0 and 0 < x["cpu_seconds"] < 5 for x in r)
assert all(x["quiet_from"] == "output" and x["quiet"] < 10 for x in r)
assert not any("progress" in x for x in r)'
	at "$tool" status "$job" --prometheus -o "$d/textfile" > /dev/null
	grep -Eq "^dist_train_rank_cpu_seconds_total\{job=\"$job\",step=\"0\",rank=\"7\",node=\"node4\"\} [0-9]" \
		"$d/textfile" || fail "$(< "$d/textfile")"
	end_training
	try "$tool" status "$job"
	[ "$rc" -eq 1 ] || fail "status $rc of a step that has ended"
}

# The first of node2
stop_rank() {
	root node2 pkill -STOP -o -f "^$ring slow 1 $d"
}

# As the kernel says; whoever waits for it is quiet
# long: tests/helpers/look/test_tree_use (stopped); status.ranks (states of
# eight)
test_stopped() {
	train label=no
	stop_rank
	judge 'assert sum(x["state"] == "T" for x in r) == 1, r
assert all(x["node"] == "node2" for x in r if x["state"] == "T"), r'
	judge 'assert all(x.get("quiet_from", "io") == "io" for x in r), r'
	root node2 pkill -CONT -f "^$ring slow 1 $d"
	end_training
}

# Another user is told so
test_whose() {
	train label=no
	user=bob at "$tool" status "$job" > "$d/bob" 2>&1 && fail "$(< "$d/bob")"
	grep -q 'only its user and root may look into it' "$d/bob" ||
		fail "$(< "$d/bob")"
	root login "$tool" status "$job" > "$d/root" || fail "root may not"
	grep -q '^8 running' "$d/root" || fail "$(< "$d/root")"
	end_training
}

is_said() {
	grep -Eq "$1" "$d/bg.out"
}

# Rank 1 sleeps in each step, and all others wait for it
# takes: 0.25
test_straggler() {
	train metrics=on
	until_true 60 is_said '^dist-train: rank 1 on node1 is [0-9.]+ x slower than the median since [0-9:]{5}$' ||
		fail "no straggler: $(< "$d/bg.out")"
	judge 'assert all(x["progress"]["step"] > 0 for x in r), r
assert r[1]["slower"] > 2, r
assert all(x["slower"] < 1.2 for x in r if x["rank"] != 1), r
assert s["nodes"][0]["slowest"] == 1, s'
	end_training
	[ "$(grep -c 'slower than' "$d/bg.out")" -eq 1 ] || fail "$(< "$d/bg.out")"
}

# Its end is the step's
test_top() {
	need_program tmux
	train label=yes
	in_terminal "'$tool' top $job -d 0.2; echo \"the end: \$?\"; exec sleep 60"
	terminal_shows '^ +7  node4 +[RSD] '
	terminal_shows '^8 running'
	end_training
	terminal_shows '^the end: 1'
	terminal_shows "^dist-train: step $job.0 (has ended|doesn't run now)"
}
