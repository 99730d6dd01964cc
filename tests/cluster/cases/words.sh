# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# The words of the option in real srun, sbatch and salloc: help before anything
# is queued, other names, values in other words, a user's own defaults.
# clusters: plain
# shellcheck disable=SC2016,SC2154 # of the script; shared with lib.sh

show='echo "rank=$RANK port=$MASTER_PORT"'

nothing_queued() {
	[ -z "$(user=root at squeue -h -s -o %i -u alice)" ] ||
		fail "a job is queued"
}

# As --mpi=list: no program, no allocation, status 0
# long: tests/spank/scenarios/option-help; tests/registry/test_words_help;
# pages.readme (the line of --help)
test_help_of_option() {
	local program

	for program in srun sbatch salloc; do
		succeed "$program" --dist-train=help
		says '^  ddp  '
		says '^  sglang  '
		succeed "$program" --dist-train=TF-PS,list
		says '^  ps=auto'
		says '^Everyday keys:'
		succeed "$program" --help
		says '\[dist-train\] run PROGRAM as distributed'
	done
	succeed srun -N99 --dist-train help true
	printf '#!/bin/sh\n#SBATCH --dist-train=help\ntrue\n' > "$d/job"
	succeed sbatch "$d/job"
	says '^  ddp  '
	nothing_queued
}

# long: tests/spank/scenarios/option-alias, abbreviation, option-sbatch;
# tests/core/option/test_value, test_option (off)
test_other_words() {
	try srun -N2 "--dist-train=Lightning, TIMEOUT=1m,supervise=Off" \
		sh -c "$show"
	[ "$rc" -eq 0 ] || fail "status $rc"
	one_line '^dist-train: lightning: started as ddp; Trainer\('
	says '^rank=1 '
	try srun -N2 --dist_train=ddp true
	[ "$rc" -ne 0 ] || fail "no error"
	one_line "^dist-train: '--dist_train=ddp' is no option; did you mean --dist-train="
	refuse "^dist-train: grace='30x': must be a number of seconds from 0" \
		srun --dist-train=ddp,grace=30x true
	refuse "^dist-train: --dist='ddp' is short for --distribution='ddp'; did you mean --dist-train='ddp'\?" \
		srun --dist=ddp true
	succeed sbatch --parsable -o /dev/null --wrap true --dist-train=off
	until_true 60 job_ended "$out" || fail "job $out doesn't end"
}

# Weaker than the option, stronger than the administrator's; what srun has read
# holds on the nodes, whatever the job's variable is there
# long: tests/spank/scenarios/own-defaults, own-defaults-launcher,
# own-defaults-wrong; tests/helpers/cli/exec/test_exec (own_defaults)
test_own_defaults() {
	local set=SLURM_DIST_TRAIN_DEFAULTS

	afterwards "plugstack '$plug_line'"
	plugstack "optional $plugin default=port=25001"
	succeed env $set=port=25002 srun -N2 --dist-train=ddp sh -c "$show"
	says '^rank=0 port=25002$'
	says '^rank=1 port=25002$'
	succeed env $set=port=25002 srun -N2 \
		--export=ALL,$set=port=25003 --dist-train=ddp sh -c "$show"
	says '^rank=1 port=25002$'
	succeed env $set=port=25002,supervise=on srun -N2 --export=NONE \
		--dist-train=ddp,port=25004 /bin/sh -c "$show"
	says '^rank=1 port=25004$'
	succeed srun -N2 --dist-train=ddp sh -c "$show"
	says '^rank=1 port=25001$'
	# what an outer step has left
	succeed env SLURM_DIST_TRAIN_OWN=port=25005 srun -N2 --dist-train=ddp \
		sh -c "$show"
	says '^rank=1 port=25001$'
	batch -N2 --export=ALL,$set=port=25002 --dist-train=ddp <<-END
		srun sh -c '$show'
		$set=port=25003 srun --dist-train=ddp,supervise=yes sh -c '$show'
	END
	says '^rank=1 port=25002$'
	says '^rank=1 port=25003$'
	try env $set=port=25002 salloc -Q -N2 --dist-train=ddp srun sh -c "$show"
	says '^rank=1 port=25002$'
	refuse "^dist-train: $set: label='maybe': must be one of no" \
		env $set=label=maybe srun --dist-train=ddp true
	refuse "^dist-train: $set: label='maybe': must be one of no" \
		env $set=label=maybe sbatch --wrap true --dist-train=ddp
	succeed env $set=label=maybe srun true
}
