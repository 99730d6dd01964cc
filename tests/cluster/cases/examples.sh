# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# contrib/examples with Debian's PyTorch, each as its first comment says. Where a
# batch script is looked at, PyTorch itself trains with --long.
# clusters: plain
# shellcheck disable=SC2034,SC2154 # shared with lib.sh
# shellcheck source-path=SCRIPTDIR source=../examples.sh
. "$here/examples.sh"

test_ddp() {
	small_training
	example train_ddp.py
	together 4
	learns
	example evaluate_ddp.py
	says '^rank none: loss 0\.0'
}

# Its servers sample what is right at the end; by chance it is one word of eight
test_roles() {
	debian_torch
	example rl.roles
	together 2
	says '^step 30: reward (0\.[5-9]|1\.0)'
}

# The weights that all ranks have at the end
weights() {
	sed -n 's/^rank .* weights //p' "$d/out" | sort -u
}

# long: restarts with other programs are supervision's; the script is in launch_part
# An unbroken training; one whose rank 1 fails at step 50, which goes on from the
# checkpoint of step 40; one that finds that all is done
# takes: 1
test_resume() {
	local unbroken

	debian_torch
	example train_resume.py
	together 4
	learns
	unbroken=$(weights)
	example train_resume.py --checkpoint again.pt --fail-at 50
	together 4
	[ "$(grep -c ': from step 40, ' "$d/out")" -eq 4 ] ||
		fail "not all ranks go on from step 40"
	one_of_ours '^dist-train: restart 1 of 3 '
	[ "$(weights)" = "$unbroken" ] || fail "not $unbroken: $(weights)"
	example train_resume.py
	[ "$(grep -c ': from step 100, ' "$d/out")" -eq 4 ] ||
		fail "the third run doesn't find the first one's end"
}

# resume_batch PACE [SED]: resume.sbatch, with that pace and changed so, as $job; its
# output is $d/clean/resume-*.out
resume_batch() {
	examples_folder
	sed -i "s/ --checkpoint/ --pace $1&/; s/spares=1/lease=5,&/; ${2:-}" \
		"$d/clean/resume.sbatch"
	example resume.sbatch
	job=$(sed -n 's/^Submitted batch job //p' "$d/out")
	[ -n "$job" ] || fail "no job"
	afterwards "at scancel $job; until_true 20 job_ended $job"
	until_true 90 resumed '^step 40: ' || fail "no step 40"
}

resumed() {
	grep -qs "$1" "$d/clean/resume-$job.out"
}

# Where a node was lost, Slurm lets it complete until the node is back, or down
job_is_over() {
	local left

	left=$(at squeue -h -t pending,configuring,running -j "$job" \
		2> /dev/null) && [ -z "$left" ]
}

# all_resumed [REGEX]: in the end it has the weights of an unbroken training, and
# has said this line
all_resumed() {
	local resumed

	until_true "$limit" job_is_over || fail "job $job doesn't end"
	cp "$d/clean/resume-$job.out" "$d/out"
	cat "$d/out"
	together 4
	says '^4 processes, from step [4-9][0-9]*$'
	resumed=$(weights)
	[ -z "${1:-}" ] || says "$1"
	example train_resume.py
	[ "$(weights)" = "$resumed" ] || fail "$resumed, not $(weights)"
}

# long: a step that is queued again is requeue's
# The ranks are signalled 40 seconds after the start. Slurm lets the job wait for two
# minutes, this case doesn't.
# takes: 1
test_resume_requeue() {
	debian_torch
	resume_batch 0.5 's/time=10/time=2/; s/end-signal=2m/end-signal=80/'
	next_life "$job"
	all_resumed
}

# long: a spare in a lost node's place is spares'
# node2 has no power any more, and node3 was the spare
# takes: 1
test_resume_replaced() {
	debian_torch
	resume_batch 0.1
	afterwards "until_true 30 all_respond"
	afterwards "'$here/node_fault' '$cluster' back node2"
	"$here/node_fault" "$cluster" off node2 || fail "node2 isn't lost"
	all_resumed '^rank 2 of 4 on node3: '
}

test_torchrun() {
	small_training
	if [ -n "${LONG:-}" ]; then
		need_torchrun
		at sh -c "PATH=$bin:/usr/bin:/bin command -v torchrun" ||
			skip "this PyTorch has no torchrun"
	else
		stand_in torchrun < "$top/tests/clients/torchrun_standin"
	fi
	example_batch torchrun.sbatch
	together 4
}

test_evaluation() {
	small_training
	example_batch train_eval.sbatch
	together 4
	learns
	says '^rank none: loss 0\.0'
}

# Two trainings at once; nobody reads the other's weights
test_array() {
	local rate models=''

	small_training
	example_batch array.sbatch
	for rate in 0.05 0.1; do
		grep -lx "learning rate $rate" "$d/clean"/array-*.out > "$d/job"
		cp "$(< "$d/job")" "$d/out"
		together 4
		models+="$(sed -n 's/.* weights //p' "$d/out" | sort -u) "
		[ -e "$d/clean/lr-$rate/train_ddp.pt" ] ||
			fail "no model of $rate"
	done
	[ "$(xargs -n 1 <<< "$models" | sort -u | wc -l)" -eq 2 ] ||
		fail "one model for two learning rates: $models"
}

test_hetjob() {
	small_training
	example_batch hetjob.sbatch
	together 3
}

# Four processes on two nodes in its first step, two on one in the second one
test_salloc() {
	small_training
	example salloc.sh
	says '^rank 1 of 2 on node[1-4]: weights '
	together 4
}

# In PATH is the bundle, which has the wheel's program; the plugin that is there
# doesn't matter
test_exec() {
	small_training
	[ -n "$bundle" ] || skip "no bundle: make static-bundle"
	[ -e "$d/clean" ] || examples_folder
	at tar -xzf "$bundle" -C "$d/clean" || fail "can't unpack it"
	stand_ins=$(echo "$d"/clean/*-linux)
	example_batch exec.sbatch
	together 4
}

# The launch part of those whose programs need GPUs or images: who is where, which
# tells as much of us as a training of them would
test_launch_part() {
	bin=/usr/bin
	stand_in apptainer <<-'END'
	[ "$1 $2" = "exec --nv" ] &&
		echo "apptainer $RANK $WORLD_SIZE $4 $5"
	END
	stand_in pretrain_gpt.py <<-'END'
	import os, sys
	assert "--tensor-model-parallel-size" in sys.argv
	print("megatron", *(os.environ[n] for n in ("RANK", "WORLD_SIZE")))
	END
	stand_in torchrun <<-'END'
	[ "$1 $2" = "-m torchtitan.train" ] &&
		echo "titan $PET_NODE_RANK $PET_NNODES $PET_NPROC_PER_NODE"
	END
	stand_in vllm <<-'END'
	case "$*" in *" --nnodes 2 --node-rank "*) ;; *) exit 1 ;; esac
	echo "vllm $1 $DIST_TRAIN_NODE_RANK $DIST_TRAIN_NNODES"
	END
	stand_in train_resume.py < "$top/tests/clients/example_program.py"
	example_batch resume.sbatch
	together 4
	example_batch apptainer.sbatch
	[ "$(grep -c '^apptainer [0-3] 4 python3 train_ddp.py$' "$d/out")" \
		-eq 4 ] || fail "not 4 containers"
	example_batch megatron.sbatch
	[ "$(grep -c '^megatron [0-3] 4$' "$d/out")" -eq 4 ] || fail "not 4 ranks"
	example_batch torchtitan.sbatch
	[ "$(grep -c '^titan [01] 2 2$' "$d/out")" -eq 2 ] || fail "not 2 nodes"
	example_batch vllm.sbatch
	[ "$(grep -c '^vllm serve [01] 2$' "$d/out")" -eq 2 ] || fail "not 2 nodes"
}
