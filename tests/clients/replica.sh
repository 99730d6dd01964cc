#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# replica.sh FOLDER: a process of a replica group that lives until a file in
# FOLDER tells otherwise: GROUP.RANK.RESTART or `all` holds the exit code, or
# `kill`. It leaves a process behind, as data loaders do.
me=$REPLICA_GROUP_ID.$RANK.$DIST_TRAIN_RESTART

sleep 3600 > /dev/null 2>&1 &
echo "start $me of $WORLD_SIZE in $NUM_REPLICA_GROUPS at" \
	"$MASTER_ADDR:$MASTER_PORT node=$SLURMD_NODENAME"
while :; do
	for file in "$1/$me" "$1/all"; do
		[ -s "$file" ] || continue
		read -r code < "$file"
		echo "end $me $code"
		[ "$code" != kill ] || kill -KILL $$
		exit "$code"
	done
	sleep 0.05
done
