#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# horovod_gloo.sh KV SRUN-ARGUMENT...: Horovod over Gloo with a key-value service
# of the user's own on this host, as a batch script may do it.
set -eu
address=$(getent hosts "$(hostname)")
address=${address%% *}
program=$1
shift
coproc kv { exec "$program" "$address" 0; }
# shellcheck disable=SC2154 # of coproc
in=${kv[1]} out=${kv[0]}
secret=$(od -An -N16 -tx1 /dev/urandom | tr -d ' ')
echo "$secret" >&"$in"
read -r port <&"$out"
export HOROVOD_CONTROLLER=gloo HOROVOD_CPU_OPERATIONS=gloo
export HOROVOD_GLOO_RENDEZVOUS_ADDR=$address:$port/$secret
export HOROVOD_GLOO_RENDEZVOUS_PORT=$port
srun "$@"
