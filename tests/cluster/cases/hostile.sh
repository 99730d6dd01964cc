# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# Random texts of the option, and variables that a user sets to do harm: each
# step ends in time, no program crashes, no node is drained. A seed makes them;
# it is shown, and SEED=N repeats it.
# clusters: plain
# takes: 1
# shellcheck disable=SC2034,SC2154 # shared with lib.sh

# shellcheck source-path=SCRIPTDIR source=../steps.sh
. "$here/steps.sh"

# random KIND COUNT WORD...: LONG: as many as the attack had by hand
random() {
	local seed=${SEED:-$RANDOM}

	limit=$(($2 * 10 + 200)) dir=$d try "$PYTHON" "$here/hostile.py" \
		"$1" "$seed" "${@:2}"
	[ "$rc" -eq 0 ] || fail "status $rc"
	[ "$out" = "tried $2" ] || fail "seed $seed: $(head -n 1 "$d/out")"
	next_step_works
}

words_of() {
	at srun --dist-train="$1" true 2>&1 |
		sed -n "s/^dist-train: .*[; ]known: //p" | tr -d ,
}

test_options() {
	local frameworks keys count=40

	frameworks=$(words_of '?')
	keys=$("$prefix/bin/dist-train" keys |
		sed -n 's/^  \([a-z-]*\)=.*/\1/p')
	[ "$(wc -w <<< "$frameworks")" -ge 10 ] || fail "frameworks: $frameworks"
	[ "$(wc -w <<< "$keys")" -ge 30 ] || fail "keys: $keys"
	[ -z "${LONG:-}" ] || count=300
	# shellcheck disable=SC2086 # words they are
	random options $count $frameworks -- $keys
}

# All names by which srun's side tells the nodes something, and those that they
# read beside
test_variables() {
	local names count=20

	names=$(sed -n 's/^#define HANDOVER_.*"\(SLURM_DIST_TRAIN_[A-Z0-9_]*\)"/\1/p' \
		"$top/core/facts/handover.h")
	[ "$(wc -w <<< "$names")" -ge 20 ] || fail "names: $names"
	names+=" SLURM_STEP_NODELIST SLURM_JOB_NODELIST SLURM_NODELIST
		SLURM_STEP_TASKS_PER_NODE SLURM_STEP_GPUS SLURM_JOB_GPUS
		SLURM_STEP_RESV_PORTS SLURM_STEP_NUM_NODES SLURM_STEP_NUM_TASKS
		SLURM_RESTART_COUNT SLURM_JOB_PARTITION SLURM_SRUN_COMM_HOST
		SLURM_TOPOLOGY_ADDR SLURM_LOCALID SLURM_PROCID SLURM_NODEID
		SLURM_CPU_BIND_TYPE SLURMD_NODENAME DIST_TRAIN_RESTART
		DIST_TRAIN_OFF DIST_TRAIN_RANK MASTER_ADDR MASTER_PORT RANK
		WORLD_SIZE LOCAL_RANK CUDA_VISIBLE_DEVICES
		ASCEND_RT_VISIBLE_DEVICES RANK_TABLE_FILE TMPDIR HOME LANG
		LD_PRELOAD LD_AUDIT LD_LIBRARY_PATH LD_DEBUG MALLOC_ARENA_MAX
		GCONV_PATH MUNGE_SOCKET PMIX_RANK PMI_RANK"
	[ -z "${LONG:-}" ] || count=925
	# shellcheck disable=SC2086 # words they are
	random variables $count $names
}
