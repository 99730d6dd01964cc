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

# A step whose tasks aren't in the order of the nodes; the launcher between task
# and program; and two steps at once
# takes: 1
test_open_mpi() {
	need_pmix
	compile_mpi mpicc.openmpi
	try_mpi srun -N4 -n5 -m cyclic --dist-train=mpi "$d/sum"
	ranks_trained 5
	try_mpi srun -N2 -n4 --dist-train=mpi,supervise=yes,label=yes "$d/sum"
	[ "$rc" -eq 0 ] && [ "$(grep -cE \
		'^([0-3]): trained rank=\1 world=4 ' "$d/out")" -eq 4 ] ||
		fail "not four labelled ranks"
	try_mpi bash -c "srun -w node1,node2 -n4 --dist-train=mpi $d/sum & i=\$!
		srun -w node1,node2 -n4 --dist-train=mpi $d/sum && wait \$i"
	[ "$(grep -c '^trained rank=[0-3] world=4 ' "$d/out")" -eq 8 ] ||
		fail "not two times four ranks"
}

# By a user's word, as --mpi= is: MPICH finds its ranks there. Without a word of
# ours it may take the bridge, whose address each node finds at itself; then it
# fails, or waits for ever.
test_mpich() {
	compile_mpi mpicc.mpich
	try srun -N4 -n6 -m cyclic --mpi=pmi2 --dist-train=mpi "$d/sum"
	ranks_trained 6
	says '^trained rank=3 .* node=node4$'
	limit=20
	! at srun -N2 --mpi=pmi2 --dist-train=mpi,nic=off "$d/sum" ||
		echo "this MPICH doesn't take the bridge" > "$d/note"
	try srun -N2 --mpi=pmi2 --dist-train=mpi "$d/sum"
	ranks_trained 2
}

# long: mpi4py trains in mpi.mpi4py, and MPICH in mpi.mpich
# shellcheck disable=SC2086 # words they are
test_mpich_mpi4py() {
	need_venv mpich
	batch -N3 -n3 --dist-train=mpi <<-END
	srun --mpi=pmi2 $venv $top/tests/clients/mpi_sum.py
	END
	ranks_trained 3
	says '^trained rank=2 .* node=node3$'
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

# Beside it, in the same job, is a step without the option
# takes: 1
# shellcheck disable=SC2086 # $sum is two words
test_mpi4py() {
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

# What Open MPI reads, and NVSHMEM, which is told which PMI the step has. Both keep
# what the user says, who may not give Open MPI two lists of interfaces. Nothing of
# it is in steps that don't ask for it, or for another framework.
test_variables() {
	local option show='echo "pmix=${PMIX_RANK-none} pmi=${PMI_RANK-none}" \
		"include=${OMPI_MCA_btl_tcp_if_include-none}" \
		"nvshmem=$NVSHMEM_BOOTSTRAP_PMI" \
		"$NVSHMEM_BOOTSTRAP_UID_SOCK_IFNAME"'

	need_pmix
	for option in none ddp; do
		succeed srun -N2 --dist-train=$option sh -c "$show"
		[ "$(grep -c '^pmix=none pmi=.* include=none nvshmem= $' \
			"$d/out")" -eq 2 ] || fail "$option: PMIx"
	done
	succeed srun -N2 --dist-tr mpi sh -c "$show"
	[ "$(grep -c '^pmix=[01] pmi=.* include=eth0 nvshmem=PMIX eth0$' \
		"$d/out")" -eq 2 ] || fail "no PMIx"
	succeed srun -N2 --mpi=pmi2 --dist-train=mpi sh -c "$show"
	[ "$(grep -c '^pmix=none pmi=[01] include=eth0 nvshmem=PMI-2 eth0$' \
		"$d/out")" -eq 2 ] || fail "not the user's PMI-2"
	succeed env OMPI_MCA_btl_tcp_if_exclude=lo NVSHMEM_BOOTSTRAP_PMI=PMI \
		srun -N2 --dist-train=mpi sh -c "$show"
	[ "$(grep -c ' include=none nvshmem=PMI eth0$' "$d/out")" -eq 2 ] ||
		fail "not as the user says"
	refuse 'mpi finds its ranks through PMI, .*: srun has --mpi=none; ' \
		srun -N2 --mpi=none --dist-train=mpi true
	refuse 'mpi needs one Slurm task per rank, .*; use --ntasks-per-node=4,' \
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
# long: tests/matrix --quick (sid); tests/spank/scenarios/mpi (no mpi_pmix.so)
test_no_pmix() {
	! at srun --mpi=list 2>&1 | grep -qw pmix || skip "this Slurm has PMIx"
	refuse 'mpi finds its ranks through PMI, .*: this Slurm has no mpi_pmix\.so' \
		srun -N1 --dist-train=mpi true
	refuse 'horovod finds its ranks through PMI, .*: this Slurm has no mpi_pmix\.so' \
		srun -N1 --dist-train=horovod true
	succeed srun -N2 --mpi=pmi2 --dist-train=mpi sh -c 'echo "pmi=$PMI_RANK"'
	[ "$(grep -c '^pmi=[01]$' "$d/out")" -eq 2 ] || fail "no PMI-2"
}

# Slurm's PMIx can't spawn; a process that mpirun has started can
# long: mpirun's own doing; that its daemons come up is asserted by rsh.mpirun
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
