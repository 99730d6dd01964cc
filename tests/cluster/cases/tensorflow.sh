# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# TensorFlow itself, on CPUs, between the nodes. Its import alone takes seconds
# of CPU for each process, so these are few. Which process has which role, and what
# ends with it, a stand-in shows as well; with --long TensorFlow itself is there.
# clusters: plain
# shellcheck disable=SC2034,SC2086,SC2154 # shared with lib.sh
# shellcheck source-path=SCRIPTDIR source=../tf.sh
. "$here/tf.sh"

limit=240

# trained WORKERS PS: the chief has, with so many of each
trained() {
	[ "$rc" -eq 0 ] || fail "status $rc"
	says "^variables on task:0 task:$(($2 - 1))\$"
	says '^loss [0-9.]+ -> 0\.0'
	says "^trained chief on=node1 workers=$1 ps=$2\$"
}

# The user's own servers; they never end by themselves
# takes: 1
test_parameter_servers() {
	client
	try $srun -N2 --dist-train=tf-ps,chief=1,ps=1,workers=1 $ps
	trained 1 1
	[ "$(grep -c '^serving \(ps\|worker\) ' "$d/out")" -eq 2 ] ||
		fail "not two servers of the user's own"
	[ -z "$(ours)" ] || fail "unexpected: $(ours)"
}

# Task mode, cyclic: each Slurm task has one role
test_stock_servers() {
	either
	try $srun -N3 -n6 -m cyclic \
		--dist-train=tf-ps,chief=1,ps=2,server=stock $ps
	if [ -n "$live" ]; then
		trained 3 2
		says_not '^serving'
	else
		[ "$rc" -eq 0 ] || fail "status $rc"
		says '^trained chief on=node1$'
		[ "$(grep -Ec '^stock (worker [012]|ps [01]) at=node[123]:' "$d/out")" \
			-eq 5 ] || fail "not five servers"
	fi
	[ "$(grep -c '^trained ' "$d/out")" -eq 1 ] || fail "not one chief"
	[ -z "$(ours)" ] || fail "unexpected: $(ours)"
}

# The sum has one digit for each worker's number
# takes: 1
test_workers() {
	client
	try $srun -N2 -n2 --dist-train=tf $workers
	ranks_trained 2
	[ "$(grep -o 'at=[^ ]*' "$d/out" | sort -u | wc -l)" -eq 2 ] ||
		fail "not two addresses"
}

# long: what we give is frameworks/tf/device-mode; the rest is Keras'
# fit() of Keras 2; with Keras 3, TensorFlow's default, it fails without us, too
# takes: 1
test_keras_fit() {
	client
	need_venv tf_keras
	try env TF_USE_LEGACY_KERAS=1 $srun -N2 --gres=gpu:2 --dist-train=tf \
		env TF_CPP_MIN_LOG_LEVEL=2 "$venv" \
		"$top/tests/clients/keras_fit.py"
	ranks_trained 4
	[ -z "$(ours)" ] || fail "unexpected: $(ours)"
}

# Without reserved ports, by address, on nodes that are not the job's first
# long: frameworks/tf/addr-ip and port, spank/scenarios/peers-by-address
# takes: 1
test_workers_by_address() {
	client
	try $srun -w node2,node4 -n2 --dist-train=tf,addr=ip,port=27000 $workers
	ranks_trained 2
	says 'at=[0-9.]*:27000 '
}

test_worker_fails() {
	either
	try $srun -N2 -n2 --dist-train=tf,supervise=yes,grace=3 $workers 1 7
	[ "$rc" -eq 7 ] || fail "status $rc, not that of the failure"
	one_of_ours '^dist-train: rank 1 \(worker\) on node2, .*: exit code 7 '
}

# long: frameworks/tf/*0-tasks has the sizes; that TensorFlow reads them is its own
# 4,000 tasks all know each other; of 20,000 a worker knows itself and the ps,
# and where all would have to know all, the step is refused with the size
# takes: 1
test_large_steps() {
	client
	try env TF_CPP_MIN_LOG_LEVEL=2 PYTHONDONTWRITEBYTECODE=1 "$venv" \
		"$top/tests/clients/tf_large.py" "$prefix/bin/dist-train"
	[ "$rc" -eq 0 ] || fail "status $rc"
	says '^read worker=4000 worker:3999 at=node1000:[0-9]+ bytes='
	says '^read ps=100 worker=1 worker:7 at=node2:[0-9]+ bytes='
	try "$prefix/bin/dist-train" explain tf --nodes 'node[1-5000]' \
		--tasks-per-node 4
	[ "$rc" -eq 1 ] || fail "status $rc, not 1"
	one_of_ours 'TF_CONFIG would have [0-9]{6} bytes for 20000 processes'
}

trains_or_ended() {
	grep -q '^loss' "$d/bg.out" || ! kill -0 "$bg" 2> /dev/null
}

# killed ROLE INDEX RANK-AND-PLACE: while the chief trains
killed() {
	either
	background $srun -w 'node[1-3]' \
		--dist-train=tf-ps,chief=1,ps=2,server=stock,grace=2 $ps wait
	until_true $((limit - 20)) trains_or_ended
	grep -q '^loss' "$d/bg.out" || fail "no training: $(cat "$d/bg.out")"
	kill_role "$1" "$2"
	wait "$bg"
	rc=$?
	cat "$d/bg.out"
	[ "$rc" -eq 137 ] || fail "status $rc"
	grep -Eq "^dist-train: rank $3, pid [0-9]+: signal 9 \(SIGKILL\)" \
		"$d/bg.out" || fail "the report isn't that of rank $3"
	grep -Eq '^dist-train: [45] other processes were ended' "$d/bg.out" ||
		fail "the others' end isn't reported"
}

test_killed() {
	killed chief 0 '0 \(chief\) on node1'
	killed ps 1 '5 \(ps\) on node3'
	killed worker 1 '2 \(worker\) on node2'
}
