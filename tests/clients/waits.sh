#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A rank that does nothing until it may go: waits.sh FOLDER
# It leaves its process id in FOLDER/up.RANK, and ends well when FOLDER/go.RANK
# or FOLDER/go is there. What it starts as is FOLDER/up.RANK.RESTART.
exec 9<> <(:)
rank=${DIST_TRAIN_RANK:-$SLURM_PROCID}
for file in "up.$rank" "up.$rank.${DIST_TRAIN_RESTART:-0}"; do
	echo $$ > "$1/new.$rank" && mv "$1/new.$rank" "$1/$file"
done
until [ -e "$1/go.$rank" ] || [ -e "$1/go" ]; do
	read -rt 0.1 -u 9
done
echo "done $rank"
