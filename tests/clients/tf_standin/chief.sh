#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# chief.sh [wait]: the chief beside the stand-in, when all servers are there, in the
# lines of tf_ps.py; with wait it goes on until it is ended.
servers=$(($(echo "$TF_CONFIG" | grep -o ':[0-9][0-9]*"' | wc -l) - 1))
until [ "$(ls "$TF_STANDIN" | wc -l)" -eq $servers ]; do
	sleep 0.1
done
echo "loss 1.000 -> 0.000"
while [ "${1:-}" = wait ]; do
	sleep 0.2
done
echo "trained chief on=$SLURMD_NODENAME"
