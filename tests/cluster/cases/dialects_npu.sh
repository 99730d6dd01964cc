# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# Platforms with NPUs.
# clusters: npu
# shellcheck disable=SC2016,SC2034,SC2154 # shared with lib.sh
# shellcheck source-path=SCRIPTDIR/.. source=npus.sh
. "$here/npus.sh"

# ModelArts' Ascend engine starts the file once per device, with the table
test_modelarts_ascend() {
	trains 4 -N2 --gres=npu:2 --dist-train=ascend,dialect=modelarts
	try srun -w 'node[1-2]' --gres=npu:2 \
		--dist-train=ascend,dialect=modelarts sh -c \
		'echo "$RANK_ID/$RANK_SIZE $ASCEND_DEVICE_ID $MA_TASK_INDEX" \
		"$VC_WORKER_HOSTS"; test -s "$RANK_TABLE_FILE"'
	[ "$rc" -eq 0 ] || fail "status $rc"
	for n in 0 1 2 3; do
		says "^$n/4 [0-9] $((n / 2)) ([0-9.]+),[0-9.]+\$"
	done
}
