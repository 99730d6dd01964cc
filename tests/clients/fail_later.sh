#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# fail_later.sh FILE COMMAND...: COMMAND in all ranks; but rank 0 ends with 3 when
# FILE is there, and leaves its COMMAND behind, so that no peer sees a connection
# closed.
file=$1
shift
[ "$DIST_TRAIN_RANK" = 0 ] || exec "$@"
"$@" &
until [ -e "$file" ]; do
	sleep 0.1
done
exit 3
