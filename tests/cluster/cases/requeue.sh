# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# The key requeue: a training that takes several lives of its job. The shortest
# time limit is a minute, and a job that is requeued waits for a quarter of one.
# clusters: preempt
# takes: 0.25
# shellcheck disable=SC2016,SC2034,SC2086,SC2154 # words; shared with lib.sh
limit=200

# The ranks are told ten seconds after the start, and have half a minute at least
minutes=$(((10 * slow + 30 + 59) / 60))
early=end-signal=$((60 * minutes - 10 * slow))
# A training of so many steps takes two lives: the first one ends when it is told,
# the second one after a few steps. With --long ten lives and a few. Slurm starts a
# heterogeneous job that was requeued often after three minutes
steps=+8 requeues=1
[ -z "${LONG:-}" ] || steps=400 requeues=9 limit=2700
lives="$PYTHON $top/tests/clients/lives.py"

folder() {
	folder=$d/${1:-train}
	mkdir -p "$folder"
	chmod 777 "$folder"
}

# job OPTION... < SCRIPT: as batch, with all its lives in one output
job() {
	batch --open-mode=append "$@"
	at scontrol show job "$job" > "$d/show"
}

# submit OPTION... < SCRIPT: as job, without waiting for its end
submit() {
	{
		echo '#!/bin/bash'
		cat
	} > "$d/job.sh"
	try sbatch --parsable --open-mode=append -o "$d/job.out" \
		-e "$d/job.out" "$@" "$d/job.sh"
	[ "$rc" -eq 0 ] || fail "no job"
	job=$out
	afterwards "at scancel $job"
}

# comes REGEX: a line of the submitted job's output
comes() {
	until_true ${patience:-60} grep -Eq -- "$1" "$d/job.out" ||
		fail "no line '$1' in: $(cat "$d/job.out")"
}

ends() {
	until_true $limit job_ended "$job" || fail "job $job doesn't end"
	cat "$d/job.out"
	cp "$d/job.out" "$d/out"
	at scontrol show job "$job" > "$d/show"
}

# restarts N: so often it was requeued
restarts() {
	grep -q " Restarts=$1 " "$d/show" || fail "not $1 restarts: $(
		grep -o ' Restarts=[0-9]*' "$d/show")"
}

# lines N REGEX: so many of the output
lines() {
	[ "$(grep -Ec -- "$2" "$d/out")" -eq "$1" ] ||
		fail "not $1 lines '$2' in the output"
}

# requeued JOB: $requeues times, and more often only with --long
requeued() {
	local n

	n=$(grep -Ec -- "^dist-train: job $1 is requeued: its time limit \(" \
		"$d/out")
	[ "$n" -ge "$requeues" ] || fail "job $1 is requeued only $n times"
	[ -n "${LONG:-}" ] || [ "$n" -eq "$requeues" ] ||
		fail "job $1 is requeued $n times"
}

# each_step_once N [FOLDER]; +N: N in the last life
each_step_once() {
	local n=$1 log=${2:-$folder}/log

	if [[ $n = +* ]]; then
		[ "$(grep -c '^1 ' "$log")" -eq "${n#+}" ] ||
			fail "not $n steps in the last life"
		n=$(wc -l < "$log")
	fi
	[ "$(awk '{ print $2 }' "$log" | tr '\n' ' ')" = \
		"$(seq -s ' ' "$n") " ] || fail "not each step once"
}

test_time_limit() {
	local n=$((105 * slow))

	[ -z "${LONG:-}" ] || n=$((445 * slow))
	folder
	job -N2 -t$minutes <<-END
	srun --dist-train=ddp,procs=2,$early,requeue=time-limit,progress-file=$folder/steps $lives $folder $n 0.25
	END
	each_step_once $n
	lives=$(grep -c '^dist-train: job [0-9]* is requeued: its time limit (' \
		"$d/out")
	[ "$lives" -gt "$requeues" ] || fail "only $lives lives more"
	restarts "$lives"
	lines 4 ' signals=0$'
	says_not "isn't requeued"
	[ ! -e "$folder/steps.dist-train-$job" ] || fail "notes are left"
}

# Whoever isn't told, or doesn't end in time, is requeued just before the limit
test_still_runs() {
	folder
	submit -N1 -t1 <<-END
	exec srun --dist-train=ddp,requeue=time-limit $lives $folder 100000
	END
	limit=90
	comes 'is requeued: its time limit, and the step still runs \(time-limit, 1 of'
	until_true 60 grep -q '^life 1 rank 0 begins' "$d/job.out" ||
		fail "no second life"
	at scancel "$job"
	ends
	restarts 1
	says_not 'life 2'
}

# preempt: a job that takes all nodes, for a moment
preempt() {
	at sbatch -Q -N4 --exclusive -p urgent -o /dev/null --wrap 'sleep 1' ||
		fail "no urgent job"
}

# Ranks have the grace time to save; bash isn't signalled
test_preempted() {
	folder
	submit -N2 -p grace <<-END
	srun --dist-train=ddp,procs=2,end-signal=5,requeue=preemption $lives $folder +8 0.25
	echo "srun ended"
	END
	comes '^life 0 rank 3 begins'
	preempt
	ends
	each_step_once +8
	lines 1 '^dist-train: job [0-9]* is requeued: it is preempted \(preemption, 1 of at most 100\)$'
	lines 4 '^life 0 .* signals=1$'
	lines 4 '^life 1 .* signals=0$'
	restarts 1
}

# Slurm requeues it by itself, and once
test_preempted_by_requeue() {
	folder
	submit -N1 -p requeue <<-END
	exec srun --dist-train=ddp,requeue=preemption+failure+time-limit $lives $folder +8 0.25
	END
	comes '^life 0 rank 0 begins'
	preempt
	ends
	restarts 1
	lines 1 '^life 1 .* ends at 8 '
	says_not ' is requeued'
}

# need_expedite: since 25.11
need_expedite() {
	at sbatch --help > "$d/help"
	grep -q -- '--requeue\[=expedite' "$d/help" ||
		skip "this Slurm has no sbatch --requeue=expedite"
}

# The next life begins at once, and doesn't wait for the end of credentials. When
# no more are allowed Slurm holds the job: that is said, with what helps.
test_expedite() {
	need_expedite
	folder
	echo 3 > "$folder/exit"
	submit -N2 --requeue=expedite <<-END
	scontrol show job \$SLURM_JOB_ID | grep -Eow '(Submit|Eligible)Time=[^ ]*'
	srun --dist-train=ddp,requeue=failure,requeues=1 $lives $folder 10
	END
	comes '^dist-train: job [0-9]* is requeued: the step has failed \('
	comes "^dist-train: job $job has --requeue=expedite: .* Slurm holds it, unless .*; scontrol release $job runs it again, scancel $job ends it\$"
	until_true 60 job_is_held || fail "the job isn't held"
	mapfile -t times < <(sed -n 's/.*Time=//p' "$d/job.out")
	(($(date -d "${times[3]}" +%s) - $(date -d "${times[2]}" +%s) < 15)) ||
		fail "the second life has waited: ${times[*]}"
	at scontrol release "$job"
	comes '^life 2 rank 0 begins'
}

# Where a node is lost it waits for that one, and says so. The case ends when the
# next life has begun: what slurmctld has asked the node twice may still end that
# (seen on 25.11: Resending TERMINATE_JOB, and a second later the requeue).
test_expedite_lost_node() {
	need_expedite
	folder
	patience=$((4 * limit / 10))
	submit -N2 --ntasks-per-node=1 -w node2,node3 --requeue=expedite <<-END
	echo "run \${SLURM_RESTART_COUNT:-0}"
	srun --dist-train=ddp,procs=1,lease=$((5 * slow)),on-node-loss=requeue $lives $folder +8 0.25
	END
	comes '^life 0 rank 0 begins'
	comes '^life 0 rank 1 begins'
	afterwards "net node3 up; node_returns"
	net node3 down
	comes "^dist-train: job $job is requeued: .*; Slurm starts it when that node answers or is given up \\(SlurmdTimeout\\)\$"
	until_true 60 job_is_over || fail "this life doesn't end"
	! grep '^run 1' "$d/job.out" || fail "it hasn't waited for the node"
	net node3 up
	node_returns
	comes '^run 1'
}

job_is_over() {
	[ "$(at squeue -h -j "$job" -o %T)" != RUNNING ]
}

# The site says how long a requeued job waits, since 25.11; else the life of credentials
test_delay() {
	at grep -aq requeue_delay= /usr/sbin/slurmctld ||
		skip "this Slurm has no SchedulerParameters=requeue_delay"
	afterwards "scheduler 's/,requeue_delay=5//'"
	scheduler 's/$/,requeue_delay=5/'
	folder
	echo 3 > "$folder/exit"
	submit -N1 <<-END
	scontrol show job \$SLURM_JOB_ID | grep -Eow '(Submit|Eligible)Time=[^ ]*'
	srun --dist-train=ddp,requeue=failure,requeues=1 $lives $folder 10
	END
	comes "^dist-train: job $job isn't requeued: it has been as often as"
	ends
	mapfile -t times < <(sed -n 's/.*Time=//p' "$d/job.out")
	waited=$(($(date -d "${times[3]}" +%s) - $(date -d "${times[2]}" +%s)))
	[ "$waited" -ge 5 ] && [ "$waited" -lt 15 ] ||
		fail "it has waited $waited s, not requeue_delay: ${times[*]}"
}

# scheduler EDIT: of sed, SchedulerParameters
scheduler() {
	root login sh -c 'sed -i "/^SchedulerParameters=/$0" "$SLURM_CONF" &&
		scontrol reconfigure' "$1" || fail "no reconfigure"
	node_returns
}

job_is_held() {
	at squeue -h -j "$job" -o %r > "$d/queue"
	grep -qi held "$d/queue"
}

# Each element by itself
test_array() {
	local i

	for i in 1 2 3 4; do
		folder train$i
	done
	job -N1 -t$minutes --array=1-4 <<-END
	f=$d/train\$SLURM_ARRAY_TASK_ID
	srun --dist-train=ddp,$early,requeue=time-limit,progress-file=\$f/steps $lives \$f $steps 0.25
	END
	for i in 1 2 3 4; do
		each_step_once $steps "$d/train$i"
		requeued "[0-9]* \\(${job}_$i\\)"
	done
	lines 4 '^life 1 rank 0 begins'
}

# The whole job is requeued, by its first component
# long: requeue.heterogeneous_step (of both components)
test_heterogeneous() {
	folder
	job -N1 -t$minutes : -N1 -t$minutes <<-END
	srun --het-group=${1:-0} --dist-train=ddp,$early,requeue=time-limit $lives $folder $steps 0.25
	END
	each_step_once $steps
	requeued '[0-9]*.*'
	lines ${2:-1} '^life 1 rank . begins'
}

test_heterogeneous_step() {
	test_heterogeneous 0,1 2
}

# long: tests/spank/ending/test_progress_file (not_there, stands_still),
# test_requeue_decision (two_idle_lives, not_requeued); requeue.time_limit (the
# key, with progress)
test_no_progress() {
	folder
	touch "$folder/stuck"
	job -N1 -t$minutes <<-END
	srun --dist-train=ddp,$early,requeue=time-limit,progress-file=$folder/steps $lives $folder 1000
	END
	restarts 2
	lines 2 'is requeued: its time limit; no progress \(.*No such file'
	lines 1 "isn't requeued: 3 runs have ended without progress"
}

# fails CODE CAUSE LINE RESTARTS
fails() {
	folder "failing$1-$4"
	echo "$1" > "$folder/exit"
	job -N2 <<-END
	srun --dist-train=ddp,requeue=$2,requeues=1 $lives $folder 10
	END
	lines 1 "^dist-train: job [0-9]* isn't requeued: $3"
	restarts "$4"
}

# As often as allowed; not where the key has no failure, nor with a code that says
# that nothing helps
test_failure() {
	fails 3 failure 'it has been as often as requeues=1 allows$' 1
	lines 1 'is requeued: the step has failed \(failure, 1 of at most 1\)$'
	fails 3 time-limit+preemption "the step has failed, and requeue= doesn't have failure$" 0
	fails 93 failure+time-limit 'a process has ended with exit code 93' 0
}

test_cancelled() {
	folder
	submit -N2 -t1 <<-END
	exec srun --dist-train=ddp,end-signal=5,requeue=time-limit+preemption+failure $lives $folder 10000
	END
	comes '^life 0 rank 1 begins'
	at scancel "$job"
	ends
	grep -q JobState=CANCELLED "$d/show" || fail "it isn't cancelled"
	restarts 0
	says_not ' is requeued'
}

# told_by SUFFIX: by hand, the job or its step; it saves and isn't requeued
told_by() {
	rm -f "$d/job.out"
	folder "told$1"
	submit -N2 <<-END
	srun --dist-train=ddp,end-signal=5,requeue=time-limit+preemption+failure $lives $folder 10000
	END
	comes '^life 0 rank 1 begins'
	at scancel --signal=TERM "$job$1"
	ends
	restarts 0
	lines 2 ' signals=1$'
	lines 1 "isn't requeued: it was cancelled$"
}

test_told_by_hand() {
	told_by .0
	told_by ''
}

# The limit is changed while the job runs, and the ranks are told earlier: that is
# noticed before half of the time is over
test_limit_changes() {
	folder
	submit -N1 -t2 <<-END
	srun --dist-train=ddp,end-signal=50,requeue=time-limit,requeues=1 $lives $folder 100000
	END
	comes '^life 0 rank 0 begins'
	at scontrol update jobid="$job" timelimit=1
	comes '^life 0 rank 0 ends'
	took=$(at scontrol show job "$job" | sed -n 's/.*RunTime=00:0\([0-9]\).*/\1/p')
	comes 'is requeued: its time limit \('
	at scancel "$job"
	[ "${took:-9}" -lt 1 ] || fail "told after $took minutes"
}

# long: tests/spank/scenarios/requeue-submitted, requeue-no-batch,
# requeue-forbidden
test_refused() {
	local keys=--dist-train=ddp,requeue=failure

	refuse "^dist-train: requeue=failure: this job can't be requeued" \
		sbatch --no-requeue $keys --wrap "srun true"
	refuse "isn't a batch job, and Slurm requeues no others; submit it with sbatch$" \
		srun -N1 $keys true
	refuse '^dist-train: requeue=failure: Slurm requeues batch jobs alone' \
		salloc -Q -N1 $keys true
	job -N1 --no-requeue <<-END
	srun $keys true
	END
	lines 1 'was submitted with --no-requeue.*#SBATCH --requeue'
}
