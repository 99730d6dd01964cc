# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# Ports: of each step its own, and what happens when a stranger has it. And
# processes that fail.
# clusters: plain
# shellcheck disable=SC2016,SC2034,SC2154 # shared with lib.sh

# hold FIRST [LAST]: someone on node1 listens on these ports
hold() {
	user=root node=node1 limit=60 background "$PYTHON" -c '
import resource, socket, sys, time
resource.setrlimit(resource.RLIMIT_NOFILE, (16384, 16384))
held = []
for port in range(int(sys.argv[1]), int(sys.argv[2]) + 1):
    s = socket.socket()
    s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    s.bind(("", port))
    s.listen()
    held.append(s)
print("listens", flush=True)
time.sleep(60)' "$1" "${2:-$1}"
	until_true 20 grep -q listens "$d/bg.out" || fail "can't hold port $1"
}

test_asked_port_in_use() {
	hold 23456
	refuse '^dist-train: port 23456 on node1 is in use \(it was key port\)' \
		srun -N4 -n8 --dist-train=ddp,port=23456 "$show"
	within 20
	says_not '^show .* RANK=0 '
	step 4 -N2 -n4 -w node2,node3 --dist-train=ddp,port=23456
}

test_reserved_port_in_use() {
	hold 21000 21999
	refuse '^dist-train: port 21[0-9]* on node1 is in use \(it was reserved' \
		srun -N4 -n8 --dist-train=ddp "$show"
	within 20
	refuse '^dist-train: port 21[0-9]* on node1 is in use \(it was reserved' \
		srun -N2 -w node1 --gres=gpu:2 --dist-train=ddp "$show"
	within 20
	step 4 -N2 -n4 -w node2,node3
}

# The user's own coordinator is his: its port is not tested
# long: tests/spank/scenarios/busy-port-users-address, busy-port
test_users_port() {
	hold 23456
	try env MASTER_ADDR=node1 MASTER_PORT=23456 \
		srun -N2 -n2 --dist-train=ddp "$show"
	[ "$rc" -eq 0 ] || fail "status $rc"
	[ "$(ours | grep -c ' is kept, but the step has')" -eq 2 ] ||
		fail "not both are reported"
	says 'MASTER_ADDR=node1 MASTER_PORT=23456'
}

# long: asked_port_in_use has it
test_asked_port() {
	step 4 -N2 -n4 --dist-train=ddp,port=23457
	says 'MASTER_PORT=23457 '
}

# Without reserved ports: derived, outside the ephemeral range
test_derived_ports() {
	local port

	succeed salloc -Q -N2 bash -c "for i in 1 2 3 4; do
		srun --resv-ports=0 -n2 --dist-train=ddp $show; done"
	for port in $(sed -n 's/.* MASTER_PORT=\([0-9]*\) .*/\1/p' "$d/out"); do
		[ "$port" -ge 20000 ] && [ "$port" -le 28999 ] ||
			fail "port $port is out of the range"
	done
	[ "$(sed -n 's/.* MASTER_PORT=\([0-9]*\) .*/\1/p' "$d/out" |
		sort -u | wc -l)" -eq 4 ] || fail "steps share a port"
	hold 20000 28999
	refuse 'port 2[0-9]* on node1 is in use \(it was derived' \
		srun -N2 -n2 -w node1 --resv-ports=0 --dist-train=ddp true
	within 20
}

# Ports of all processes of a step, as TF_CONFIG has them
tf_ports() {
	grep -o '"node[0-9]*:[0-9]*"' "$d/out" | tr -d '"' | sort -u
}

all_reserved() {
	! tf_ports | grep -v ':21[0-9][0-9][0-9]$' ||
		fail "not all are in MpiParams' range"
}

# Launchers start more processes than Slurm sees tasks: srun is made to ask for
# their ports, and explain says so. Two steps side by side have their own.
test_reserved_for_launchers() {
	succeed srun -N2 --dist-train=tf,procs=4 sh -c 'echo "$TF_CONFIG"'
	[ "$(tf_ports | wc -l)" -eq 8 ] || fail "not eight ports"
	all_reserved
	succeed srun -N2 --dist-train=tf,procs=4,explain=only true
	says '^ *TF_CONFIG .*ports reserved by Slurm$'
	succeed srun -N3 --dist-train tf-ps,chief=1 sh -c 'echo "$TF_CONFIG"'
	[ "$(tf_ports | wc -l)" -eq 7 ] || fail "not seven ports"
	all_reserved
	succeed salloc -Q -N2 bash -c 'for i in 1 2 3; do
		srun --overlap --dist-train=tf,procs=5 sh -c "
			echo \"\$TF_CONFIG\"; sleep 1" & done; wait'
	[ "$(tf_ports | wc -l)" -eq 30 ] || fail "steps share a port"
	all_reserved
	batch -N2 --dist-train=tf,procs=4 <<-'END'
	srun sh -c 'echo "$TF_CONFIG"'
	END
	[ "$(tf_ports | wc -l)" -eq 8 ] || fail "not eight ports in a batch job"
	all_reserved
}

# The user's own number is his, and a mixture of ports could meet itself
# long: tests/spank/scenarios/reserved-ports-asked;
# tests/frameworks/tf/ports-too-few
test_reserved_too_few() {
	succeed srun -N2 --resv-ports=3 --dist-train=tf,procs=4,explain=only true
	says '^ *TF_CONFIG .*ports derived from job'
}

# long: tests/spank/scenarios/args-ports
test_admins_range() {
	afterwards "plugstack '$plug_line'"
	plugstack "optional $plugin ports=24000-24009"
	try srun -N2 -n2 --resv-ports=0 --dist-train=ddp "$show"
	layout 2
	says 'MASTER_PORT=2400[0-9] '
}

# fails_at_5 OPTION...: srun's rank 5 exits when all others are up. A task that
# isn't yet its program misses Slurm's SIGTERM, and ends KillWait later. $took is
# srun's own time, without the wait for nodes.
fails_at_5() {
	rm -f "$d"/up.*
	try salloc -Q -N4 -n8 bash -c 'began=${EPOCHREALTIME/./} rc=0
		srun "$@" || rc=$?
		echo "took $(((${EPOCHREALTIME/./} - began) / 1000)) ms"
		exit $rc' srun "$@" sh -c '
		[ $SLURM_PROCID = 5 ] || {
			: > "$0/up.$SLURM_PROCID"; exec sleep 300; }
		until [ "$(ls "$0" | grep -c "^up[.]")" -eq 7 ]; do
			sleep 0.1
		done; exit 3' "$d"
	took=$(sed -n 's/^took \([0-9]*\) ms$/\1/p' "$d/out")
}

# In task mode srun ends the others, as `srun -K` does, with srun's own code
# takes: all
test_failure_in_task_mode() {
	local bare_rc bare_took

	fails_at_5 -K
	bare_rc=$rc bare_took=$took
	fails_at_5 --dist-train=ddp
	[ "$rc" -eq "$bare_rc" ] || fail "status $rc, srun -K has $bare_rc"
	within $((bare_took / 1000 + 5))
	try srun -N1 -n1 --dist-train=ddp sh -c 'exit 3'
	[ "$rc" -eq 3 ] || fail "status $rc, not 3"
}

test_kill_on_bad_exit_is_the_users() {
	try srun -K0 -N2 -n2 --dist-train=ddp sh -c \
		'[ $RANK = 1 ] && exit 3; sleep 1; echo lives'
	[ "$rc" -eq 3 ] || fail "status $rc, not 3"
	says '^lives$'
}

# Since 26.05 Slurm lets the other tasks save something, without a launcher, too
test_slurms_own_grace() {
	at srun --help > "$d/help"
	grep -q -- --async "$d/help" || skip "this Slurm kills the others at once"
	try srun -N2 -n2 --dist-train=ddp sh -c '
		trap "echo saved; exit 0" TERM
		[ $RANK = 0 ] || { : > "$0/armed"; sleep 300 & wait; }
		until [ -e "$0/armed" ]; do sleep 0.1; done
		exit 3' "$d"
	[ "$rc" -eq 3 ] || fail "status $rc, not 3"
	says '^saved$'
	within 20
}

# How long srun waits for the others after the first exit is the user's
# long: tests/spank/scenarios/single-node
test_wait_is_the_users() {
	succeed srun -N2 -n2 --dist-train=ddp sh -c 'echo "wait ${SLURM_WAIT-}."'
	[ "$(grep -cx 'wait .' "$d/out")" -eq 2 ] || fail "SLURM_WAIT is set"
	succeed env SLURM_WAIT=77 srun -N2 -n2 --dist-train=ddp,supervise=yes \
		sh -c 'echo "wait $SLURM_WAIT."'
	[ "$(grep -cx 'wait 77.' "$d/out")" -eq 2 ] || fail "SLURM_WAIT differs"
}

# long: launcher.first_failure; tests/helpers/launch/test_launch: exit_codes
test_failure_in_device_mode() {
	try srun -N1 --dist-train=ddp,procs=4,grace=1 sh -c \
		'[ $RANK = 2 ] && exit 3; exec sleep 300'
	[ "$rc" -eq 3 ] || fail "status $rc, not 3"
	within 20
	try srun -N1 --dist-train=ddp,procs=4,grace=1 sh -c \
		'[ $RANK = 2 ] && kill -SEGV $$; exec sleep 300'
	[ "$rc" -eq 139 ] || fail "status $rc, not 128 + SIGSEGV"
}

# long: launcher.first_failure; kill_on_bad_exit_is_the_users
test_failure_in_device_mode_on_two_nodes() {
	try srun -N2 --dist-train=ddp,procs=2,grace=1 sh -c \
		'[ $RANK = 3 ] && exit 3; exec sleep 300'
	[ "$rc" -ne 0 ] || fail "status 0 though rank 3 failed"
	try srun -K0 -N2 --dist-train=ddp,procs=2 \
		sh -c 'exit $((RANK == 3 ? 3 : 0))'
	[ "$rc" -eq 3 ] || fail "status $rc, not 3"
}

# Processes that ignore SIGTERM, and grandchildren. On one node: where Slurm
# itself has to end such processes, proctrack/linuxproc may miss some.
# takes: 0.25
test_nothing_survives() {
	afterwards end_sleepers
	try srun -w node1 -N1 --dist-train=ddp,procs=4,grace=0 sh -c \
		'[ $RANK = 3 ] && exit 3; trap "" TERM
		sleep 300 & sleep 300 & wait; wait; sleep 300'
	[ "$rc" -eq 3 ] || fail "status $rc, not 3"
	until_true 15 no_sleepers || fail "a process survives"
}

end_sleepers() {
	local n

	for n in node1 node2; do
		user=root node=$n at pkill -KILL -f '^sleep 300'
	done
}

no_sleepers() {
	local n

	for n in node1 node2; do
		! user=root node=$n at pgrep -f '^sleep 300' > /dev/null ||
			return 1
	done
}

test_signals() {
	user=alice background srun -N2 --dist-train=ddp,procs=2 sh -c \
		'trap "echo got; exit 0" USR1; echo ready; while :; do
		sleep 0.1; done'
	until_true 15 four_lines ready || fail "not ready: $(cat "$d/bg.out")"
	user=root at scancel -s USR1 "$(user=root at squeue -h -t R -o %i)"
	until_true 15 four_lines got || fail "not 4 got it: $(cat "$d/bg.out")"
	wait "$bg" || fail "status $?"
	[ "$(grep -c got "$d/bg.out")" -eq 4 ] || fail "more than once"
}

four_lines() {
	[ "$(grep -c "$1" "$d/bg.out")" -ge 4 ]
}
