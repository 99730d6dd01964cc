# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# What Huawei's own programs read besides the framework's variables: stand-ins
# that ask as the published ones do.
# clusters: npu
# takes: 0.5
# shellcheck disable=SC2016,SC2034,SC2154 # shared with lib.sh
# shellcheck source-path=SCRIPTDIR/.. source=npus.sh
. "$here/npus.sh"

# The address by which other nodes know this one
program=(sh -c 'export OWN_IP=$(ip -o -4 addr show scope global |
	sed -n "s|.* inet \([0-9.]*\)/.*|\1|p" | head -n 1); exec "$@"' sh
	"$PYTHON" "$top/tests/clients/ascend_programs.py")

# What follows, beside a scheduler that isn't MindSpore's
listen='import os, socket, time
s = socket.create_server((os.environ["MS_SCHED_HOST"], int(os.environ["MS_SCHED_PORT"])))
time.sleep(100)'
worker=(sh -c '[ $MS_ROLE = MS_WORKER ] || exec "$0" -c "$1"; shift
	exec "$@"' "$PYTHON" "$listen")

# places NAME N: N ranks, each with a device of its own
places() {
	[ "$(sed -n "s/^$1 rank=\([0-9]*\) of=$2 device=.*/\1/p" "$d/out" |
		sort -n | xargs)" = "$(seq 0 $(($2 - 1)) | xargs)" ] ||
		fail "$1: not ranks 0 to $(($2 - 1)) of $2"
	[ "$(sed -n "s/^$1 .* device=//p" "$d/out" | sort -u | wc -l)" -eq \
		"$2" ] || fail "$1: two ranks have one device"
}

test_model_collections() {
	local name

	for name in mindspore_models modelzoo_pytorch modelzoo_tensorflow; do
		succeed srun "${pair[@]}" --gres=npu:3 $ascend \
			"${program[@]}" $name
		places $name 6
	done
	succeed srun "${pair[@]}" --gres=npu:2 --dist-train=mindspore \
		"${worker[@]}" "${program[@]}" mindspore_models
	places mindspore_models 4
}

# What a script exports itself stays, and nobody hears of it
# long: tests/spank/scenarios/users-value; exported.variables
test_own_exports() {
	succeed env DEVICE_NUM=3 NPU_CALCULATE_DEVICE=1 srun "${pair[@]}" \
		--gres=npu:3 $ascend sh -c \
		'echo "$DEVICE_NUM $NPU_CALCULATE_DEVICE $NPU_WORLD_SIZE"'
	[ "$(grep -c '^3 1 6$' "$d/out")" -eq 6 ] || fail "not the user's values"
}

# In a rank table of several nodes, of one, and where each node makes it alone
# long: tests/ranktables, tests/core/ascend/test_ranktable; as
# model_collections
test_readers_of_tables() {
	local name n

	for n in 1 2 3 4; do
		echo "node$n 0-7 address=29.17.$n.[10-17] chip=910B"
	done > "$d/inventory"
	chmod 644 "$d/inventory"
	afterwards "plugstack '$plug_line'"
	plugstack "optional $plugin inventory=$d/inventory"
	for name in mindie paddle_ascend; do
		succeed srun "${pair[@]}" --gres=npu:3 $ascend,exchange=tcp \
			"${program[@]}" $name
		places $name 6
		succeed srun -w node3 --gres=npu:2 $ascend "${program[@]}" $name
		places $name 2
		succeed srun "${pair[@]}" --gres=npu:8 $ascend,exchange=none \
			"${program[@]}" $name
		places $name 16
	done
}

# Ranks against the order of addresses: MindSpore's framework numbers servers,
# for the others an address stays one
# long: tests/core/ascend/test_ranktable: numbered_servers
test_order_of_addresses() {
	printf 'node2\nnode2\nnode1\nnode1\n' > "$d/hosts"
	succeed env SLURM_HOSTFILE="$d/hosts" srun -n4 -m arbitrary \
		--gres=npu:2 $ascend "${program[@]}" paddle_ascend
	places paddle_ascend 4
	succeed env SLURM_HOSTFILE="$d/hosts" srun -n4 -m arbitrary \
		--gres=npu:2 --dist-train=mindspore "${worker[@]}" "${check[@]}"
	tables 4
}
