# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# How the nodes of a step learn each other's NPUs: through PMIx, from an
# inventory, or not at all; and ascend without a rank table. A task prolog that
# unsets the secret's pipe makes launchers that can't meet, as where no munged
# answers them.
# clusters: npu
# shellcheck disable=SC2016,SC2034,SC2154 # shared with lib.sh

limit=60

# lone: $d/lone, a task prolog after which launchers have no secret
lone() {
	cat > "$d/lone" <<-END
	#!/bin/sh
	${1:-}
	echo unset SLURM_DIST_TRAIN_SECRET
	END
	chmod 755 "$d/lone"
}

# inventory [NODES]: of all nodes or these, in use until the case ends
inventory() {
	local n

	for n in ${1:-1 2 3 4}; do
		echo "node$n 0-7 address=29.17.$n.[10-17] chip=910B"
	done > "$d/inventory"
	chmod 644 "$d/inventory"
	afterwards "plugstack '$plug_line'"
	plugstack "optional $plugin inventory=$d/inventory"
}

table='read -r sum name < <(md5sum "$RANK_TABLE_FILE")
echo "rank=$RANK_ID size=$RANK_SIZE sum=$sum pmix=${PMIX_RANK-none}"'

# same_table N: N processes with one table, each rank once
same_table() {
	[ "$rc" -eq 0 ] || fail "status $rc"
	[ "$(grep -o "^rank=[0-9]* size=$1 " "$d/out" | sort -u | wc -l)" \
		-eq "$1" ] || fail "not $1 ranks"
	[ "$(grep -o 'sum=[0-9a-f]*' "$d/out" | sort -u | wc -l)" -eq 1 ] ||
		fail "not one table"
}

# as_over_tcp N SRUN-ARGUMENT...: the table of the last output is that of the
# same step with exchange=tcp
as_over_tcp() {
	local sum n=$1
	shift

	same_table "$n"
	sum=$(grep -o -m 1 'sum=[0-9a-f]*' "$d/out")
	succeed srun "$@" --dist-train=ascend,exchange=tcp bash -c "$table"
	same_table "$n"
	says "$sum "
}

# --- PMIx -------------------------------------------------------------------

test_pmix_device_mode() {
	need_pmix
	succeed srun -N4 --gres=npu:8 --dist-train=ascend,exchange=pmix \
		bash -c "$table"
	says_not 'pmix=[0-9]'
	as_over_tcp 32 -N4 --gres=npu:8
}

# long: pmix_device_mode and pmix_open_mpi, which has tasks
test_pmix_task_mode() {
	need_pmix
	succeed srun -w node1,node3 --ntasks-per-node=3 --gres=npu:3 \
		--dist-train=ascend,exchange=pmix bash -c "$table"
	says '^rank=5 .* pmix=5$'
	as_over_tcp 6 -w node1,node3 --ntasks-per-node=3 --gres=npu:3
}

# Each launcher has an arbiter of its own: PMIx alone holds them together
# long: pmix_open_mpi has no secret in its second half
test_pmix_without_munge() {
	need_munge
	need_pmix
	lone
	succeed srun -N4 --gres=npu:4 --task-prolog="$d/lone" --mpi=pmix \
		--dist-train=ascend bash -c "$table"
	as_over_tcp 16 -N4 --gres=npu:4
}

# The program is a PMIx client itself, in the task in which the launcher was one
test_pmix_open_mpi() {
	need_pmix
	compile_mpi mpicc.openmpi
	try_mpi srun -N2 --ntasks-per-node=4 --gres=npu:4 --mpi=pmix \
		--dist-train=ascend,exchange=pmix \
		env OMPI_MCA_btl_tcp_if_exclude=lo,docker0 "$d/sum"
	ranks_trained 8
	lone
	try_mpi srun -N2 --ntasks-per-node=4 --gres=npu:4 --mpi=pmix \
		--task-prolog="$d/lone" --dist-train=ascend \
		env OMPI_MCA_btl_tcp_if_exclude=lo,docker0 "$d/sum"
	ranks_trained 8
}

# Only the step that asks for it has PMIx
# long: tests/spank/scenarios/exchange-pmix, mpi
test_pmix_only_when_asked() {
	need_pmix
	succeed srun -N2 --gres=npu:2 --ntasks-per-node=2 --dist-train=ascend \
		bash -c "$table"
	says_not 'pmix=[0-9]'
	refuse 'exchange=pmix: this step has no PMIx: srun has --mpi=none' \
		srun -N2 --gres=npu:2 --mpi=none \
		--dist-train=ascend,exchange=pmix true
	afterwards "plugstack '$plug_line'"
	plugstack "optional $plugin mpi=off"
	refuse 'has no PMIx: the administrator has turned it off \(mpi=off\)' \
		srun -N2 --gres=npu:2 --dist-train=ascend,exchange=pmix true
}

# A node whose launchers come too late is named, once and in time
# long: waits 15 s; tests/helpers/channel/test_server: missing
test_pmix_missing_node() {
	need_pmix
	lone '[ "$SLURM_NODEID" -ne 2 ] || sleep 15'
	refuse 'after 3 s the launchers of 2 of 8 tasks have not joined; they are on: node3$' \
		srun -w 'node[1-4]' --ntasks-per-node=2 --gres=npu:2 \
		--mpi=pmix --task-prolog="$d/lone" \
		--dist-train=ascend,timeout=3 true
	within 14
}

# --- none -------------------------------------------------------------------

test_none() {
	inventory
	lone
	succeed srun -N4 --gres=npu:8 --task-prolog="$d/lone" \
		--dist-train=ascend,exchange=none bash -c "$table"
	as_over_tcp 32 -N4 --gres=npu:8
	succeed srun -w node2,node4 --ntasks-per-node=3 --gres=npu:3 \
		--task-prolog="$d/lone" --dist-train=ascend bash -c "$table"
	as_over_tcp 6 -w node2,node4 --ntasks-per-node=3 --gres=npu:3
}

# long: as none; tests/helpers/ranktable/test_exchange: choice
test_none_gpus() {
	inventory
	lone
	succeed srun -N3 --gres=gpu:4 --task-prolog="$d/lone" \
		--dist-train=ascend,exchange=none bash -c "$table"
	same_table 12
}

# One node's driver knows all
# long: tests/helpers/ranktable/test_exchange: alone
test_none_on_one_node() {
	lone
	succeed srun -w node2 -n5 --gres=npu:5 --task-prolog="$d/lone" \
		--dist-train=ascend bash -c "$table"
	as_over_tcp 5 -w node2 -n5 --gres=npu:5
}

# long: tests/helpers/ranktable/test_exchange: choice, order;
# tests/helpers/cli/node/test_devices: inventory
test_none_refusals() {
	lone
	refuse "exchange=none: .* come from the administrator's inventory=" \
		srun -N2 --gres=npu:2 --dist-train=ascend,exchange=none true
	inventory '1 2'
	refuse 'the inventory .* have node node3' \
		srun -w 'node[1-3]' --gres=npu:2 --task-prolog="$d/lone" \
		--dist-train=ascend,exchange=none true
	refuse 'rank 2 is on another node than rank 1, .*--distribution=block' \
		srun -w 'node[1-2]' --ntasks-per-node=2 -m cyclic --gres=npu:2 \
		--dist-train=ascend,exchange=none true
	as_root node2 "sed -i 's/29.17.2.11/29.99.2.11/' /etc/npu-standin/devices"
	afterwards "as_root node2 'sed -i s/29.99/29.17/ /etc/npu-standin/devices'"
	refuse 'NPU 1 of node node2 has 29.99.2.11 .*inventory .* says 29.17.2.11' \
		srun -w 'node[1-2]' --gres=npu:2 --task-prolog="$d/lone" \
		--dist-train=ascend,exchange=none true
}

# --- auto -------------------------------------------------------------------

# All launchers find the same, one says it
# long: tests/helpers/ranktable/test_exchange: choice
test_no_way() {
	lone
	refuse 'srun made no secret; use srun --mpi=pmix with exchange=pmix.* inventory=' \
		srun -N4 --gres=npu:2 --task-prolog="$d/lone" \
		--dist-train=ascend true
	refuse '^dist-train: exchange=tcp: .*srun made no secret' \
		srun -N2 --gres=npu:2 --task-prolog="$d/lone" \
		--dist-train=ascend,exchange=tcp true
}

# --- without a rank table -----------------------------------------------------

chief='echo "rank=$SLURM_PROCID chief=$CM_CHIEF_IP/$CM_CHIEF_DEVICE \
size=$CM_WORKER_SIZE own=$(ip -o addr show | grep -cF " $CM_WORKER_IP/") \
set=${RANK_TABLE_FILE+t}${RANK_ID+i}${RANK_SIZE+s} \
device=$ASCEND_DEVICE_ID sees=$ASCEND_RT_VISIBLE_DEVICES $CM_WORKER_IP"'

# chief_lines N SEES: N processes, by task and device, with one chief
chief_lines() {
	[ "$(grep -cE "^rank=.* chief=[0-9.]+/0 size=$1 own=1 set= device=.* sees=$2 " \
		"$d/out")" -eq "$1" ] || fail "not $1 right processes"
	[ "$(grep -o 'chief=[0-9.]*' "$d/out" | sort -u | wc -l)" -eq 1 ] ||
		fail "not one chief"
	[ "$(grep -o 'device=.*' "$d/out" | sort -u | wc -l)" -eq "$1" ] ||
		fail "two processes are one for the library"
}

test_table_none() {
	succeed srun -w node2,node4 --gres=npu:3 \
		--dist-train=ascend,table=none bash -c "$chief"
	chief_lines 6 0,1,2
	succeed srun -w node2,node4 --ntasks-per-node=3 --gres=npu:3 \
		--dist-train=ascend,table=none bash -c "$chief"
	chief_lines 6 0,1,2
	succeed srun -w node3 -n2 --gres=npu:2 \
		--dist-train=ascend,table=none bash -c "$chief"
	chief_lines 2 0,1
}

# long: tests/spank/scenarios/table-none-order;
# tests/frameworks/ascend/table-none-cyclic
test_table_none_order() {
	try srun -w node1,node2 --ntasks-per-node=2 -m cyclic --gres=npu:2 \
		--dist-train=ascend,table=none bash -c "$chief"
	one_line "its ranks differ from Slurm's: rank 1 is on .*, rank 2 on "
	chief_lines 4 0,1
	printf '%s\n' node2 node2 node1 node1 > "$d/hosts"
	try env SLURM_HOSTFILE="$d/hosts" srun -n4 --distribution=arbitrary \
		--gres=npu:2 --dist-train=ascend,table=none bash -c "$chief"
	one_line "its ranks differ from Slurm's: rank 1 is on .*, rank 2 on "
}

# long: tests/spank/scenarios/users-table
test_table_none_users_table() {
	try env RANK_TABLE_FILE=/x srun -w node1 -n2 --gres=npu:2 \
		--dist-train=ascend,table=none bash -c "$chief"
	one_line 'your RANK_TABLE_FILE: replaced or removed'
	chief_lines 2 0,1
}
