#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# One line: the devices that this process was told of, and the physical ones
# that they are. The stand-ins tell by open(): ENXIO is allowed, EPERM is not.
PATH=/usr/sbin:/usr/bin:/sbin:/bin
LC_ALL=C
export LC_ALL

# allowed NAME: the numbers of /dev/NAME* that may be opened
allowed() {
	for i in 0 1 2 3 4 5 6 7; do
		why=$( (: < "/dev/$1$i") 2>&1)
		case $why in
		*'not permitted'*) ;;
		*) printf '%s ' "$i" ;;
		esac
	done
}

# nth LIST-OF-WORDS N, from 0
nth() {
	# shellcheck disable=SC2086
	set -- "$2" $1
	shift "$(($1 + 1))" 2> /dev/null || set --
	echo "${1:-none}"
}

# What CUDA does: CUDA_VISIBLE_DEVICES numbers the devices that can be opened,
# and the process numbers what CUDA_VISIBLE_DEVICES lists.
gpus() {
	open=$(allowed nvidia)
	visible=$(echo "$CUDA_VISIBLE_DEVICES" | tr , ' ')
	for i in $(echo "$DIST_TRAIN_DEVICES" | tr , ' '); do
		entry=$i
		[ -z "$visible" ] || entry=$(nth "$visible" "$i")
		physical="$physical,$(nth "$open" "$entry")"
	done
}

npus() {
	open=$(allowed davinci)
	physical=,$DIST_TRAIN_DEVICES
}

if [ "${1:-gpu}" = npu ]; then npus; else gpus; fi
echo "dev node=$SLURMD_NODENAME rank=$RANK local=$LOCAL_RANK" \
	"local_world=$LOCAL_WORLD_SIZE own=$DIST_TRAIN_DEVICES" \
	"visible=$CUDA_VISIBLE_DEVICES physical=${physical#,}" \
	"open=$(echo "$open" | xargs | tr ' ' ,)"
