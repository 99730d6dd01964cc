# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# Ray on nodes with NPUs, which it would count by itself.
# clusters: npu npugpu
# shellcheck disable=SC2034,SC2086,SC2154 # shared with lib.sh
# shellcheck source-path=SCRIPTDIR source=../ray.sh
. "$here/ray.sh"

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

# What each node's Ray is started with: the NPUs that Slurm chose, and none where
# Slurm gave none
test_told() {
	standin
	background srun -N1 --gres="$(gres):3" -w node1 sleep 100
	until_true 20 is_running
	try srun $with -w node1,node2 -N2 -c1 --gres="$(gres):2" \
		--dist-train=ray $place
	kill "$bg"
	[ "$rc" -eq 0 ] || fail "status $rc"
	told_words node1 --num-gpus=0 '"NPU": 2}'
	told_words node2 --num-gpus=0 '"NPU": 2}'
	told node1 ASCEND_RT_VISIBLE_DEVICES=3,4
	told node2 ASCEND_RT_VISIBLE_DEVICES=0,1
	rm "$d"/ray/*
	try srun $with -w node1,node2 -N2 -c1 --dist-train=ray $place
	[ "$rc" -eq 0 ] || fail "status $rc"
	told_words node1 --num-gpus=0 '"NPU": 0}'
}

# long: ray_npu.told has the numbers and ids that Ray is started with
# takes: 1
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
no_npus() {
	client
	try srun -N2 -c1 --dist-train=ray $devices NPU X
	[ "$rc" -eq 0 ] || fail "status $rc"
	says '^devices NPU= gpus=0 npus=0$'
}

# clusters: npu
# long: ray_npu.told has the numbers and ids that Ray is started with
# takes: 1
test_none() {
	no_npus
}

# clusters: npugpu
# long: none; a step without the resource doesn't see its name
# takes: 1
test_none_as_gpu() {
	no_npus
}
