# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# The wheel as alice installs it, who isn't root, where no node has the plugin. How
# it is made and installed otherwise: tests/wheel.
# clusters: exec
# shellcheck disable=SC2016,SC2154 # shared with lib.sh; of that shell

# in_env COMMAND...: in the environment, which all nodes see
in_env() {
	try env PATH="$d/env/bin:/usr/bin:/bin" "$@"
}

# From pip to the end of a first training: two commands
trains() {
	local start

	make_env "$d/env"
	start=${EPOCHREALTIME/./}
	in_env pip install --no-index "$wheel"
	in_env srun -N2 --gpus-per-node=2 dist-train exec ddp,label=yes -- \
		"$ring" 0.5
	[ "$rc" -eq 0 ] &&
		[ "$(grep -c '^[0-3]: ring [0-3]/4 done$' "$d/out")" -eq 4 ] ||
		fail "not four ranks"
	echo "$(((${EPOCHREALTIME/./} - start) / 1000)) ms from pip to the end" \
		>> "$d/note"
}

# What no file of its name is: the launcher, and the stand-in for ssh at both of its
# ends. That srun doesn't know our option.
# takes: 1
test_from_pip() {
	need_wheel
	need_ring
	trains
	in_env srun -N2 --gpus-per-node=2 dist-train exec ddp,grace=1 -- \
		sh -c '[ $RANK -ne 2 ] || exit 5; exec sleep 300'
	[ "$rc" -eq 5 ] || fail "status $rc"
	one_of_ours '^dist-train: rank 2 \(worker\) on node2, .*: exit code 5 '
	in_env srun -N2 dist-train exec \
		deepspeed,run-on=first,profile=infiniband -- sh -c \
		'echo "hca $NCCL_IB_HCA"; ssh node2 "hostname; exit 6"'
	[ "$rc" -eq 6 ] || fail "status $rc"
	says '^hca mlx5$'
	says '^node2$'
	in_env srun -N2 python3 -c 'import dist_train, shutil
print("from", dist_train.__file__, shutil.which("dist-train"))'
	[ "$(grep -c "^from $d/env/.* $d/env/bin/dist-train$" "$d/out")" -eq 2 ] ||
		fail "not from the environment"
}

# With PyTorch, which is Debian's
# long: test_from_pip; PyTorch under exec is exec's other cases
# takes: 1
test_torch() {
	need_wheel
	need_torch
	need_module ensurepip
	dir=$d succeed sh -c "python3 -m venv --system-site-packages env &&
		env/bin/pip install --no-index $wheel"
	in_env srun -N2 --gpus-per-node=2 dist-train exec ddp -- env USE_LIBUV=0 \
		python3 "$top/tests/clients/allreduce.py"
	ranks_trained 4
}
