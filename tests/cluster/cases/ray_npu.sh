# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# Ray itself on nodes with NPUs, which it would count by itself.
# clusters: npu npugpu
# shellcheck disable=SC2034,SC2086,SC2154 # shared with lib.sh

limit=180

# The generic resource that NPUs are here
gres() {
	case $cluster in
	*-npugpu) echo gpu:ascend ;;
	*) echo npu ;;
	esac
}

client() {
	need_venv ray
	devices="$venv -W ignore $top/tests/clients/ray_devices.py"
}

is_running() {
	[ -n "$(at squeue -h -t R -o %i)" ]
}

test_npus() {
	client
	background srun -N1 -w node1 --gres="$(gres):3" sleep 100
	until_true 20 is_running
	try srun -w node1,node2 -N2 -c1 --gres="$(gres):2" --dist-train=ray \
		$devices NPU ASCEND_RT_VISIBLE_DEVICES
	kill "$bg"
	[ "$rc" -eq 0 ] || fail "status $rc"
	says '^devices NPU=node1:3,node1:4,node2:0,node2:1 gpus=0 npus=4$'
}

# Those of the node aren't those of the step
test_none() {
	[[ $cluster != *-npugpu ]] || also_in none@npu
	client
	try srun -N2 -c1 --dist-train=ray $devices NPU X
	[ "$rc" -eq 0 ] || fail "status $rc"
	says '^devices NPU= gpus=0 npus=0$'
}
