# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# The key end-signal: every rank that handles the signal gets it once, at the same
# moment, past what stands between.
# clusters: plain
# shellcheck disable=SC2016,SC2034,SC2086,SC2154 # words; shared with lib.sh
limit=90
more=-N2
saves="$PYTHON $top/tests/clients/saves.py"

# job N COMMAND...: a batch job of it as $job, whose N ranks are ready
job() {
	local n=$1
	shift

	printf '#!/bin/bash\nexec %s\n' "$*" > "$d/job.sh"
	try sbatch --parsable -o "$d/job" -e "$d/job" $more "$d/job.sh"
	[ "$rc" -eq 0 ] || fail "no job"
	job=$out
	afterwards "at scancel $job"
	until_true 40 eval "[ \"\$(grep -c '^ready ' '$d/job')\" -eq $n ]" || {
		cat "$d/job"
		fail "not $n ranks are ready"
	}
}

# saved_once N BY SIGNALS: all N ranks, at the same moment
saved_once() {
	until_true 70 job_ended "$job" || fail "the job doesn't end"
	cat "$d/job"
	[ "$(grep "^saved rank=.* by=$2 stop=True$" "$d/job" | sort -u |
		wc -l)" -eq "$1" ] || fail "not $1 ranks saved by $2"
	[ "$(grep -c "^done rank=.* signals=$3$" "$d/job")" -eq "$1" ] ||
		fail "not $1 ranks got $3 signals"
	sed -n 's/^saved .*at=\([0-9.]*\) .*/\1/p' "$d/job" | sort -n |
		awk '{ last = $1; if (NR == 1) first = $1 }
			END { printf "skew %.0f ms\n", 1000 * (last - first) }'
}

# Slurm's SIGTERM to all processes ends none of them
test_cancelled() {
	job 4 srun -N2 --dist-train=ddp,procs=2,end-signal=60 $saves
	at scancel "$job"
	saved_once 4 signal 1
	grep -q '^dist-train: Slurm ends the job (SIGTERM): 4 ranks got SIGUSR1$' \
		"$d/job" || fail "it isn't said"
}

test_task_mode() {
	more='-N3 -n5'
	job 5 srun -N3 -n5 --dist-train=ddp,end-signal=60 $saves
	at scancel "$job"
	saved_once 5 signal 1
}

# Who has no handler lives on, and finds the file
test_deaf() {
	job 4 srun -N2 --dist-train=ddp,procs=2,end-signal=60 $saves deaf
	at scancel "$job"
	saved_once 4 file 0
	grep -q ": 0 ranks got SIGUSR1; 4 without a handler for it didn't (rank [0-3], " \
		"$d/job" || fail "it isn't said"
}

# A rank that only starts when the others are told, and another one whose launcher
# does, get the signal when they handle it
test_rank_starts_late() {
	job 1 srun -N2 --dist-train=ddp,procs=1,end-signal=60 \
		"sh -c '[ \$RANK = 0 ] ||
			until [ -e \$DIST_TRAIN_STOP_FILE ]; do sleep 0.1; done
			exec $saves'"
	at scancel "$job"
	saved_once 2 signal 1
	grep -q ': 1 rank got SIGUSR1; 1 without a handler for it' "$d/job" ||
		fail "it isn't said"
}

test_launcher_starts_late() {
	be_slow 8
	more='-N2 -t1'
	job 2 srun -N2 --dist-train=ddp,procs=1,end-signal=57 $saves
	saved_once 2 signal 1
}

# long: tests/helpers/ending/test_ending_child (below_shells);
# ending.python_between
test_shells_between() {
	job 4 srun -N2 --dist-train=ddp,procs=2,end-signal=60 \
		"bash -c 'export A=b; sh -c \"$saves; :\"; :'"
	at scancel "$job"
	saved_once 4 signal 1
}

test_torchrun_between() {
	need_venv torch
	job 4 srun -N2 --dist-train=torchrun,procs=2,end-signal=60 \
		"${venv%/*}/torchrun" "$top/tests/clients/saves.py"
	at scancel "$job"
	saved_once 4 signal 1
}

# A Python program that waits for another one, and a worker with its handlers
test_python_between() {
	cat > "$d/outer.py" <<-'END'
	import subprocess, sys
	sys.exit(subprocess.run(sys.argv[1:]).returncode)
	END
	cat > "$d/forks.py" <<-'END'
	import os, runpy, signal, sys, time
	if os.fork() == 0:
	    signal.signal(signal.SIGUSR1, lambda *_: os.write(1, b"worker\n"))
	    time.sleep(60)
	    os._exit(0)
	runpy.run_path(sys.argv[1])
	END
	job 2 srun -N2 --dist-train=ddp,procs=1,end-signal=USR1@60 \
		"$PYTHON $d/outer.py $PYTHON $d/forks.py $top/tests/clients/saves.py"
	at scancel "$job"
	saved_once 2 signal 1
	! grep '^worker' "$d/job" || fail "a worker was signalled"
}

# A failure ends ranks that ignore SIGTERM at once
test_failure() {
	try srun -N2 --dist-train=ddp,procs=2,end-signal=60,grace=0 sh -c \
		'[ $RANK != 3 ] || exit 5; exec sleep 100'
	[ "$rc" -eq 5 ] || fail "status $rc"
	within 20
	says_not "hasn't ended by SIGTERM"
}

# long: tests/spank/scenarios/end-signal-no-limit
test_no_time_limit_known() {
	succeed srun -N2 --dist-train=ddp,procs=1,end-signal=60 sh -c \
		'[ -n "$DIST_TRAIN_STOP_FILE" ] && [ ! -e "$DIST_TRAIN_STOP_FILE" ]'
}

# Half a minute before the only minute is over
test_time_limit() {
	more='-N2 -t1'
	job 4 srun -N2 --dist-train=ddp,procs=2,end-signal=30 $saves
	saved_once 4 signal 1
	grep -Eq "^dist-train: the job's time limit is at [0-9:]{8}: 4 ranks got SIGUSR1$" \
		"$d/job" || fail "it isn't said"
}
