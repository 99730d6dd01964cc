# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# The commands of README and the tutorials, as they are written there. What they
# train is small, or only looks at its variables: the frameworks themselves are
# run by the cases of each framework.
# clusters: plain
# shellcheck disable=SC2154 # shared with lib.sh

# shellcheck source-path=SCRIPTDIR source=../pages.sh
. "$here/pages.sh"

# Debian 12's torchrun fails with its defaults (contrib/examples/torchrun.sbatch)
old_torchrun='export PET_REDIRECTS=1 PET_TEE=1; '

# torchrun_standin: a torchrun of ours for processes that only look at variables;
# with --long it is PyTorch's
torchrun_standin() {
	[ -n "${LONG:-}" ] || install -m 755 \
		"$top/tests/clients/torchrun_standin" "$d/bin/torchrun"
}

# takes: 1
test_readme() {
	local framework

	need_pmix
	open_page README.md
	if [ -n "${LONG:-}" ]; then
		need_torchrun
		need_venv ray
		# As after its `activate`
		path=${venv%/*}:$path
	else
		torchrun_standin
		mkdir -m 777 "$d/ray"
		stand_ins="export RAY_STANDIN=$d/ray PYTHONPATH=$top/tests/clients/ray_standin; "
	fi
	run_block readme-one-line
	found ddp 32
	run_block readme-frameworks "$old_torchrun${stand_ins:-}"
	sed -i 's/^\[default[0-9]*\]://' "$d/out"
	for framework in ddp torchrun deepspeed jax tf mpi; do
		found $framework 32
	done
	[ "$(grep -c '^found .* framework=ray$' "$d/out")" -eq 1 ] ||
		fail "Ray's program hasn't run once"
	run_block readme-spare
	found ddp 24
	run_block readme-has-it
	says --dist-train
	run_block readme-see
	says '32 processes, device mode, on 4 nodes'
	[ -s "$d/home/step.html" ] || fail "no page"
	need_wheel
	make_env "$d/home/env"
	cp "$wheel" "$d/home"
	path=$d/home/env/bin:$path
	run_block readme-exec
	found ddp 16
	all_run readme-ascend	# pages_npu
}

# With real PyTorch in two processes; with --long each time
# takes: 1
test_first_job() {
	local name

	need_torch
	open_page doc/tutorials/first-job.md
	if [ -z "${LONG:-}" ]; then
		dir=$d/home succeed srun -N2 --dist-train=ddp "$PYTHON" train.py
		says '^rank 1 of 2 on '
		cp "$top/tests/clients/example_program.py" "$d/home/train.py"
	fi
	for name in $(cut -f 1 "$d/blocks"); do
		run_block "$name"
	done
	grep -q 'rank 3 of 4' "$d"/home/train-*.out ||
		fail "the batch job hasn't trained"
	all_run
}

test_without_plugin() {
	open_page doc/tutorials/without-plugin.md
	need_wheel
	need_module ensurepip
	cp "$wheel" "$bundle" "$d/home"
	run_block without-pip
	run_block without-archive
	path=$d/home/train-env/bin:$path
	run_block without-run
	found ddp 4
	run_block without-label
	run_block without-explain
	run_block without-look
	run_block without-batch
	cp "$d"/home/train-*.out "$d/out"
	found ddp 4
	run_block without-module
	all_run
}

test_from_your_script() {
	[ -z "${LONG:-}" ] || need_torchrun
	need_program mpirun.openmpi
	need_pmix
	open_page doc/tutorials/from-your-script.md
	torchrun_standin
	# Not MPICH's, which Debian may have under that name
	printf '#!/bin/sh\nexec mpirun.openmpi "$@"\n' > "$d/bin/mpirun"
	chmod 755 "$d/bin/mpirun"
	run_block from-torchrun "$old_torchrun"
	sed -i 's/^\[default[0-9]*\]://' "$d/out"
	found torchrun 16
	run_block from-torchrun-ddp
	found ddp 16
	run_block from-mpirun
	found mpi 16
	run_block from-mpirun-first
	[ "$(grep -c '^found ' "$d/out")" -eq 16 ] || fail "not 16 ranks"
	run_block from-check
	all_run
}

# One life, which nobody ends
test_week() {
	local job

	open_page doc/howto/week-in-a-day.md
	run_block week-submit
	job=$(sed -n 's/^Submitted batch job //p' "$d/out")
	until_true 60 job_ended "$job" || fail "job $job doesn't end"
	cp "$d/home/week-$job.out" "$d/out"
	found ddp 16
	run_block week-ask
	run_block week-why "job=$job; "
	run_block week-goodput "job=$job; "
	all_run
}
