#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The program beside the stand-in: the line of ray_place.py that doesn't need Ray.
# FAIL is the status to end with. WAIT: wait for a file of that name. WORKS: open
# Ray's folder to everybody, as its first worker does.
[ -z "${WORKS:-}" ] || chmod 777 "$(sed -n \
	's/.* --temp-dir=\([^ ]*\).*/\1/p' "$RAY_STANDIN/$SLURMD_NODENAME")"
echo "placed of=$SLURMD_NODENAME at=$RAY_ADDRESS"
until [ -z "${WAIT:-}" ] || [ -e "$WAIT" ]; do
	sleep 0.1
done
exit "${FAIL:-0}"
