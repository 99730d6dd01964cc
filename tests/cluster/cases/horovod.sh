# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# Horovod itself with PyTorch: over MPI, and over Gloo with dist-train-kv.
# clusters: plain
# shellcheck disable=SC2034,SC2086,SC2154 # shared with lib.sh

limit=120

client() {
	need_venv horovod
	sum="$venv -W ignore $top/tests/clients/horovod_sum.py"
}

test_mpi() {
	client
	try srun -N3 --ntasks-per-node=2 --dist-train=horovod $sum
	ranks_trained 6
	says '^trained rank=5 .* node=node3 local=1 cross=2/3$'
}

test_batch() {
	client
	batch -N2 -n2 --dist-train=horovod <<-END
	srun $sum
	END
	ranks_trained 2
}

# The service is on another host than the ranks: nothing else joins them
test_gloo() {
	client
	try "$top/tests/clients/horovod_gloo.sh" "${launcher%-launch}-kv" \
		-N3 --ntasks-per-node=2 --dist-train=horovod $sum
	ranks_trained 6
	says '^trained rank=5 .* node=node3 local=1 cross=2/3$'
}

test_refusals() {
	refuse 'HOROVOD_CONTROLLER=gloo: the key-value service' \
		env HOROVOD_CONTROLLER=gloo srun -N2 --dist-train=horovod true
	refuse 'horovod finds its ranks through PMI, ' \
		srun -N2 --mpi=none --dist-train=horovod true
	refuse 'horovod takes one Slurm task per rank' \
		srun -N2 --gres=gpu:2 --dist-train=horovod true
}
