#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A step of a hostile user: the variables between srun and the nodes are what he
# likes, and his srun has no plugin that would replace them.
#
#	forged.sh FOLDER features|all srun-ARGUMENT...
#
# features: a list of a million names in 116 kB; all: every variable is as long
# as the kernel takes it, and what should be a descriptor is one of slurmstepd's.
# Call it in an allocation: the variables then name the step.
set -u
folder=$1 what=$2
shift 2

conf=$folder/slurm.conf
grep -v '^PlugStackConfig' "$SLURM_CONF" > "$conf"
echo "PlugStackConfig=$folder/no-plugins" >> "$conf"
# This is how Slurm itself passes an option on
export _SLURM_SPANK_OPTION_dist_train_dist_train=${OPTION-ddp}
export SLURM_DIST_TRAIN_HANDOVER=2:${SLURM_JOB_ID-7}.${STEP-0}

many() {
	head -c $(($2 * ${#1})) < <(yes "$1" | tr -d '\n')
}

list="n[$(many 1, 58000)1-900000]"
export "SLURM_DIST_TRAIN_FEATURES=ib=$list"
if [ "$what" = all ]; then
	export "SLURM_JOB_PARTITION=$(many p 130000)"
	export "SLURM_DIST_TRAIN_NODE=$list"
	export "SLURM_DIST_TRAIN_ADDR=$(many 1. 60000)"
	export "SLURM_DIST_TRAIN_ADDRS=$list"
	export "SLURM_DIST_TRAIN_GRES=$list:$(many 0, 5000)0"
	export 'SLURM_DIST_TRAIN_PROCS=1000000(x1000000)'
	export "SLURM_DIST_TRAIN_TASKMAP=$(many '0(x9),' 20000)0"
	export "SLURM_DIST_TRAIN_CREDENTIAL=$(many 'MUNGE:AAAA' 13000)"
	export "SLURM_DIST_TRAIN_PROFILE=$(many A=1 40000)"
	export SLURM_DIST_TRAIN_VISIBLE=CUDA_VISIBLE_DEVICES=
	export 'SLURM_DIST_TRAIN_GPUS=a[1-999999][1-999999]'
	export SLURM_DIST_TRAIN_ARGV0=/bin/false
	export SLURM_DIST_TRAIN_REQUEST=none
	for name in SECRET HCCN MEMORY; do
		export SLURM_DIST_TRAIN_$name=${FD-5}
	done
fi
SLURM_CONF=$conf exec srun "$@"
