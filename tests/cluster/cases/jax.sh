# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# JAX itself, on CPUs, between the nodes.
# clusters: plain
# takes: 1
# shellcheck disable=SC2034,SC2086,SC2154 # shared with lib.sh

limit=150

# The program, as words; JAX_PLATFORMS keeps it from looking for accelerators.
client() {
	need_venv jax
	sum="env JAX_PLATFORMS=cpu $venv $top/tests/clients/jax_sum.py"
}

# Each of a node's two processes has its half of the devices. A rank that asks the
# proxy never gets through: nobody is at that port.
test_device_mode() {
	client
	try env http_proxy=http://127.0.0.1:9 https_proxy=http://127.0.0.1:9 \
		no_proxy=example.org srun -N2 -w node1,node2 --gres=gpu:4 \
		--dist-train=jax,procs=2 $sum
	ranks_trained 4
	says '^trained .* at=[0-9.]*:21[0-9]* devices=[0-9,]*$'
	[ "$(grep -c 'devices=0,1$' "$d/out")" -eq 2 ] &&
		[ "$(grep -c 'devices=2,3$' "$d/out")" -eq 2 ] ||
		fail "not the own devices"
}

# long: jax.early and jax.failure are in task mode, and the variables in
# tests/frameworks/jax/4-nodes-5-tasks
test_task_mode() {
	client
	try srun -N4 -n5 --dist-train=jax $sum
	ranks_trained 5
	says '^trained .* at=[0-9.]*:21[0-9]* devices=[0-9]$'
}

# long: JAX_LOCAL_DEVICE_IDS is in tests/frameworks/jax/visible-one, and that
# JAX takes it is shown by jax.device_mode
test_visible_one() {
	client
	try srun -N2 --gres=gpu:2 --dist-train=jax,visible=one $sum
	ranks_trained 4
	[ "$(grep -c 'devices=0$' "$d/out")" -eq 4 ] ||
		fail "not the one device that is seen"
}

# long: the numbers of Slurm's that JAX reads are asserted by jax.slurms_numbers
test_preserve_env_cyclic() {
	client
	batch -N3 -n6 <<-END
	srun -E -N3 -n4 -m cyclic --dist-train=jax $sum
	END
	ranks_trained 4
}

# Slurm's number of tasks is the job's there; JAX would take it for the step's
# takes: 0.5
test_slurms_numbers() {
	batch -N3 -n6 <<-'END'
	srun -E -N3 -n4 -m cyclic --dist-train=jax sh -c '
		echo "jax $SLURM_NTASKS $SLURM_PROCID $SLURM_LOCALID" \
		"$JAX_COORDINATOR_ADDRESS" \
		"$([ $SLURM_PROCID != 0 ] || getent ahostsv4 $SLURMD_NODENAME | sed "s/ .*//;q")"'
	END
	[ "$(grep -c "^jax 4 [0-3] [01] [0-9.]*:21[0-9]* " "$d/out")" -eq 4 ] ||
		fail "not four ranks"
	[ "$(sed -n 's/^jax 4 \([0-3]\) .*/\1/p' "$d/out" | sort -u |
		wc -l)" -eq 4 ] || fail "a rank twice"
	says '^jax 4 0 0 ([0-9.]*):21[0-9]* \1$'
	[ "$(grep -o ':21[0-9]* ' "$d/out" | sort -u | wc -l)" -eq 1 ] ||
		fail "not one port"
}

# One line names the rank whose peer waits for it
test_failure() {
	client
	try srun -N2 -n2 --dist-train=jax,supervise=yes,grace=1 $sum 1 3
	[ "$rc" -eq 3 ] || fail "status $rc, not the rank's"
	one_of_ours '^dist-train: rank 1 \(worker\) on node2, .*: exit code 3 .*\(first failure\)'
	says_not '^trained'
}

# long: that steps at once have different ports is asserted by
# torch.eight_steps_of_one_job, of the port that all frameworks have
test_two_at_once() {
	client
	try bash -c "for i in 1 2; do
		srun -N2 -n2 -w node1,node2 --dist-train=jax $sum &
		done; wait"
	[ "$(grep -c '^trained .* world=2 ' "$d/out")" -eq 4 ] ||
		fail "not two times two ranks"
	[ "$(grep -o ' at=[^ ]*' "$d/out" | sort -u | wc -l)" -eq 2 ] ||
		fail "not two ports"
}

# Rank 0 starts JAX when rank 1 is connected to its port
early() {
	need_venv jax
	try env JAX_PLATFORMS=cpu srun -N2 -n2 "$@" $venv \
		$top/tests/clients/jax_late.py
	[ "$(grep -c '^trained ' "$d/out")" -eq 2 ] || fail "not two ranks"
	says '^nobody but JAX listens'
}

test_early() {
	early --dist-train=jax
}

# long: jax.early without the launcher; who listens, and until when, is asserted
# with it by jax.early_listener
test_early_under_launcher() {
	early --dist-train=jax,supervise=yes
}

# Rank 0: how many listen on the coordinator's port
listeners='if 1:
	import os
	port = os.environ["JAX_COORDINATOR_ADDRESS"].rpartition(":")[2]
	if os.environ["SLURM_PROCID"] == "0":
		os.system(f"ss -Hltn sport = :{port} | wc -l")'

# listen N SRUN-ARGUMENT...
listen() {
	try srun -N2 "${@:2}"
	says "^$1\$"
}

# It ends with the program. Who isn't Python may speak another protocol on that
# port, and a port of the user's is one that he may not share.
# takes: 0.5
test_early_listener() {
	listen 1 --dist-train=jax "$PYTHON" -c "$listeners"
	nothing_left
	listen 1 --dist-train=jax,supervise=yes "$PYTHON" -c "$listeners"
	listen 0 --dist-train=jax sh -c 'exec "$@"' sh "$PYTHON" -c "$listeners"
	listen 0 --dist-train=jax,supervise=yes sh -c 'exec "$@"' sh \
		"$PYTHON" -c "$listeners"
	listen 0 --dist-train=jax,port=21999 "$PYTHON" -c "$listeners"
}
