# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# rundir= on a file system that all nodes share: one table for the step.
# clusters: npu
# takes: 0.5
# shellcheck disable=SC2016,SC2034,SC2154 # shared with lib.sh
# shellcheck source-path=SCRIPTDIR/.. source=npus.sh
. "$here/npus.sh"

pair+=(--gres=npu:8)
limit=60

# shared [PLUGIN-ARGUMENT...]: rundir= is $d/run until the case ends
shared() {
	mkdir -m 1777 "$d/run"
	afterwards "plugstack '$plug_line'"
	plugstack "optional $plugin rundir=$d/run $*"
}

# one_file N SRUN-ARGUMENT...: N processes read one and the same file, which is
# the only one, and nothing is left
one_file() {
	local n=$1
	shift

	succeed srun "$@" "${check[@]}" -- sh -c \
		"echo \"files \$(ls $d/run/*/rank_table.json | wc -l)\""
	tables "$n"
	[ "$(field table "$d/out" | sort -u | wc -l)" -eq 1 ] ||
		fail "not one file: $(field table "$d/out" | sort -u)"
	[ "$(grep -c '^files 1$' "$d/out")" -eq "$n" ] || fail "several files"
	until_true 10 nothing_left || fail "left: $(find "$d/run")"
}

nothing_left() {
	[ -z "$(find "$d/run" -mindepth 1)" ]
}

test_one_file() {
	shared
	one_file 8 "${pair[@]}" --gres=npu:4 $ascend
	one_file 8 -N4 --ntasks-per-node=2 --gres=npu:2 $ascend
}

# long: exchange.pmix_device_mode; as one_file
test_one_file_over_pmix() {
	need_pmix
	shared
	one_file 16 "${pair[@]}" $ascend,exchange=pmix
}

# long: exchange.none; as one_file
test_inventory() {
	local n

	for n in 1 2 3 4; do
		echo "node$n 0-7 address=29.17.$n.[10-17] chip=910B"
	done > "$d/inventory"
	chmod 644 "$d/inventory"
	shared "inventory=$d/inventory"
	one_file 16 "${pair[@]}" $ascend,exchange=none
}

# Tasks of a node share its first one's folder, wherever that is
# long: tests/helpers/ranktable/test_node_memory: folder; ascend.two_servers
test_tasks_of_one_node() {
	local n

	trains 16 "${pair[@]}" --ntasks-per-node=8 $ascend
	for n in 1 2; do
		[ "$(grep "^ascend .* node=node$n " "$d/out" |
			sed 's/.* table=\([^ ]*\).*/\1/' | sort -u |
			wc -l)" -eq 1 ] || fail "several files on node$n"
	done
	trains 5 -w node3 -n5 --gres=npu:5 $ascend
	[ "$(field table "$d/out" | sort -u | wc -l)" -eq 1 ] ||
		fail "several files on node3"
}

# Also when the first one's process has ended long before
# long: tests/helpers/ranktable/test_node_memory
test_first_task_ends_first() {
	mkdir -m 1777 "$d/pids"
	succeed srun "${pair[@]}" --ntasks-per-node=2 --gres=npu:2 $ascend \
		sh -c 'pid=$1/$SLURM_NODEID
			[ $SLURM_LOCALID -ne 0 ] || exec sh -c "echo \$\$ > $pid"
			until [ -s $pid ] && ! kill -0 $(cat $pid); do
				sleep 0.05
			done 2> /dev/null
			grep -c server_count $RANK_TABLE_FILE' sh "$d/pids"
	[ "$(xargs < "$d/out")" = "1 1" ] || fail "tables: $(cat "$d/out")"
}

# A node that sees another folder under that name writes its own
test_not_shared_by_all() {
	shared
	as_root node2 "mount -t tmpfs -o mode=1777 tmpfs $d/run"
	afterwards "as_root node2 'umount $d/run'"
	trains 24 -w 'node[1-3]' --gres=npu:8 $ascend
	[ "$(field table "$d/out" | sort -u | wc -l)" -eq 2 ] ||
		fail "not two files: $(field table "$d/out" | sort -u)"
	until_true 10 nothing_left || fail "left: $(find "$d/run")"
	[ -z "$(node=node2 at ls "$d/run")" ] || fail "left on node2"
}

# What a full or foreign folder does to all
# long: tests/helpers/files/test_run_dir: unusable; ascend.duplicate_address
test_refused() {
	shared
	chmod 755 "$d/run"
	refused "can't make a folder for the step's files in $d/run" \
		-w node1 --gres=npu:8 $ascend
	chmod 1777 "$d/run"
	devices node2 '$1 == 3 { $2 = "29.17.1.12" }'
	refused 'have the same address' "${pair[@]}" $ascend
	until_true 10 nothing_left || fail "left: $(find "$d/run")"
}

test_killed_launcher() {
	local node

	shared
	for node in node2 node1; do
		background srun "${pair[@]}" $ascend \
			sh -c 'echo "it runs"; exec sleep 100'
		until_true 20 eval \
			'[ "$(grep -c "it runs" "$d/bg.out")" -eq 16 ]' ||
			fail "the step doesn't start"
		kill_launcher $node
		! wait "$bg" || fail "status 0"
		until_true 20 nothing_left || fail "left: $(find "$d/run")"
	done
}

# Launchers that can't meet end each at their own time: no node cleans for
# another, and none reads another's file
# long: waits twice for 6 s; not_shared_by_all
test_nodes_that_end_first() {
	local first

	need_pmix
	shared
	printf '#!/bin/sh\necho unset SLURM_DIST_TRAIN_SECRET\n' > "$d/lone"
	chmod 755 "$d/lone"
	for first in 0 1; do
		succeed srun "${pair[@]}" --task-prolog="$d/lone" --mpi=pmix \
			$ascend sh -c "[ \$DIST_TRAIN_NODE_RANK = $first ] ||
				sleep 6; exec \"\$@\"" sh "${check[@]}"
		tables 16
		until_true 10 nothing_left || fail "left: $(find "$d/run")"
	done
}
