# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# Nodes of a super pod: 16 dies on eight cards, each with a super device id.
# clusters: superpod
# shellcheck disable=SC2034,SC2154 # shared with lib.sh

tool=$prefix/bin/dist-train

# long: tests/helpers/cli/node/test_devices (super_pod); ascend_pod.super_pod
test_super_pod() {
	succeed srun -N2 --gres=npu:16 "$tool" devices --inventory
	[ "$(grep -c 'pod=0 chip=910C' "$d/out")" -eq 2 ] ||
		fail "no super pod"
	says '^node2 0,1,.*,14,15 address=29.17.2.10,.*,29.17.2.25 sdid=524288,.*,524303 pod=0'
	mode node1 dcmi fail
	succeed srun -w node1 --gres=npu:16 "$tool" devices
	says '^ +15 +15 +910C +262159 +0 +hccn-tool +29\.17\.1\.25$'
	says 'npu-smi: answered'
}
