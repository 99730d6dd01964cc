# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# contrib/examples for NPUs, which train on CPUs here; the devices and their
# driver are stand-ins.
# clusters: npu
# shellcheck disable=SC2034,SC2154 # shared with lib.sh
# shellcheck source-path=SCRIPTDIR source=../examples.sh
. "$here/examples.sh"

test_ascend() {
	small_training train_ascend.py
	example_batch ascend.sbatch
	says '^[0-9.]+ +0 '
	together 4
	[ "$(grep -c ', NPU [01]: ' "$d/out")" -eq 4 ] || fail "not the NPUs"
}

# long: MindSpore in mindspore_npu
test_mindspore() {
	venv mindspore
	example train_mindspore.py
	together 4
	learns
}
