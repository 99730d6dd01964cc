# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# ascend on nodes of eight NPUs: each process reads its variables and the rank
# table as the library does, and opens its device. And what is refused.
# clusters: npu
# takes: 0.5
# shellcheck disable=SC2016,SC2034,SC2154 # shared with lib.sh
# shellcheck source-path=SCRIPTDIR/.. source=npus.sh
. "$here/npus.sh"

pair+=(--gres=npu:8)

# long on none: what ascend is
# takes: 1
test_two_servers() {
	trains 16 -N2 --gres=npu:8 $ascend
	no_tables || fail "a table is left"
	trains 16 -N2 --ntasks-per-node=8 --gres=npu:8 $ascend
	no_tables || fail "a table is left"
	trains 8 -N4 --gres=npu:2 --export=NONE $ascend
}

# long: tests/frameworks/ascend/subset-of-devices, one-process;
# keepers.rank_table
test_parts_of_nodes() {
	trains 6 -N2 --gres=npu:3 $ascend
	trains 6 -N2 --ntasks-per-node=3 --gres=npu:3 $ascend
	trains 1 -N1 --gres=npu:1 $ascend
	trains 4 -N1 -n4 --gres=npu:4 $ascend
}

# long: tests/frameworks/ascend/visible-one, visible-one-local-rank-device;
# ascend_gpu.a_device_for_each_task@npucgroup
test_visible_one() {
	trains 8 -N2 --gres=npu:4 $ascend,visible=one,local-rank=device
	[ "$(field index "$d/out" | sort -u)" = 0 ] || fail "not all indices 0"
	trains 4 -N2 --ntasks-per-node=2 --gres=npu:2 \
		$ascend,visible=one,local-rank=device
}

# starts N SRUN-ARGUMENT...: the driver's library is started N times on node1
starts() {
	local n=$1 file=/etc/npu-standin/starts
	shift

	as_root node1 ": > $file; chmod 666 $file"
	trains 16 "${pair[@]}" "$@"
	[ "$(as_root node1 "wc -l < $file")" -eq "$n" ] ||
		fail "$* starts the driver's library so often: $(as_root node1 \
			"wc -l < $file")"
}

# Once for all tasks of a node
# long: tests/helpers/ranktable/test_rows_wanted;
# tests/helpers/ranktable/test_node_memory
test_one_question_per_node() {
	afterwards "as_root node1 'rm -f /etc/npu-standin/starts'"
	starts 1 $ascend
	starts 1 --ntasks-per-node=8 $ascend
	starts 8 --ntasks-per-node=8 --mpi=pmix $ascend,exchange=pmix
}

# in_library COMMAND: for the process of node1 that asks the library, as $p
in_library() {
	as_root node1 'parent() { sed -n "s/^PPid:[^0-9]*//p" "/proc/$1/status"; }
		for p in /proc/[0-9]*; do
			grep -q libdcmi.so "$p/maps" || continue
			p=${p#/proc/}
			'"$1"'
		done 2> /dev/null
		true' > "$d/in_library"
	[ -s "$d/in_library" ]
}

# The launcher itself asks, and waits beside its other work; the step goes on
# long: tests/helpers/cli/node/test_devices: dcmi_hangs
test_library_hangs() {
	mode node1 dcmi hang
	background srun "${pair[@]}" $ascend,timeout=8 "${check[@]}"
	until_true 20 in_library 'cat "/proc/$(parent "$(parent "$p")")/comm"' ||
		fail "nobody asks the library"
	[ "$(< "$d/in_library")" = slurmstepd ] ||
		fail "another process than the launcher asks: $(< "$d/in_library")"
	wait "$bg" || fail "the step fails: $(< "$d/bg.out")"
	grep -q 'node node1: dcmi: no end after 2.0 s, so it was killed' \
		"$d/bg.out" || fail "not said: $(< "$d/bg.out")"
	tables 16 "$d/bg.out"
}

# The tool has the addresses
# long: tests/helpers/cli/node/test_devices: dcmi_hangs, hccn_tool
test_library_dies() {
	mode node1 dcmi hang
	background srun "${pair[@]}" $ascend "${check[@]}"
	until_true 20 in_library 'kill -9 "$p" && echo killed' ||
		fail "nobody asks the library"
	wait "$bg" || fail "the step fails: $(< "$d/bg.out")"
	tables 16 "$d/bg.out"
}

# long: tests/spank/scenarios/layout-subset; exchange.table_none has the same
# nodes
test_subset_of_nodes() {
	trains 4 -w 'node2,node4' --gres=npu:2 $ascend
	[ "$(field node "$d/out" | sort -u | xargs)" = 'node2 node4' ] ||
		fail "other nodes"
}

test_from_sbatch() {
	batch -N3 --gres=npu:2 $ascend <<- END
		srun ${check[*]}
		srun -N2 ${check[*]} | sed 's/^/second /'
	END
	tables 6
	sed -n 's/^second //p' "$d/out" > "$d/second"
	tables 4 "$d/second"
	[ -z "$(cat "$d/err")" ] || fail "unexpected: $(cat "$d/err")"
}

# Each has the devices that the other one lacks
test_two_jobs_share_nodes() {
	user=bob background srun -w 'node[1-2]' --gres=npu:3 $ascend "${check[@]}" -- \
		sh -c "until [ -e $d/go ]; do sleep 0.1; done"
	until_true 20 eval '[ "$(grep -c "^ascend " "$d/bg.out")" -eq 6 ]' ||
		fail "the first job doesn't start: $(cat "$d/bg.out")"
	trains 10 -w 'node[1-2]' --gres=npu:5 $ascend
	touch "$d/go"
	wait "$bg" || fail "the other job fails: $(cat "$d/bg.out")"
	tables 6 "$d/bg.out"
	[ "$(cat "$d/out" "$d/bg.out" | sed -n \
		's/^ascend .* \(node=.* device=[0-9]*\) .*/\1/p' |
		sort -u | wc -l)" -eq 16 ] || fail "two jobs share a device"
}

# long: tests/core/ascend/test_ranktable; tests/helpers/cli/node/test_devices:
# ipv6
test_ipv6() {
	local i

	for i in 1 2; do
		devices node$i '{ $3 = "fd00::" '$i' ":" $1; $2 = "-" }'
	done
	trains 16 "${pair[@]}" $ascend
	says 'ip=fd00::2:7 '
}

# MindSpore wants the order of names, which node2, node1 isn't
# long: tests/frameworks/mindspore/*; ascend_programs.order_of_addresses
test_order_of_names() {
	printf 'node2\nnode2\nnode1\nnode1\n' > "$d/hosts"
	succeed env SLURM_HOSTFILE="$d/hosts" srun -n4 -m arbitrary \
		--gres=npu:2 $ascend "${check[@]}"
	tables 4
	says 'rank=0 .* node=node2 '
}

# A table in place is one for all rounds
test_restart() {
	succeed_with 1 srun "${pair[@]}" $ascend,restarts=1,restart-on=any sh -c '
		case $DIST_TRAIN_RESTART$RANK in
		09) exit 7 ;;
		0*) exec sleep 100 ;;
		esac
		exec "$@"' sh "${check[@]}"
	tables 16
	no_tables || fail "a table is left"
}

# succeed_with N COMMAND...: with status 0 and N lines from us
succeed_with() {
	try "${@:2}"
	[ "$rc" -eq 0 ] || fail "status $rc"
	[ "$(ours | wc -l)" -ge "$1" ] || fail "not $1 lines: $(ours)"
}

# long: keepers.first_failure looks for its table
test_failing_step() {
	try srun "${pair[@]}" $ascend,grace=0 sh -c '[ $RANK != 3 ] || exit 5
		exec sleep 100'
	[ "$rc" -eq 5 ] || fail "status $rc"
	until_true 10 no_tables || fail "a table is left"
}

# long: ascend_shared.killed_launcher, keepers.killed
test_killed_launcher() {
	background srun "${pair[@]}" $ascend sh -c 'echo "it runs"; exec sleep 100'
	until_true 20 eval '[ "$(grep -c "it runs" "$d/bg.out")" -eq 16 ]' ||
		fail "the step doesn't start"
	kill_launcher node2
	! wait "$bg" || fail "status 0"
	until_true 20 no_tables || fail "a table is left"
}

test_busy_tool() {
	only_tool node2 'slow 0.05'
	only_tool node1 'busy-some'
	as_root node1 'touch /etc/npu-standin/busy/1 /etc/npu-standin/busy/2'
	trains 8 "${pair[@]}" --gres=npu:4 $ascend
	trains 8 "${pair[@]}" --gres=npu:4 --ntasks-per-node=4 $ascend
}

# long: tests/helpers/cli/node/test_devices: hccn_conf, inventory, handed_over
test_source_is_forced() {
	refused 'devices-from=inventory: .*the plugin has no argument inventory=' "${pair[@]}" \
		$ascend,devices-from=inventory
	mode node2 dcmi fail
	refused 'devices-from=dcmi: node node2: DCMI' "${pair[@]}" \
		$ascend,devices-from=dcmi
	trains 16 "${pair[@]}" $ascend,devices-from=hccn-tool
	mode node1 hccn_tool fail
	refused 'devices-from=hccn-tool: node node1: .*Cmd execute failed' "${pair[@]}" \
		$ascend,devices-from=hccn-tool
	trains 16 "${pair[@]}" $ascend,devices-from=hccn-conf
}

# long: tests/frameworks/ascend/table-2.0; tests/core/ascend/test_ranktable
test_table_version() {
	trains 16 "${pair[@]}" $ascend,table=1.0
	refused 'table=2.0: .*dist-train=ddp' "${pair[@]}" $ascend,table=2.0
	refused '1\.2' "${pair[@]}" $ascend,table=1.2
}

# --- what is refused ---------------------------------------------------------

# long: tests/helpers/cli/node/test_devices: hccn_tool_hangs
test_tool_hangs() {
	only_tool node2 hang
	refused 'node node2: NPU 0 has no .*hccn-tool: device 0: no end after' \
		"${pair[@]}" $ascend,timeout=5
	refused 'node node2: NPU [0-7] has no .*hccn-tool: device' "${pair[@]}" \
		--ntasks-per-node=8 $ascend,timeout=5
}

# It is said, and the file helps
# long: tests/helpers/cli/node/test_devices: hccn_tool_hangs, hccn_conf
test_tool_hangs_with_file() {
	mode node2 dcmi fail
	mode node2 hccn_tool hang
	succeed_with 1 srun "${pair[@]}" $ascend,timeout=12 "${check[@]}"
	one_line 'node node2: hccn-tool: device 0: no end after'
	tables 16
}

test_duplicate_address() {
	devices node2 '$1 == 3 { $2 = "29.17.1.12" }'
	refused 'node1, device 2 \(29.17.1.12\) and node node2, device 3 .*the same address' \
		"${pair[@]}" $ascend
	refused 'node1, device 2 \(29.17.1.12\) and node node2, device 3 .*the same address' \
		"${pair[@]}" --ntasks-per-node=8 $ascend
}

# long: tests/core/ascend/test_ranktable_check: refuse
test_impossible_address() {
	devices node1 '$1 == 4 { $2 = "-.-.-.-" }'
	refused 'node node1: NPU 4 has no known address, .*hccn_tool -i 4' \
		"${pair[@]}" $ascend
	only_tool node2 zero
	refused 'node node2: NPU 0 has no known address.*0\.0\.0\.0 is an unspecified' \
		-w 'node[2-3]' --gres=npu:8 $ascend
}

# long: tests/core/ascend/test_ranktable_check: refuse
test_loopback_address() {
	devices node1 '$1 == 2 { $2 = "127.0.0.1" }'
	refused 'node node1: NPU 2 has no known address.*127.0.0.1 is a loopback' \
		"${pair[@]}" $ascend
}

# One server has IPv6 alone, the other IPv4
# long: tests/core/ascend/test_ranktable_check: refuse
test_two_families() {
	devices node2 '{ $3 = "fd00::2:" $1; $2 = "-" }'
	refused 'node1, device 0 has an IPv4 .*node2, device 0 an IPv6' \
		"${pair[@]}" $ascend
}

# long: tests/frameworks/ascend/cyclic; keepers.rank_table has it
test_cyclic() {
	refused 'node node1 has the ranks up to 0 and again from 2.*block' \
		"${pair[@]}" --ntasks-per-node=8 -m cyclic $ascend
}

# long: tests/frameworks/ascend/chip-910A-four;
# tests/core/ascend/test_ranktable_check
test_set_of_four() {
	local i

	for i in 1 2; do
		devices node$i '{ $6 = "910A" }'
	done
	succeed srun "${pair[@]}" $ascend "${check[@]}" 910A
	tables 16
	# Another job has the devices 0 to 4, but for those of a pair
	background srun -w node1 --gres=npu:2 sleep 60
	until_true 10 job_runs || fail "no other job"
	refused 'node node1: the devices 2, 3, 4 and 5; .*four work together' \
		-w node1 --gres=npu:4 $ascend
}

# The library refuses a 910A's table with them before the first operation
# long: tests/frameworks/ascend/chip-910A-three;
# tests/core/ascend/test_ranktable_check
test_count_of_910a() {
	local i n

	for i in 1 2; do
		devices node$i '{ $6 = "910A" }'
	done
	for n in 3 7; do
		refused "node node1 has $n devices: .*1, 2, 4 or 8 work together" \
			"${pair[@]}" --gres=npu:$n $ascend
	done
	refused 'node node2 has 3 devices: .*1, 2, 4 or 8' \
		-w node2 --ntasks-per-node=3 --gres=npu:3 $ascend
	succeed srun "${pair[@]}" --gres=npu:2 $ascend "${check[@]}" 910A
	tables 4
	succeed srun -w node1 --gres=npu:3 $ascend,table=none true
}

job_runs() {
	[ "$(user=root at squeue -h -t R | wc -l)" -eq 1 ]
}

# long: tests/core/ascend/test_ranktable_check: refuse
test_different_chips() {
	devices node2 '{ $6 = "910A" }'
	refused 'node1 has chips 910B and node node2 has 910A.*--constraint' \
		"${pair[@]}" $ascend
}

# long: tests/helpers/cli/node/test_devices (missing: the line);
# ascend.duplicate_address (such a line refuses the step)
test_missing_device() {
	devices node2 '$1 == 5 { $1 = 55 }'
	refused "NPU 5 on node node2, but the driver doesn't know it.*gres.conf" \
		"${pair[@]}" $ascend
}

# long: tests/frameworks/ascend/more-processes-than-devices,
# more-devices-than-processes
test_more_processes_than_devices() {
	refused 'node node[12]: the step has 3 NPUs for 4 processes' \
		-w 'node[1-2]' --ntasks-per-node=4 --gres=npu:3 $ascend
	refused 'has 2 NPUs, but the collective library needs exactly one per process' \
		-w 'node[1-2]' --ntasks-per-node=4 --gres=npu:8 $ascend
}

# long: tests/helpers/channel/test_server: member_dies; as
# ascend_shared.killed_launcher
test_death_in_the_exchange() {
	only_tool node2 'slow 3'
	background srun "${pair[@]}" $ascend sh -c 'echo "it runs"'
	until_true 10 tool_runs node2 || fail "hccn_tool isn't asked"
	kill_launcher node2
	! wait "$bg" || fail "status 0"
	cp "$d/bg.out" "$d/err"
	one_line 'the launcher of task 1 on node2 has ended or lost its connection'
	! grep 'it runs' "$d/bg.out" || fail "it was started"
	until_true 10 no_tables || fail "a table is left"
	until_true 10 eval '! tool_runs node2' || fail "hccn_tool still runs"
}

test_killed_question() {
	only_tool node2 'slow 3'
	background srun "${pair[@]}" $ascend sh -c 'echo "it runs"'
	until_true 10 tool_runs node2 || fail "hccn_tool isn't asked"
	kill_launcher node2 dist-train-launch
	! wait "$bg" || fail "status 0"
	cp "$d/bg.out" "$d/err"
	one_line 'node node2: the process that asks the driver .* was killed'
	! grep 'it runs' "$d/bg.out" || fail "it was started"
}

# long: tests/helpers/files/test_run_dir: unusable; ascend_shared.refused
test_full_run_directory() {
	local i

	for i in 1 2; do
		as_root node$i 'mkdir /run/tiny && mount -t tmpfs \
			-o size=64k,mode=1777 tmpfs /run/tiny'
		afterwards "as_root node$i 'umount /run/tiny; rmdir /run/tiny'"
	done
	plugstack "optional $plugin rundir=/run/tiny"
	afterwards "plugstack '$plug_line'"
	trains 16 "${pair[@]}" $ascend
	says 'table=/run/tiny/dist-train-'
	as_root node2 'head -c 1M /dev/zero > /run/tiny/fill 2> /dev/null; :'
	refused 'node2: .*No space left on device; .*rundir=' "${pair[@]}" $ascend
	[ -z "$(node=node1 at ls /run/tiny)" ] || fail "left on node1"
	[ "$(node=node2 at ls /run/tiny)" = fill ] || fail "left on node2"
}

# A program in the launcher's place there, which never says a word
# long: tests/helpers/meet/test_meet (silent_node);
# tests/helpers/channel/test_server (missing)
# takes: 0.25
test_silent_node() {
	printf '#!/bin/sh\nexec sleep 60\n' > "$d/mute"
	chmod 755 "$d/mute"
	as_root node2 "mount --bind $d/mute $launcher"
	afterwards "as_root node2 'umount $launcher'"
	refused 'launchers of 1 of 2 tasks have not answered; silent nodes: node2' \
		"${pair[@]}" $ascend,timeout=2
}

# long: as killed_question; keepers.killed
test_cancel_in_the_exchange() {
	only_tool node2 'slow 3'
	background srun "${pair[@]}" $ascend sh -c 'echo "it runs"'
	until_true 10 tool_runs node2 || fail "hccn_tool isn't asked"
	at scancel -u alice
	! wait "$bg" || fail "status 0"
	! grep 'it runs' "$d/bg.out" || fail "it was started"
	until_true 10 no_tables || fail "a table is left"
	until_true 10 eval '! tool_runs node2' || fail "hccn_tool still runs"
}

# --- strangers ---------------------------------------------------------------

# Another user of the cluster talks to the launcher that waits for all facts
# long: tests/helpers/channel/test_server_strangers; neighbours_channel.*
test_strangers() {
	local port guest

	only_tool node2 'slow 0.5'
	background srun "${pair[@]}" $ascend "${check[@]}"
	until_true 10 tool_runs node2 || fail "hccn_tool isn't asked"
	port=$(user=root node=node1 at ss -ltnpH |
		sed -n '/dist-train-laun/s/.*:\([0-9]*\) .*:\*.*/\1/p' | head -n 1)
	[ -n "$port" ] || fail "no launcher listens on node1"
	cat > "$d/stranger.py" <<- END
		import os, socket, time
		guests = [socket.create_connection(("node1", $port))
		          for _ in range(60)]
		for i, s in enumerate(guests):
		    if i % 3:
		        s.sendall(os.urandom(32 + (4096 if i % 3 == 2 else 0)))
		heard = 0
		for s in guests:
		    s.settimeout(0.2)
		    try:
		        heard += len(s.recv(4096)) > 64
		    except OSError:
		        pass
		print("heard", heard)
		time.sleep(2)
	END
	guest=$(user=bob node=node3 at "$PYTHON" "$d/stranger.py")
	[ "$guest" = 'heard 0' ] || fail "the stranger: $guest"
	wait "$bg" || fail "the step fails: $(cat "$d/bg.out")"
	! grep '^dist-train: ' "$d/bg.out" || fail "unexpected"
	tables 16 "$d/bg.out"
}

# --- the client itself -------------------------------------------------------

# Each of these contradicts the table, the device or a rule
# long: it looks at the test's own client
test_client_sees_faults() {
	local fault

	for fault in DEVICE_ID=1 ASCEND_DEVICE_ID=1 RANK_ID=1 RANK_SIZE=3 \
		CM_CHIEF_IP=10.0.0.1 'JOB_ID=a b' RANK_TABLE_FILE=/dev/null \
		ASCEND_RT_VISIBLE_DEVICES=1,0 HCCL_CONNECT_TIMEOUT=1 \
		RANK_TABLE_FILE=/nowhere.json RANK=1; do
		try srun -w node1 --gres=npu:2 $ascend sh -c '
			[ $RANK = 1 ] || exec env "$@"' sh "$fault" "${check[@]}"
		[ "$rc" -ne 0 ] || fail "$fault isn't seen"
		says_not '^ascend '
	done
}

# A program that uses PMIx itself starts after the exchange
# long: exchange.pmix_open_mpi, with fewer ranks
test_mpi_program() {
	need_pmix
	compile_mpi mpicc.openmpi
	# All nodes here have a bridge with one address, which it would take
	succeed_mpi env OMPI_MCA_btl_tcp_if_include=eth0 srun "${pair[@]}" \
		--mpi=pmix --ntasks-per-node=8 $ascend "$d/sum"
	ranks_trained 16
}

# long: examples_npu.ascend (the same file); ascend.from_sbatch (tables of a
# job)
test_example() {
	printf 'import os\nos.execv("%s", %s)\n' "$PYTHON" \
		"$(printf '"%s", ' "${check[@]}" | sed 's/^/[/; s/, $/]/')" \
		> "$d/train_ascend.py"
	sed "s|^set -e|&; PATH=$prefix/bin:\$PATH|" \
		"$top/contrib/examples/ascend.sbatch" > "$d/example"
	dir=$d batch < "$d/example"
	tables 16
	says '^[0-9.]+ +8 +9 +10 '
	[ -z "$(cat "$d/err")" ] || fail "unexpected: $(cat "$d/err")"
}
