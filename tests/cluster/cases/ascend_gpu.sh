# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# ascend where NPUs are gres/gpu, which binds a device to each task; also where
# a device cgroup hides the others, so that the runtime counts from 0.
# clusters: npugpu npucgroup
# takes: 0.5
# shellcheck disable=SC2016,SC2034,SC2154 # shared with lib.sh
# shellcheck source-path=SCRIPTDIR/.. source=npus.sh
. "$here/npus.sh"

# long on npugpu: as on npucgroup, where the devices are numbered anew
test_a_device_for_each_task() {
	trains 16 -N2 --ntasks-per-node=8 --gpus-per-task=1 $ascend
	trains 3 -N2 -n3 --gpus-per-task=1 $ascend
}

# long: ascend_gpu.two_jobs_share_nodes@npucgroup (three and five of eight);
# ray_npu.told@npugpu
test_device_mode() {
	trains 16 -N2 --gpus-per-node=8 $ascend
	trains 6 -N2 --gres=gpu:ascend:3 $ascend
}

# long: tests/frameworks/ascend/chip-910A-unequal
test_unequal_servers() {
	local i

	for i in 1 2; do
		devices node$i '{ $6 = "910A" }'
	done
	refused 'node1 has 2 devices and node node2 has 1: 910A needs the same' \
		"${pair[@]}" -n3 --gpus-per-task=1 $ascend
}

# long on npugpu: ascend.two_jobs_share_nodes; as on npucgroup
test_two_jobs_share_nodes() {
	user=bob background srun "${pair[@]}" --gpus-per-node=3 $ascend \
		"${check[@]}" -- sh -c "until [ -e $d/go ]; do sleep 0.1; done"
	until_true 20 eval '[ "$(grep -c "^ascend " "$d/bg.out")" -eq 6 ]' ||
		fail "the first job doesn't start: $(cat "$d/bg.out")"
	trains 10 "${pair[@]}" --gpus-per-node=5 $ascend
	says 'device=7 index=4 '
	trains 4 "${pair[@]}" --ntasks-per-node=2 --gpus-per-task=1 $ascend
	touch "$d/go"
	wait "$bg" || fail "the other job fails: $(cat "$d/bg.out")"
	tables 6 "$d/bg.out"
}
