# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# Launchers that start the workers themselves, one per node, with the newest
# PyTorch; the lines are those of doc/frameworks/torchrun.md.
# clusters: plain
# takes: 1
# long: their environments are large; that what torchrun reads is there is
# asserted by tests/frameworks/torchrun/* and others.torchrun
# shellcheck disable=SC2016,SC2034,SC2154 # shared with lib.sh
# shellcheck source-path=SCRIPTDIR source=../examples.sh
. "$here/examples.sh"

limit=240
clients=$top/tests/clients

# The command is in the environment of torch alone, and starts that python
own_torchrun() {
	mkdir -p "$d/bin"
	printf '#!/bin/sh\nexec %s -m torch.distributed.run "$@"\n' "$venv" \
		> "$d/bin/torchrun"
	chmod 755 "$d/bin/torchrun"
}

# launch PROGRAM...: with $venv's programs in PATH, as after `activate`; two
# workers on each of two nodes
launch() {
	own_torchrun
	try env PATH="$d/bin:${venv%/*}:/usr/bin:/bin" OMP_NUM_THREADS=1 \
		srun -N2 --gres=gpu:2 --dist-train=torchrun "$@"
	[ "$rc" -eq 0 ] || fail "status $rc"
	[ -z "$(ours)" ] || fail "unexpected: $(ours)"
}

test_accelerate_launch() {
	need_venv torch_users
	dir=$d launch sh -c 'exec accelerate launch \
		--multi_gpu --num_machines $PET_NNODES \
		--num_processes $((PET_NNODES * PET_NPROC_PER_NODE)) \
		--machine_rank $PET_NODE_RANK --same_network \
		--main_process_ip $PET_MASTER_ADDR \
		--main_process_port $PET_MASTER_PORT "$0"' \
		"$top/contrib/examples/train_accelerate.py"
	together 4
}

# Lightning takes torchrun's numbers before Slurm's
test_lightning_under_torchrun() {
	need_venv torch_users
	launch torchrun "$clients/lightning_trainer.py" 2 2
	ranks_trained 4
	[ "$(grep -c '^trained .* cluster=TorchElasticEnvironment$' \
		"$d/out")" -eq 4 ] || fail "another environment of Lightning's"
}

# NVIDIA's: its only rendezvous is c10d, which needs an endpoint
test_ft_launcher() {
	need_venv torch_launchers
	launch sh -c 'exec ft_launcher \
		--rdzv-endpoint=$PET_MASTER_ADDR:$PET_MASTER_PORT \
		--rdzv-id=$SLURM_JOB_ID "$0"' "$clients/train.py"
	ranks_trained 4
}

# Two commands that start torchrun by variables. What their workers would
# train isn't installed; tests/clients/standin has the client instead.
test_llama_factory() {
	need_venv torch_launchers
	launch env PYTHONPATH="$clients/standin" llamafactory-cli train \
		llama3_lora_sft.yaml
	ranks_trained 4
}

test_ms_swift() {
	need_venv torch_launchers
	launch env PYTHONPATH="$clients/standin" MODELSCOPE_CACHE="$d/cache" \
		swift sft --model tiny
	ranks_trained 4
	[ "$(grep -c '^run sh: `.* -m torch.distributed.run .*--nnodes 2 ' \
		"$d/out")" -eq 2 ] || fail "swift hasn't started torchrun"
}

# need_titan: or skip. $titan are the arguments: torchtitan's debug model, its
# tensors split over four ranks; its data are in $d, where it has to start
need_titan() {
	need_venv torchtitan
	try "$venv" "$clients/titan_data.py" "$d"
	[ "$rc" -eq 0 ] || fail "no data"
	titan="-m titan_cpu --module llama3 --config llama3_debugmodel \
		--parallelism.data_parallel_shard_degree 1 \
		--parallelism.tensor_parallel_degree 4 --training.steps 3 \
		--training.seq_len 64 --training.local_batch_size 2 \
		--dump_folder $d/dump"
	titan_env="PYTHONPATH=$clients HF_HOME=$d/cache TORCH_COMPILE_DISABLE=1"
}

titan_trained() {
	[ "$(cat "$d/out" "$d/err" | grep -c 'step:  3 .*loss: ')" -eq 4 ] ||
		fail "not four ranks have trained three steps"
}

# shellcheck disable=SC2086 # words they are
test_torchtitan() {
	need_titan
	dir=$d launch env $titan_env torchrun $titan
	titan_trained
}

# The lines of its multinode_trainer.slurm, and the option in the header
test_torchtitan_batch() {
	need_titan
	own_torchrun
	dir=$d batch -N2 --ntasks=2 --gpus-per-task=2 --dist-train=torchrun <<-END
	export PATH=$d/bin:${venv%/*}:\$PATH OMP_NUM_THREADS=1 $titan_env
	nodes=(\$(scontrol show hostnames "\$SLURM_JOB_NODELIST"))
	head=\$(srun --nodes=1 --ntasks=1 -w "\${nodes[0]}" hostname --ip-address)
	echo "head: \$head"
	srun torchrun --nnodes 2 --nproc_per_node 2 --rdzv_id 101 \
		--rdzv_backend c10d --rdzv_endpoint "\$head:29500" \
		$(xargs <<< "$titan")
	END
	says '^head: 10[.0-9]*$'
	titan_trained
}
