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
	[ "$(torch_kind)" = libuv ] || skip "this torch lacks libuv, which the page's has"
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

# old_script NAME REGEX...: the published script starts its launcher so, once for each
old_script() {
	local name=$1 words=0 regex
	shift

	rm -rf "$d/said"
	mkdir -m 777 "$d/said"
	dir=$d/home try env HOME="$d/home" PATH="$d/old:$path" OLD="$d/said" \
		sbatch --wait -o "$d/home/old.out" "old-$name.sbatch"
	[ "$rc" -eq 0 ] || fail "status $rc: $(cat "$d/home/old.out")"
	cat "$d"/said/*
	for regex; do
		words=$((words + 1))
		[ "$(cat "$d"/said/* | grep -cE -- "^$regex\$")" -eq 1 ] ||
			fail "not once: $regex"
	done
	[ "$(cat "$d"/said/* | wc -l)" -eq $words ] || fail "more than $words"
}

# The six scripts, with launchers that only say how they are started
test_from_old_script() {
	local name to='--nnodes=2 --nproc-per-node=8 --rdzv-backend=c10d --rdzv-endpoint=node1:1[0-9]+ train.py --epochs 3'
	local ac='accelerate launch --num_machines 2 --num_processes 16 --machine_rank'

	open_page doc/tutorials/from-your-script.md
	mkdir "$d/old"
	for name in torchrun accelerate deepspeed ray horovodrun python3 sleep; do
		install -m 755 "$top/tests/clients/old_launcher" "$d/old/$name"
	done
	old_script torchrun "node1: torchrun $to" "node2: torchrun $to"
	old_script accelerate \
		"node1: $ac 0 --main_process_ip node1 --main_process_port 29500 train.py" \
		"node2: $ac 1 --main_process_ip node1 --main_process_port 29500 train.py"
	old_script deepspeed \
		'node1: deepspeed --hostfile hosts --master_port 29500 train.py --deepspeed_config ds.json'
	[ "$(cat "$d/home/hosts")" = $'node1 slots=8\nnode2 slots=8' ] ||
		fail "another host file"
	old_script ray \
		'node1: ray start --head --node-ip-address=[0-9.]+ --port=6379 --num-gpus 8 --block' \
		'node2: ray start --address [0-9.]+:6379 --num-gpus 8 --block' \
		'node1: python3 train.py'
	old_script horovod \
		'node1: horovodrun -np 16 -H node1:8,node2:8 python3 train.py'
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
	run_block from-accelerate
	found ddp 16
	run_block from-deepspeed
	found deepspeed 16
	run_block from-horovod
	found horovod 16
	run_block from-mpirun
	[ "$(grep -c '^found .* framework=mpi$' "$d/out")" -eq 32 ] ||
		fail "not 16 ranks twice"
	mkdir -m 777 "$d/ray"
	run_block from-ray "export RAY_STANDIN=$d/ray PYTHONPATH=$top/tests/clients/ray_standin; "
	[ "$(grep -c '^found .* framework=ray$' "$d/out")" -eq 1 ] ||
		fail "Ray's program hasn't run once"
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
