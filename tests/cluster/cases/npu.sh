# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# NPUs and their addresses, as each node's driver tells them. The nodes have the
# stand-ins of contrib/cluster.d/npu at the real places; users can't read
# /etc/hccn.conf.
# clusters: npu
# shellcheck disable=SC2034,SC2154 # shared with lib.sh

tool=$prefix/bin/dist-train

# line NODE-NUMBER [FIRST-BYTES]: of the inventory
line() {
	local i list=

	for i in 10 11 12 13 14 15 16 17; do
		list+=,${2:-29.17}.$1.$i
	done
	echo "node$1 0,1,2,3,4,5,6,7 address=${list#,} chip=910B"
}

# long: tests/helpers/cli/node/test_devices (dcmi); npu.inventory
test_devices() {
	succeed srun -N4 --gres=npu:8 "$tool" devices --inventory
	[ "$(sort "$d/out")" = "$(for i in 1 2 3 4; do line "$i"; done)" ] ||
		fail "not the lines of four nodes"
	succeed srun -w node3 --gres=npu:8 "$tool" devices
	says '^ +7 +7 +910B +- +- +dcmi +29\.17\.3\.17$'
}

# The site guide's one command, and a node whose address has changed since
test_inventory() {
	at srun -N4 -w 'node[1-4]' --gres=npu:8 "$tool" devices \
		--inventory > "$d/inventory" || fail "no inventory"
	succeed srun -N4 --gres=npu:8 "$tool" devices \
		--against="$d/inventory" --devices-from=inventory
	as_root node2 "sed -i 's/29.17.2.13/29.99.2.13/' /etc/npu-standin/devices"
	afterwards "as_root node2 'sed -i s/29.99/29.17/ /etc/npu-standin/devices'"
	refuse 'NPU 3 of node node2 has 29.99.2.13 .*the inventory .* says 29.17.2.13' \
		srun -N4 --gres=npu:8 "$tool" devices \
		--against="$d/inventory" --inventory
	chmod 600 "$d/inventory"
	refuse "inventory: the job's user can't read it" \
		srun -N1 --gres=npu:8 "$tool" devices --against="$d/inventory"
}

# The plugin takes the argument
# long: tests/spank/scenarios/args-wrong; exchange.none uses it
test_inventory_argument() {
	afterwards "plugstack '$plug_line'"
	plugstack "optional $plugin inventory=/etc/npus"
	succeed srun -N2 --gres=npu:2 --dist-train=ddp true
	plugstack "optional $plugin inventory=npus"
	refuse "inventory='npus': must be an absolute path" \
		srun -N2 --gres=npu:2 --dist-train=ddp true
}

test_hccn_conf() {
	refuse 'only root can read /etc/hccn.conf.*chmod 644' \
		srun -N1 --gres=npu:8 "$tool" devices --devices-from=hccn-conf
	as_root node1 'chmod 644 /etc/hccn.conf'
	afterwards "as_root node1 'chmod 640 /etc/hccn.conf'"
	as_root node1 'sed -i s/29.17.1.13/29.99.1.13/ /etc/hccn.conf'
	afterwards "as_root node1 'sed -i s/29.99/29.17/ /etc/hccn.conf'"
	try srun -w node1 --gres=npu:8 "$tool" devices --inventory
	one_line '/etc/hccn.conf says that NPU 3 has 29.99.1.13, but it has 29.17.1.13'
	[ "$out" = "$(line 1)" ] || fail "not what the device has"
}

# Two users' jobs ask at the same time: the tool serves one of them
# long: tests/helpers/cli/node/test_devices: hccn_tool_busy,
# hccn_tool_lock_held
test_two_jobs() {
	mode node1 hccn_tool 'slow 0.05'
	user=bob background srun -w node1 --gres=npu:4 "$tool" devices \
		--inventory --devices-from=hccn-tool
	try srun -w node1 --gres=npu:4 "$tool" devices \
		--inventory --devices-from=hccn-tool
	[ "$out" = "$(line 1)" ] || fail "not all addresses"
	wait "$bg" || fail "the other job fails"
	[ "$(< "$d/bg.out")" = "$(line 1)" ] || fail "not all of the other's"
}

# long: tests/helpers/cli/node/test_devices: dcmi_hangs, hccn_tool_hangs
test_hanging_driver() {
	mode node2 dcmi hang
	mode node2 hccn_tool hang
	try srun -w 'node[1-2]' --gres=npu:8 "$tool" devices --inventory \
		--timeout=4
	says '^node1 .*29.17.1.17'
	ours | grep -q 'node node2: dcmi: no end after 2.0 s' ||
		fail "DCMI isn't named"
	ours | grep -q 'node node2: hccn-tool: device 0: no end after' ||
		fail "hccn_tool isn't named"
	within 25
}

# long: tests/helpers/cli/node/test_devices: missing; ascend.missing_device
test_device_that_the_driver_lacks() {
	as_root node1 "sed -i 's/^5 /55 /' /etc/npu-standin/devices"
	afterwards "as_root node1 'sed -i \"s/^55 /5 /\" /etc/npu-standin/devices'"
	refuse "Slurm allocated NPU 5 on node node1, but the driver doesn't know it" \
		srun -w node1 --gres=npu:8 "$tool" devices
}
