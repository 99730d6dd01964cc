# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# Open MPI over PMIx and MPICH over PMI-2, between the nodes. Each node has a
# bridge docker0 with the same address: a library that takes it hangs or fails.
# clusters: plain
# shellcheck disable=SC2016,SC2034,SC2154 # shared with lib.sh

limit=60
sum="$PYTHON $top/tests/clients/mpi_sum.py"

need_mpi4py() {
	need_pmix
	need_module mpi4py
}

# shellcheck disable=SC2086 # $sum is two words
test_mpi4py() {
	need_mpi4py
	try_mpi srun -N4 --ntasks-per-node=2 --dist-train=mpi $sum
	ranks_trained 8
	says '^trained rank=7 .* node=node4$'
}

test_open_mpi() {
	need_pmix
	compile_mpi mpicc.openmpi
	try_mpi srun -N4 -n5 -m cyclic --dist-train=mpi "$d/sum"
	ranks_trained 5
}

# By a user's word, as --mpi= is: MPICH finds its ranks there
test_mpich() {
	compile_mpi mpicc.mpich
	try srun -N4 -n6 -m cyclic --mpi=pmi2 --dist-train=mpi "$d/sum"
	ranks_trained 6
	says '^trained rank=3 .* node=node4$'
}

# shellcheck disable=SC2086 # words they are
test_mpich_mpi4py() {
	need_venv mpich
	batch -N3 -n3 --dist-train=mpi <<-END
	srun --mpi=pmi2 $venv $top/tests/clients/mpi_sum.py
	END
	ranks_trained 3
	says '^trained rank=2 .* node=node3$'
}

# Without a word of ours the libraries take the bridge, whose address each node
# finds at itself; then they fail, or wait for ever
test_bridge() {
	compile_mpi mpicc.mpich
	limit=20
	! at srun -N2 --mpi=pmi2 --dist-train=mpi,nic=off "$d/sum" ||
		skip "this MPICH doesn't take the bridge"
	try srun -N2 --mpi=pmi2 --dist-train=mpi "$d/sum"
	ranks_trained 2
}

# RDMA ports stay allowed beside the interface
test_rdma() {
	local i

	need_pmix
	for i in 1 2; do
		as_root node$i 'mkdir -p /run/ib/mlx5_1/ports/1 \
			/run/ib/mlx5_0/ports/1 /run/ib/mlx5_0/ports/2 &&
			mount -t tmpfs tmpfs /sys/class &&
			mkdir /sys/class/infiniband /sys/class/net &&
			mount --bind /run/ib /sys/class/infiniband'
		afterwards "as_root node$i 'umount /sys/class/infiniband \
			/sys/class; rm -r /run/ib'"
	done
	for i in no yes; do
		succeed srun -w 'node[1-2]' --dist-train=mpi,nic=eth0,supervise=$i \
			sh -c 'echo "ucx=$UCX_NET_DEVICES"'
		[ "$(grep -c '^ucx=eth0,mlx5_0:1,mlx5_0:2,mlx5_1:1$' \
			"$d/out")" -eq 2 ] || fail "supervise=$i: not all ports"
	done
	succeed env UCX_NET_DEVICES=mlx5_0:1 srun -w 'node[1-2]' \
		--dist-train=mpi sh -c 'echo "ucx=$UCX_NET_DEVICES"'
	says '^ucx=mlx5_0:1$'
}

# The launcher stands between the task and the program
test_supervised() {
	need_pmix
	compile_mpi mpicc.openmpi
	try_mpi srun -N2 -n4 --dist-train=mpi,supervise=yes,label=yes "$d/sum"
	[ "$rc" -eq 0 ] && [ "$(grep -cE \
		'^([0-3]): trained rank=\1 world=4 ' "$d/out")" -eq 4 ] ||
		fail "not four labelled ranks"
}

# shellcheck disable=SC2086
test_batch() {
	need_mpi4py
	batch -N2 -n4 --dist-train=mpi <<-END
	srun $sum
	srun --dist-train=none sh -c 'echo "pmix=\${PMIX_RANK-none}"'
	END
	says '^trained rank=3 world=4 '
	[ "$(grep -c '^trained rank=[0-3] world=4 ' "$d/out")" -eq 4 ] ||
		fail "not four ranks"
	[ "$(grep -c '^pmix=none$' "$d/out")" -eq 4 ] ||
		fail "a step without the option has PMIx"
}

# shellcheck disable=SC2086
test_failure() {
	need_mpi4py
	try srun -N2 -n3 --dist-train=mpi $sum 1 3
	[ "$rc" -ne 0 ] || fail "status 0 though rank 1 failed"
	says_not '^trained'
}

test_two_at_once() {
	need_pmix
	compile_mpi mpicc.openmpi
	try bash -c "for i in 1 2; do
		srun -w node1,node2 -n4 --dist-train=mpi $d/sum & done; wait"
	[ "$(grep -c '^trained rank=[0-3] world=4 ' "$d/out")" -eq 8 ] ||
		fail "not two times four ranks"
}

# Nothing of it in steps that don't ask for it, or for another framework
test_only_where_needed() {
	local option

	need_pmix
	for option in none ddp; do
		succeed srun -N2 --dist-train=$option sh -c \
			'echo "pmix=${PMIX_RANK-none} ${OMPI_MCA_btl_tcp_if_include-none}"'
		[ "$(grep -c '^pmix=none none$' "$d/out")" -eq 2 ] ||
			fail "$option: PMIx"
	done
	succeed srun -N2 --dist-tr mpi sh -c \
		'echo "pmix=$PMIX_RANK $OMPI_MCA_btl_tcp_if_include"'
	[ "$(grep -c '^pmix=[01] eth0$' "$d/out")" -eq 2 ] || fail "no PMIx"
}

test_users_choice() {
	need_pmix
	refuse 'mpi finds its ranks through PMI, .*: srun has --mpi=none; ' \
		srun -N2 --mpi=none --dist-train=mpi true
	succeed srun -N2 --mpi=pmi2 --dist-train=mpi sh -c \
		'echo "pmix=${PMIX_RANK-none} pmi=$PMI_RANK"'
	[ "$(grep -c '^pmix=none pmi=[01]$' "$d/out")" -eq 2 ] ||
		fail "not the user's PMI-2"
	succeed env OMPI_MCA_btl_tcp_if_exclude=lo srun -N2 --dist-train=mpi \
		sh -c 'echo "include=${OMPI_MCA_btl_tcp_if_include-none}"'
	[ "$(grep -c '^include=none$' "$d/out")" -eq 2 ] ||
		fail "two lists of interfaces, which Open MPI refuses"
}

test_device_mode() {
	need_pmix
	refuse 'mpi needs one Slurm task per rank, .*; use --ntasks-per-node=4 for 8 ranks' \
		srun -N2 --gres=gpu:4 --dist-train=mpi true
	succeed srun -N2 --gres=gpu:4 --ntasks-per-node=4 --dist-train=mpi \
		sh -c 'echo "rank=$PMIX_RANK device=$DIST_TRAIN_DEVICES"'
	[ "$(grep -cE '^rank=[0-7] device=[0-3]$' "$d/out")" -eq 8 ] ||
		fail "not a device for each rank"
}

test_turned_off() {
	need_pmix
	plugstack "optional $plugin mpi=off"
	afterwards "plugstack '$plug_line'"
	refuse 'mpi finds its ranks .*: the administrator has turned it off' \
		srun -N2 --dist-train=mpi true
	succeed srun -N2 --mpi=pmix --dist-train=mpi true
}

# A Slurm without PMIx, as Debian's of 26.05 is
test_no_pmix() {
	! at srun --mpi=list 2>&1 | grep -qw pmix || skip "this Slurm has PMIx"
	refuse 'mpi finds its ranks through PMI, .*: this Slurm has no mpi_pmix\.so' \
		srun -N1 --dist-train=mpi true
	refuse 'horovod finds its ranks through PMI, .*: this Slurm has no mpi_pmix\.so' \
		srun -N1 --dist-train=horovod true
	succeed srun -N2 --mpi=pmi2 --dist-train=mpi sh -c 'echo "pmi=$PMI_RANK"'
	[ "$(grep -c '^pmi=[01]$' "$d/out")" -eq 2 ] || fail "no PMI-2"
}

# NVSHMEM is told which PMI the step has, and keeps what the user says
test_nvshmem() {
	need_pmix
	local show='echo "pmi=$NVSHMEM_BOOTSTRAP_PMI"
		echo "nic=$NVSHMEM_BOOTSTRAP_UID_SOCK_IFNAME"'

	succeed srun -N2 --dist-train=mpi sh -c "$show"
	says '^pmi=PMIX$'
	says '^nic=eth0$'
	succeed srun -N2 --mpi=pmi2 --dist-train=mpi sh -c "$show"
	says '^pmi=PMI-2$'
	succeed env NVSHMEM_BOOTSTRAP_PMI=PMI srun -N2 --dist-train=mpi \
		sh -c "$show"
	says '^pmi=PMI$'
}

# Slurm's PMIx can't spawn; a process that mpirun has started can
test_spawn() {
	need_mpi4py
	cat > "$d/spawn.py" <<-'END'
	import os
	from mpi4py.futures import MPIPoolExecutor
	def where(number):
	    return os.environ["SLURMD_NODENAME"], number ** 2
	if __name__ == "__main__":
	    with MPIPoolExecutor(3) as pool:
	        found = list(pool.map(where, range(6)))
	    print("spawned sum", sum(f[1] for f in found), flush=True)
	END
	succeed_mpi srun -w node1,node2 -N2 --ntasks-per-node=1 \
		--dist-train=mpi,run-on=first,procs=2 mpirun.openmpi -n 1 \
		/usr/bin/python3 "$d/spawn.py"
	says '^spawned sum 55$'
}
