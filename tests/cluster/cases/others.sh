# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# explain in a step, torchrun, host lists, and what a step without the option
# costs.
# clusters: plain
# shellcheck disable=SC2016,SC2034,SC2154 # shared with lib.sh

# long: tests/spank/scenarios/explain; tests/helpers/launch/test_launch
# (explain_only); pages.readme (readme-see)
test_explain() {
	try srun -N1 -n2 --dist-train=ddp,explain=yes "$show"
	[ "$rc" -eq 0 ] || fail "status $rc"
	layout 2
	[ "$(grep -c '^rank [01] of 2 (worker) on node' "$d/err")" \
		-eq 2 ] || fail "not two processes are explained"
	grep -q '^  MASTER_PORT  *= 21[0-9]*  *reserved by Slurm' "$d/err" ||
		fail "the port's origin isn't told"
	succeed srun -N2 -n4 --dist-train=ddp,explain=only touch "$d/started"
	[ "$(grep -c '^rank [0-3] of 4 (worker) on node' "$d/out")" \
		-eq 4 ] || fail "not four processes are explained"
	succeed srun -N1 --gres=gpu:2 --dist-train=ddp,explain=only \
		touch "$d/started"
	[ ! -e "$d/started" ] || fail "the program was started"
	[ "$(grep -c '^rank [01] of 2 (worker) on node' "$d/out")" \
		-eq 2 ] || fail "not two processes are explained"
}

# dist-train explain lays tasks out as this Slurm does, from the same words
test_explain_as_srun() {
	local words

	for words in '-N2 -n5 --exclusive' '-N3 -n7 -m cyclic --exclusive' \
		'-N2 -n7 -m plane=2 --exclusive' '-N2 -n6 --exclusive' \
		'-n4 --ntasks-per-node=2' '-w node[2-3]' '-N2 --gres=gpu:2' \
		'-N2 --ntasks-per-node=2 --gpus-per-task=1'; do
		all_idle 20
		# shellcheck disable=SC2086 # words
		succeed srun $words --dist-train=env sh -c \
			'echo "is $DIST_TRAIN_RANK $SLURMD_NODENAME" \
			"$DIST_TRAIN_LOCAL_RANK $DIST_TRAIN_LOCAL_WORLD_SIZE"'
		grep '^is ' "$d/out" | sort -n -k 2 > "$d/is"
		# shellcheck disable=SC2086
		"$prefix/bin/dist-train" explain --json srun $words \
			--dist-train=env true | python3 -c 'import json, sys
step = json.load(sys.stdin)
for p in step["processes"]:
    env = {**step["common"]["env"], **p["env"]}
    print("is", p["rank"], p["node"], p["local_rank"],
          env["DIST_TRAIN_LOCAL_WORLD_SIZE"])' > "$d/said"
		[ -s "$d/is" ] && diff -u "$d/is" "$d/said" > "$d/differs" ||
			fail "srun $words: $(cat "$d/differs")"
	done
}

# A task's PMIx is the program's, unless several processes share the task
test_pmix() {
	need_pmix
	succeed srun -N2 -n4 --mpi=pmix --dist-train=ddp sh -c \
		'echo "rank=$RANK pmix=$PMIX_RANK"'
	[ "$(grep -cE '^rank=([0-3]) pmix=\1$' "$d/out")" -eq 4 ] ||
		fail "not the same ranks"
	succeed srun -N2 --mpi=pmix --dist-train=ddp,procs=2 sh -c \
		'echo "rank=$RANK pmix=${PMIX_RANK-unset}"'
	[ "$(grep -cE '^rank=[0-3] pmix=unset$' "$d/out")" -eq 4 ] ||
		fail "a process has its task's PMIx"
}

# The neutral names alone, and those that torchrun reads
# long: tests/frameworks/env/2-nodes, torchrun/2-nodes-8-devices,
# torchrun/two-tasks-per-node; others.torchrun
test_variables() {
	succeed srun -N2 -n4 --dist-train=env sh -c \
		'echo "rank=$DIST_TRAIN_RANK/$DIST_TRAIN_WORLD_SIZE" \
		"torch=${RANK-unset}"'
	[ "$(sort -u "$d/out" | grep -c '^rank=[0-3]/4 torch=unset$')" -eq 4 ] ||
		fail "not the neutral names alone"
	succeed srun -N3 --dist-train=torchrun,procs=2 sh -c \
		'echo "t $PET_NNODES $PET_NPROC_PER_NODE $PET_NODE_RANK" \
		"$PET_MASTER_ADDR rank=${RANK-unset}"'
	[ "$(sort -u "$d/out" | grep -c '^t 3 2 [0-2] 10\.77\.[0-9]*\.11 rank=unset$')" \
		-eq 3 ] || fail "not torchrun's variables"
	refuse 'torchrun needs one task per node, but this step has 4 on 2 nodes; use --ntasks-per-node=1' \
		srun -N2 --ntasks-per-node=2 --dist-train=torchrun true
}

# Debian 12's torchrun needs the two PET_ variables. It starts as many workers
# as the node has devices.
# takes: 1
# shellcheck disable=SC2046 # the program may be several words
test_torchrun() {
	local program="$PYTHON -m torch.distributed.run"

	need_torchrun
	! at test -x /usr/bin/torchrun || program=/usr/bin/torchrun
	limit=120 try env PET_REDIRECTS=1 PET_TEE=1 OMP_NUM_THREADS=1 \
		srun -N2 --gres=gpu:2 --dist-train=torchrun $program \
		"$top/tests/clients/allreduce.py"
	[ "$rc" -eq 0 ] || fail "status $rc"
	[ "$(grep -h 'trained rank=[0-3] world=4 sum=10 ' "$d/out" "$d/err" |
		sed 's/.*trained //' | sort -u | wc -l)" -eq 4 ] ||
		fail "not four ranks have trained"
}

test_host_lists() {
	local list

	gcc -std=gnu11 -D_GNU_SOURCE -iquote "$top" -o "$d/hostlist" \
		"$here/hostlist_main.c" "$top"/core/base/hostlist*.c ||
		fail "can't compile hostlist_main.c"
	"$PYTHON" "$here/hostlists.py" 200 > "$d/lists"
	[ "$(wc -l < "$d/lists")" -eq 200 ] || fail "not 200 lists"
	# what Slurm takes differs: 22.05 has nothing behind the last bracket
	at sh -c 'while read -r list; do
		names=$(scontrol show hostnames "$list" 2> /dev/null) ||
			names=
		[ -n "$names" ] || continue
		printf "%s\n= %d\n" "$names" "$(echo "$names" | wc -l)"
		echo "$list" >&2
		done < "$0"' "$d/lists" > "$d/theirs" 2> "$d/taken"
	"$d/hostlist" < "$d/taken" > "$d/ours" || fail "a name isn't found"
	[ "$(grep -c '^= [0-9]' "$d/theirs")" -ge 150 ] ||
		fail "scontrol takes too few"
	diff "$d/theirs" "$d/ours" || fail "not as scontrol has it"
}

# --- what a step without the option costs -----------------------------------

# traced NAME: what srun opens, connects to and executes for a step, one line
# each, without what differs from run to run
traced() {
	user=root try strace -f -o "$d/trace.$1" \
		-e trace=open,openat,connect,execve \
		srun -N1 -n1 --jobid="$job" --overlap true
	[ "$rc" -eq 0 ] || fail "status $rc"
	tidy_trace "$d/trace.$1" > "$d/did.$1"
}

tidy_trace() {
	sed 's/^[0-9]* *//; s/ = .*//; s/connect([0-9]*,/connect(/;
		s/0x[0-9a-f]* .. [0-9]* vars .*//; s/htons([0-9]\{5,\})/htons(PORT)/;
		s/\/proc\/[0-9]*\//\/proc\/PID\//; /resumed>/d
		s/ <unfinished.*//; s/)$//; s/sin_port=[^,]*[0-9]\{5\}[^,]*,/PORT,/' "$1" |
		grep -E '^(open|openat|connect|execve)' |
		grep -v -e "$plugin" -e plugstack -e '/etc/dist-train' |
		sort | uniq -c
}

# hold_job: an allocation to run steps in. Its number is in $job.
hold_job() {
	job=$(user=root at sbatch --parsable -N1 -n1 -w node1 \
		-o /dev/null --wrap 'sleep 100')
	afterwards "user=root at scancel $job"
	until_true 20 job_is running "$job" || fail "the job doesn't start"
}

job_is() {
	[ "$(user=root at squeue -h -o %T -j "$2")" = "${1^^}" ]
}

test_no_cost_in_srun() {
	need_strace
	afterwards "plugstack '$plug_line'"
	hold_job
	traced with
	grep -q "$plugin" "$d/trace.with" || fail "the plugin wasn't loaded"
	plugstack
	traced without
	! grep -q "$plugin" "$d/trace.without" || fail "the plugin was loaded"
	[ "$(wc -l < "$d/did.without")" -gt 10 ] || fail "an empty trace"
	diff "$d/did.without" "$d/did.with" ||
		fail "srun does more with the plugin"
}

# traced_node NAME: the same of slurmd and all that it starts
traced_node() {
	local pid

	pid=$(user=root node=node1 at pgrep -o -x slurmd)
	user=root node=node1 background strace -f -o "$d/node.$1" \
		-e trace=open,openat,connect,execve -p "$pid"
	until_true 10 grep -q attached "$d/bg.out" || fail "no strace of slurmd"
	user=root try srun -N1 -n1 --jobid="$job" --overlap \
		sh -c 'exit 0'
	[ "$rc" -eq 0 ] || fail "status $rc"
	until_true 10 step_has_ended "$1" || fail "no end of the step in node.$1"
	user=root node=node1 at pkill -o -x strace
	wait "$bg"
	tidy_trace "$d/node.$1" > "$d/did.$1"
}

step_has_ended() {
	grep -q 'execve("/bin/sh"\|execve("/usr/bin/sh"' "$d/node.$1" &&
		! user=root node=node1 at pgrep -f "slurmstepd: \\[$job\\.[0-9]" \
			> /dev/null
}

test_no_cost_on_the_node() {
	need_strace
	afterwards "plugstack '$plug_line'"
	hold_job
	traced_node with
	grep -q "$plugin" "$d/node.with" || fail "the plugin wasn't loaded"
	plugstack
	traced_node without
	! grep -q "$plugin" "$d/node.without" || fail "the plugin was loaded"
	[ "$(wc -l < "$d/did.without")" -gt 10 ] || fail "an empty trace"
	! grep dist-train-launch "$d/did.with" || fail "a helper was started"
	diff <(sed 's/^ *[0-9]* //' "$d/did.without") \
		<(sed 's/^ *[0-9]* //' "$d/did.with") |
		grep '^>' && fail "the node does more with the plugin"
	:
}
