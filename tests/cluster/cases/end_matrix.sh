# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# The key end-signal: what starts ranks, and the end of the job by its time limit and
# by preemption. Each rank is told once, all at the same moment, and all save before
# Slurm ends the job. One end in each run; with tests/run --long twenty of each kind,
# of PyTorch's DDP.
# clusters: preempt
# shellcheck disable=SC2034,SC2154 # shared with lib.sh
# shellcheck source-path=SCRIPTDIR/.. source=../container.sh
. "$here/container.sh"

limit=120
at_a_time=5		# jobs; each loads PyTorch in some ranks
keys=end-signal=25	# of the only minute
saves="$top/tests/clients/saves.py ddp"

# long: ending.task_mode, and device
# takes: 1
test_task() {
	need_torch
	row 5 "srun -N3 -n5 --dist-train=ddp,$keys $torch $saves"
}

# takes: 1
test_device() {
	need_torch
	row 4 "srun -N2 --dist-train=ddp,procs=2,$keys $torch $saves"
}

# Its agents load PyTorch, too
# long: ending.torchrun_between, and device
# takes: 1
test_torchrun() {
	local at_a_time=2

	need_venv torch
	row 2 "srun -N2 --dist-train=torchrun,procs=1,end-signal=15 ${venv%/*}/torchrun $saves"
}

# long: ending.shells_between, and device
# takes: 1
test_shell() {
	need_torch
	row 4 "srun -N2 --dist-train=ddp,procs=2,$keys bash -c 'export A=b; $torch $saves; :'"
}

# Without PyTorch, but with --long
# long: container.end_signal_in_a_container; end_matrix.device (preemption)
test_container() {
	need_torch
	[ -n "${LONG:-}" ] || torch=$PYTHON saves=${saves% ddp}
	enter_nodes_own
	row 4 "srun -N2 --dist-train=ddp,procs=2,$keys $torch $saves"
}

# row RANKS STEP: the ends of jobs of this step
row() {
	local done=0

	if [ -z "${LONG:-}" ]; then
		batch_of 1 "$1" "$2" preempted
		return
	fi
	while [ $done -lt 20 ]; do
		batch_of $at_a_time "$1" "$2" preempted
		batch_of $at_a_time "$1" "$2" time-limit
		done=$((done + at_a_time))
	done
}

# batch_of JOBS RANKS STEP CAUSE: they run at the same time
batch_of() {
	local i jobs=() patience=50

	printf '#!/bin/bash\n%s\n' "$3" > "$d/job.sh"
	rm -f "$d"/end.*
	for ((i = 0; i < $1; i++)); do
		try sbatch --parsable -N"$(words_after -N "$3")" -O -t1 -p grace \
			-o "$d/end.$i" -e "$d/end.$i" "$d/job.sh"
		[ "$rc" -eq 0 ] || fail "no job"
		jobs+=("$out")
		afterwards "at scancel $out"
	done
	until_true $patience all_ready $(($1 * $2)) || {
		cat "$d"/end.*
		fail "not all ranks are ready within $patience s"
	}
	if [ "$4" = preempted ]; then
		at sbatch -Q -N4 --exclusive -p urgent -o /dev/null \
			--wrap 'sleep 1' || fail "no urgent job"
	fi
	for i in "${jobs[@]}"; do
		until_true 120 job_ended "$i" || fail "job $i doesn't end"
	done
	for ((i = 0; i < $1; i++)); do
		saved_once "$d/end.$i" "$2" "$4"
	done
}

words_after() {
	grep -o -- "$1[0-9]*" <<< "$2" | head -n 1 | cut -c 3-
}

all_ready() {
	[ "$(cat "$d"/end.* 2> /dev/null | grep -c '^ready ')" -eq "$1" ]
}

# saved_once FILE RANKS CAUSE
saved_once() {
	[ "$(grep '^saved rank=.* by=signal stop=True$' "$1" | sort -u |
		wc -l)" -eq "$2" ] &&
		[ "$(grep -c '^saved ' "$1")" -eq "$2" ] &&
		[ "$(grep -c '^done rank=.* signals=1$' "$1")" -eq "$2" ] || {
		cat "$1"
		fail "$3: not all $2 ranks saved once"
	}
	sed -n 's/^saved .*at=\([0-9.]*\) .*/\1/p' "$1" | sort -n |
		awk -v cause="$3" '{ last = $1; if (NR == 1) first = $1 }
			END { printf "%s: skew %.0f ms\n", cause, 1000 * (last - first) }'
}
