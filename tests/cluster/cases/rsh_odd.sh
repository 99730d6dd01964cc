# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# run-on=first where NodeName is neither the host's name nor one to look up.
# clusters: odd
# shellcheck disable=SC2016,SC2034,SC2154 # shared with lib.sh

limit=60

# For mpirun; by NodeName; and by NodeAddr, which is an address
# takes: 1
test_hosts() {
	mpirun_on_all
	try srun -w n1,n3 --dist-train=mpi,run-on=first sh -c '
		ssh n3 "echo \"name \$SLURMD_NODENAME\""
		ssh "${DIST_TRAIN_HOST_ADDRS#*,}" "echo \"addr \$SLURMD_NODENAME\""
		ssh n2 true; echo "code $?"'
	[ "$rc" -eq 0 ] || fail "status $rc"
	says '^name n3$'
	says '^addr n3$'
	says '^code 255$'
}
