# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# JAX itself, on CPUs, between the nodes.
# clusters: plain
# shellcheck disable=SC2034,SC2086,SC2154 # shared with lib.sh

limit=150

# The program, as words; JAX_PLATFORMS keeps it from looking for accelerators.
client() {
	need_venv jax
	sum="env JAX_PLATFORMS=cpu $venv $top/tests/clients/jax_sum.py"
}

test_task_mode() {
	client
	try srun -N4 -n5 --dist-train=jax $sum
	ranks_trained 5
	says '^trained .* at=[0-9.]*:21[0-9]* devices=[0-9]$'
}

# Each of a node's two processes has its half of the devices
test_device_mode() {
	client
	try srun -N4 --gres=gpu:4 --dist-train=jax,procs=2 $sum
	ranks_trained 8
	[ "$(grep -c 'devices=0,1$' "$d/out")" -eq 4 ] &&
		[ "$(grep -c 'devices=2,3$' "$d/out")" -eq 4 ] ||
		fail "not the own devices"
}

test_visible_one() {
	client
	try srun -N2 --gres=gpu:2 --dist-train=jax,visible=one $sum
	ranks_trained 4
	[ "$(grep -c 'devices=0$' "$d/out")" -eq 4 ] ||
		fail "not the one device that is seen"
}

# Slurm's number of tasks there is the job's
test_preserve_env_cyclic() {
	client
	batch -N3 -n6 <<-END
	srun -E -N3 -n4 -m cyclic --dist-train=jax $sum
	END
	ranks_trained 4
}

# Nobody is at that port: a rank that asks the proxy never gets through
test_proxy() {
	client
	try env http_proxy=http://127.0.0.1:9 https_proxy=http://127.0.0.1:9 \
		no_proxy=example.org srun -N2 --dist-train=jax $sum
	ranks_trained 2
}

test_failure() {
	client
	try srun -N2 -n3 --dist-train=jax $sum 1 3
	[ "$rc" -ne 0 ] || fail "status 0 though rank 1 failed"
	says_not '^trained'
}

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

test_early_under_launcher() {
	early --dist-train=jax,supervise=yes
}

# Rank 0: how many listen on the coordinator's port
listeners='if 1:
	import os
	port = os.environ["JAX_COORDINATOR_ADDRESS"].rpartition(":")[2]
	if os.environ["SLURM_PROCID"] == "0":
		os.system(f"ss -Hltn sport = :{port} | wc -l")'

test_early_ends_with_program() {
	try srun -N2 --dist-train=jax "$PYTHON" -c "$listeners"
	says '^1$'
	nothing_left
}

# Who isn't Python may speak another protocol on that port
test_early_for_python_alone() {
	try srun -N2 --dist-train=jax sh -c 'exec "$@"' sh \
		"$PYTHON" -c "$listeners"
	says '^0$'
	try srun -N2 --dist-train=jax,supervise=yes sh -c 'exec "$@"' sh \
		"$PYTHON" -c "$listeners"
	says '^0$'
}

# The port is the user's, who may not share it
test_port_of_the_user() {
	try srun -N2 --dist-train=jax,port=21999 "$PYTHON" -c "$listeners"
	says '^0$'
}
