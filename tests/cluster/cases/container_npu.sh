# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# ascend in a container as pyxis enters it: the addresses of the NPUs come from
# outside, and each process can read the rank table.
# clusters: npu
# shellcheck disable=SC2016,SC2034,SC2154 # shared with lib.sh
# shellcheck source-path=SCRIPTDIR/.. source=../npus.sh
. "$here/npus.sh"
# shellcheck source-path=SCRIPTDIR/.. source=../container.sh
. "$here/container.sh"

# What a process can tell of its table and its device with a shell alone; the
# first one shows the table
look='t=$RANK_TABLE_FILE
	[ -f "$t" ] && [ ! -L "$t" ] || { echo "no file: $t"; exit 1; }
	case $t in *.json) ;; *) echo "$t"; exit 1 ;; esac
	[ -c "/dev/davinci$ASCEND_DEVICE_ID" ] || exit 1
	[ "$RANK_ID" = 0 ] && cat "$t"
	echo "ascend rank=$RANK_ID size=$RANK_SIZE node=$SLURMD_NODENAME" \
		"device=$ASCEND_DEVICE_ID md5=$(md5sum < "$t" | cut -c 1-32) ."'

# reads_table N SRUN-ARGUMENT...
reads_table() {
	succeed srun "${into[@]}" "${@:2}" /bin/sh -c "$look"
	tables "$1"
	sed '/^ascend /d' "$d/out" > "$d/table.json"
	node=node1 at "$tool" ranktable check "$d/table.json" ||
		fail "the table in the container is wrong"
}

test_rank_table() {
	enter_behind
	reads_table 16 -N2 --gres=npu:8 $ascend
	reads_table 4 -N2 --ntasks-per-node=2 --gres=npu:2 $ascend
	use_lines "$plug_line" "$other"
	reads_table 4 -N2 --gres=npu:2 $ascend
}

# The driver's library isn't to be had there
test_library_asked_for() {
	enter_behind
	refuse "^dist-train: .*the static launcher can't open the driver's library" \
		srun "${into[@]}" -N1 --gres=npu:2 $ascend,devices-from=dcmi /bin/sh -c "$look"
}
