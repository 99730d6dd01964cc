# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# Horovod itself with PyTorch: over MPI, and over Gloo with dist-train-kv.
# clusters: plain
# takes: 1
# shellcheck disable=SC2034,SC2053,SC2086,SC2154 # shared with lib.sh

limit=120

client() {
	need_venv horovod
	sum="$venv -W ignore $top/tests/clients/horovod_sum.py"
}

test_mpi() {
	client
	batch -N2 --ntasks-per-node=2 --dist-train=horovod <<-END
	srun $sum
	END
	ranks_trained 4
	says '^trained rank=3 .* node=node2 local=1 cross=1/2$'
}

# long: horovod.mpi is a batch job, too
test_batch() {
	client
	batch -N2 -n2 --dist-train=horovod <<-END
	srun $sum
	END
	ranks_trained 2
}

# The service is on another host than the ranks: nothing else joins them
# long: dist-train-kv by itself is asserted by tests/helpers/services/test_kv, and
# that Horovod meets there by horovod.service
test_gloo() {
	client
	try "$top/tests/clients/horovod_gloo.sh" "${launcher%-launch}-kv" \
		-N3 --ntasks-per-node=2 --dist-train=horovod $sum
	ranks_trained 6
	says '^trained rank=5 .* node=node3 local=1 cross=2/3$'
}

# Two ranks on each of N nodes, over the service of the step
gloo_trained() {
	ranks_trained $(($1 * 2))
	says "^trained rank=$(($1 * 2 - 1)) .* node=node$1 local=1 cross=$(($1 - 1))/$1\$"
	[ -z "$(ours)" ] || fail "unexpected: $(ours)"
}

# No PMI is needed
test_service() {
	client
	try srun -N2 --mpi=none --ntasks-per-node=2 \
		--dist-train=horovod,controller=gloo $sum
	gloo_trained 2
}

# long: the variables are in tests/frameworks/horovod/gloo-device-mode, and
# contracts.horovod compares them with those of its launcher
test_service_in_device_mode() {
	client
	try srun -N3 --gres=gpu:2 --dist-train=horovod $sum
	gloo_trained 3
}

# at_once OPTION: two steps of one job on the same nodes; each finds its own
# ranks only
at_once() {
	client
	steps_at_once "-N2 -n3 $sum" "-N2 -n2 $sum" -N2 -n4 --dist-train="$1"
	[ "$(grep -c '^trained rank=. world=3 ' "$d/a")" -eq 3 ] ||
		fail "not three ranks: $(cat "$d/a")"
	[ "$(grep -c '^trained rank=. world=2 ' "$d/b")" -eq 2 ] ||
		fail "not two ranks: $(cat "$d/b")"
}

# long: that two steps have two ports is asserted by ports.reserved_for_launchers;
# who hasn't the step's secret gets 403 in tests/helpers/services/test_kv
test_two_at_once() {
	at_once horovod,controller=gloo
}

# Ranks meet through Slurm's PMIx
# long: two steps at once do so in mpi.open_mpi
test_two_at_once_over_mpi() {
	at_once horovod
}

# Three ranks and one: nobody has a number across the nodes
# long: the variables are in tests/frameworks/horovod/gloo-4-nodes-5-tasks
test_batch_over_gloo() {
	client
	batch -N2 -n4 --dist-train=horovod,controller=gloo <<-END
	srun $sum
	END
	ranks_trained 4
	says '^trained rank=2 .* node=node1 local=2 cross=0/1$'
}

# failing_rank CODE SRUN-ARGUMENT...: its peers are in an all-reduce
failing_rank() {
	client
	try env FAIL=1 srun -N2 "${@:2}" $sum
	[[ $rc = $1 ]] || fail "status $rc"
	[ "$(grep -c '^trained ' "$d/out")" -eq 2 ] || fail "it failed too early"
}

# Slurm's PMIx has noticed it too, and kills the step
# long: that the rank is named is asserted by horovod.rank_fails_over_gloo, and a
# failure under PMIx by mpi.failure
test_rank_fails_over_mpi() {
	failing_rank '[1-9]*' --dist-train=horovod,supervise=yes,grace=2
	one_of_ours '^dist-train: rank 1 \(worker\) on node2, .*: exit code 7 '
}

# long: mpi.failure is that of a step with PMIx and without a launcher
test_rank_fails_over_mpi_without_launcher() {
	failing_rank '[1-9]*' --dist-train=horovod
}

test_rank_fails_over_gloo() {
	failing_rank 7 --dist-train=horovod,controller=gloo,grace=2
	one_of_ours '^dist-train: rank 1 \(worker\) on node2, .*: exit code 7 '
}

# long: who hasn't the secret gets 403 in tests/helpers/services/test_kv
# Of another user on the node: the service answers him with 403, and the
# training goes on to its end
test_stranger() {
	client
	background srun -w node1,node2 -N2 --dist-train=horovod,controller=gloo \
		env WAIT="$d/go" sh -c 'echo "at $HOROVOD_GLOO_RENDEZVOUS_ADDR"
		exec '"$sum"
	until_true 60 both_trained
	at=$(sed -n 's/^at //p' "$d/bg.out" | head -n 1)
	[[ $at =~ ^[0-9.]+:[0-9]+/[0-9a-f]{16,}$ ]] || fail "no address: $at"
	port=${at#*:} port=${port%/*}
	for method in GET PUT DELETE; do
		for path in /global/0 / "/$(tr 0-9a-f 1-9a-f0 <<< "${at#*/}")/g/0"; do
			user=bob node=node1 try "$PYTHON" -c '
import http.client, sys
c = http.client.HTTPConnection(sys.argv[1], int(sys.argv[2]), 10)
c.request(sys.argv[3], sys.argv[4], b"evil" if sys.argv[3] == "PUT" else None)
print("answer", c.getresponse().status)' \
				"${at%%:*}" "$port" "$method" "$path"
			says '^answer 403$'
		done
	done
	user=bob node=node1 try sh -c "cat /proc/[0-9]*/environ 2> /dev/null |
		grep -a '${at#*/}'"
	[ "$rc" -eq 1 ] || fail "the secret is public"
	: > "$d/go"
	wait "$bg" || fail "status $?: $(cat "$d/bg.out")"
}

both_trained() {
	[ "$(grep -c '^trained ' "$d/bg.out")" -eq 2 ] ||
		! kill -0 "$bg" 2> /dev/null
}

# Nobody waits for the service when all ranks have ended
# takes: 0.5
test_failing_rank() {
	try srun -N3 --dist-train=horovod,controller=gloo \
		sh -c '[ $SLURM_PROCID != 2 ] || exit 7'
	[ "$rc" -eq 7 ] || fail "status $rc"
	within 20
	one_of_ours '^dist-train: rank 2 \(worker\) on node3, .*: exit code 7 '
}

# While ranks wait for something. The service is the launcher's child; its
# output is in the logs.
# takes: 0.5
test_killed_service() {
	try srun -N2 --dist-train=horovod,controller=gloo,grace=1,log-dir="$d/l" \
		sh -c '[ $SLURM_PROCID != 0 ] || for p in /proc/[0-9]*; do
			grep -q "^Name:	dist-train-kv$" $p/status &&
				grep -q "^PPid:	$PPID$" $p/status &&
				kill -9 ${p#/proc/}
		done
		exec sleep 100'
	[ "$rc" -eq 137 ] || fail "status $rc"
	one_of_ours '^dist-train: service store on node1, pid [0-9]+: signal 9 '
	one_of_ours '^dist-train: 2 other processes were ended'
	[ -e "$d/l/store.err" ] || fail "no log: $(ls "$d/l")"
}

# takes: 0.5
test_refusals() {
	need_pmix
	refuse 'HOROVOD_CONTROLLER=gloo: use the key controller=gloo, which starts' \
		env HOROVOD_CONTROLLER=gloo srun -N2 --dist-train=horovod true
	refuse 'horovod finds its ranks through PMI, ' \
		srun -N2 --mpi=none --dist-train=horovod true
	refuse 'horovod needs one Slurm task per rank' \
		srun -N2 --gres=gpu:2 --dist-train=horovod,controller=mpi true
	refuse 'restarts: not supported with horovod: its store' \
		srun -N2 --dist-train=horovod,controller=gloo,restarts=1 true
	refuse 'supervise=no: the process store needs the launcher' srun -N2 \
		--dist-train=horovod,controller=gloo,supervise=no true
}
