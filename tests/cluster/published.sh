# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# Batch scripts as they are published, in short: their lines, and nothing of
# ours. Sourced by cases.
# shellcheck disable=SC2016,SC2034,SC2154 # of the scripts; shared with others

limit=120

# published: $d/sbatch_run, and $head for scripts: what they begin with
published() {
	need_torchrun
	reduce="$top/tests/clients/allreduce.py"
	torchrun="$PYTHON -m torch.distributed.run"
	# and what this torch wants to be told on Debian 12
	head='export PET_REDIRECTS=1 PET_TEE=1 OMP_NUM_THREADS=1 LOGLEVEL=INFO
nodes=( $( scontrol show hostnames $SLURM_JOB_NODELIST ) )
nodes_array=($nodes)
head_node=${nodes_array[0]}
head_node_ip=$(srun --nodes=1 --ntasks=1 -w "$head_node" hostname --ip-address)
echo Node IP: $head_node_ip'
	{
		echo "$head"
		echo "srun $torchrun --nnodes 2 --nproc_per_node 1" \
			"--rdzv_id 2024 --rdzv_backend c10d" \
			"--rdzv_endpoint \$head_node_ip:29500 $reduce"
	} > "$d/sbatch_run"
}

# published_trained N: all N ranks of the last job, in one world; torchrun may
# have put words before their lines
published_trained() {
	[ "$(grep -o "trained rank=[0-9]* world=$1 " "$d/out" | sort -u |
		wc -l)" -eq "$1" ] || fail "not $1 ranks in one world"
}

# A Ray cluster by hand. Its folder is one that nobody else has, and goes.
ray_script() {
	local ray=${venv%/*}/ray

	cat <<-END
	export RAY_USAGE_STATS_ENABLED=0 tmp=/tmp/by-hand.\$SLURM_JOB_ID
	nodes=\$(scontrol show hostnames "\$SLURM_JOB_NODELIST")
	nodes_array=(\$nodes)
	head_node=\${nodes_array[0]}
	head_node_ip=\$(srun --nodes=1 --ntasks=1 -w "\$head_node" hostname --ip-address)
	ip_head=\$head_node_ip:6379
	export ip_head
	srun --nodes=1 --ntasks=1 -w "\$head_node" \
	    $ray start --head --node-ip-address="\$head_node_ip" --port=6379 \
	    --temp-dir=\$tmp --include-dashboard=false \
	    --num-cpus "\$SLURM_CPUS_PER_TASK" --block > /dev/null &
	until $ray status --address "\$ip_head" > /dev/null 2>&1; do :; done
	srun --nodes=1 --ntasks=1 -w "\${nodes_array[1]}" \
	    $ray start --address "\$ip_head" --temp-dir=\$tmp \
	    --num-cpus "\$SLURM_CPUS_PER_TASK" --block > /dev/null &
	timeout 60 $venv -u -c 'import os, time, ray
	ray.init(address=os.environ["ip_head"], log_to_driver=False)
	while sum(n["Alive"] for n in ray.nodes()) < 2:
	    time.sleep(0.2)
	print("cluster of", len(ray.nodes()))'
	$ray stop > /dev/null 2>&1
	scancel \$SLURM_JOB_ID.1 \$SLURM_JOB_ID.2
	wait
	srun --overlap rm -rf \$tmp
	END
}
