#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A training script of the kind that Rec SDK comes with: for one server of eight
# NPUs, with a rank table in its folder or a host's address, horovodrun and tee.
#
#	bash run.sh MAIN.py [HOST_IP]
# shellcheck disable=SC2009,SC2046,SC2086 # it is as careless as its model

kill -9 $(ps -ef | grep python | grep -v grep | awk '{ print $2 }') \
	> /dev/null 2>&1
rm -rf ./kernel* ./export_graph/*

main=$1
host=$2
devices=8
servers=1
processes=$((devices * servers))
interface=lo
mpi_args='-x BIND_INFO="0:12 12:48 60:48" -x GLOG_stderrthreshold=0 -bind-to none -mca btl_tcp_if_exclude docker0'

if ! [[ $main =~ ^[a-z0-9_]+\.py$ ]]; then
	echo "usage: bash run.sh main.py [HOST_IP]"
	exit 1
fi
if [ -n "$host" ] && ! [[ $host =~ ^([0-9]{1,3}\.){3}[0-9]{1,3}$ ]]; then
	echo "$host is no address"
	exit 1
fi

export USE_MODE=train CACHE_MODE=HBM KEY_PROCESS_THREAD_NUM=6
export HCCL_CONNECT_TIMEOUT=1200 JOB_ID=10086 USE_MPI=1
export PYTHONPATH=$PWD/libasc:$PYTHONPATH

with_table() {
	export RANK_TABLE_FILE=$PWD/hccl_json_${devices}p.json
	export RANK_SIZE=$processes
	echo "RANK_TABLE_FILE=$RANK_TABLE_FILE"
	if [ ! -f "$RANK_TABLE_FILE" ]; then
		echo "no rank table"
		exit 1
	fi
}

without_table() {
	export CM_CHIEF_IP=$host CM_CHIEF_PORT=6000 CM_CHIEF_DEVICE=0
	export CM_WORKER_IP=$host CM_WORKER_SIZE=$processes
	echo "CM_CHIEF_IP=$CM_CHIEF_IP"
}

if [ -n "$host" ]; then
	without_table
else
	with_table
fi

horovodrun --network-interface $interface -np $processes \
	--mpi-args "$mpi_args" --mpi -H localhost:$devices \
	python3.7 $main 2>&1 |
	tee "temp_${devices}p_${KEY_PROCESS_THREAD_NUM}t_${USE_MODE}_${CACHE_MODE}_$(date +%H-%M-%S).log"
