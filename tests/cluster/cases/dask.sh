# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# Dask itself, on CPUs, between the nodes: a cluster of the step alone.
# clusters: plain
# shellcheck disable=SC2016,SC2034,SC2086,SC2154 # shared with lib.sh

# shellcheck source-path=SCRIPTDIR source=../training.sh
. "$here/training.sh"

limit=180

client() {
	need_venv dask
	place="$venv -W ignore $top/tests/clients/dask_place.py"
}

# no_dask: none of its processes is anywhere, and no file
no_dask() {
	local node

	for node in $(nodes); do
		! node=$node user=root at sh -c '
			cat /proc/[0-9]*/cmdline 2> /dev/null | tr "\\0" "\\n"
			ls -d /tmp/dist-train-* /tmp/dask-* 2> /dev/null' |
			grep -E 'dist-train-dask|/tmp/da|/tmp/dist' || return 1
	done
}

started() {
	[ "$(grep -c '^placed ' "$d/bg.out")" -ge 1 ] ||
		! kill -0 "$bg" 2> /dev/null
}

# What Slurm gave is what Dask has; a task is on each node. Another user there finds
# the port, and gets nothing but the dashboard, which is where its owner was told.
# The program ends with client.shutdown(), as many do, and its end is the step's.
# takes: 1
test_tasks_and_strangers() {
	client
	background salloc -Q -w node1,node2 -N2 -c1 --gres=gpu:2 --mem=900 \
		srun --ntasks-per-node=1 --dist-train=dask,dashboard=yes \
		env WAIT="$d/go" SHUTDOWN=1 FAIL=5 $place
	until_true 150 started
	grep -q '^placed on=node1,node2 of=node1 sum=11 threads=2 gpus=4 memory=900 at=tls://' \
		"$d/bg.out" || fail "not as Slurm gave it: $(< "$d/bg.out")"
	address=$(sed -n 's/^placed .* at=\(.*\)/\1/p' "$d/bg.out")
	url=$(sed -n 's/^dist-train: Dask on node1: its dashboard is at \(http:[^;]*\);.*/\1/p' \
		"$d/bg.out")
	[ -n "$url" ] || fail "no address in: $(< "$d/bg.out")"
	user=bob node=node1 try curl -sS -o /dev/null -w '%{http_code}\n' -L "$url"
	says '^200$'
	user=bob try srun -N1 -w node1 -c1 --mem=500 $venv -c '
import sys
from distributed import Client, Security
for scheme, security in (("tls", Security.temporary), ("tcp", Security)):
    try:
        Client(sys.argv[1].replace("tls", scheme), security=security(),
               timeout=3)
        print("got in by", scheme)
    except (ImportError, OSError) as e:
        print("refused", scheme, type(e).__name__)
' "$address"
	says '^refused tcp (OSError|CommClosedError)$'
	user=bob try srun -N1 -w node1 -c1 --mem=500 sh -c 'cd /tmp
		openssl req -x509 -newkey ed25519 -nodes -subj "/CN=dist-train step" \
			-keyout bob.key -out bob.crt 2> /dev/null
		for pair in "" "-cert bob.crt -key bob.key"; do
			echo | openssl s_client $pair -ign_eof -connect $0 2>&1 |
				grep -E "alert|^Verification" | sort -u
		done; rm bob.key bob.crt' "${address#tls://}"
	says 'alert certificate required'
	says 'alert unknown ca'
	: > "$d/go"
	wait "$bg"
	rc=$?
	[ "$rc" -eq 5 ] || fail "status $rc: $(cat "$d/bg.out")"
	grep -Eq '^dist-train: rank 0 \(head\) on node1, .*: exit code 5 ' \
		"$d/bg.out" || fail "not said: $(cat "$d/bg.out")"
	[ "$(grep -c '^placed ' "$d/bg.out")" -eq 1 ] || fail "not run once"
	until_true 20 no_dask || fail "something is left"
}

# Of one user, in one job, on the same nodes
# long: two steps have two ports in ray.two_steps_at_once, ports and frameworks/dask
# takes: 1
test_two_steps_at_once() {
	client
	steps_at_once "-n2 -c1 $place" "-n2 -c1 $place" \
		-w node1,node2 -N2 -n2 -c2 --dist-train=dask
	[ "$(grep -ho '^placed on=node1,node2 .* at=.*' "$d/a" "$d/b" |
		sed 's/.* at=//' | sort -u | wc -l)" -eq 2 ] ||
		fail "not two clusters: $(cat "$d/a" "$d/b")"
	no_dask || fail "something is left"
}

# of_node2 WHAT SIGNAL: to the nanny or to its worker there
of_node2() {
	node=node2 user=root at sh -c 'for p in /proc/[0-9]*; do
		case $(tr "\0" " " < $p/cmdline) in
		*/cmdline*) what= ;; # this search
		*dist-train-dask*) what=nanny ;;
		*multiprocessing.spawn*) what=worker ;;
		*) what= ;;
		esac
		[ "$what" != "$0" ] || kill -"$1" ${p#/proc/}
	done' "$1" "$2" 2> /dev/null
}

# A worker that dies is named, and comes again; the end of its nanny is that of
# the step
# takes: 1
test_killed_worker_and_nanny() {
	client
	background srun -w node1,node2 -c1 --dist-train=dask,grace=2 \
		env WAIT="$d/go" $place
	until_true 150 started
	of_node2 worker KILL
	until_true 60 grep -q 'its nanny starts another one' "$d/bg.out"
	of_node2 nanny KILL
	wait "$bg"
	rc=$?
	cat "$d/bg.out"
	[ "$rc" -eq 137 ] || fail "status $rc"
	grep -Eq '^dist-train: Dask on node2: its worker ended by signal 9; its nanny starts another one$' \
		"$d/bg.out" || fail "not said what ended"
	grep -Eq '^dist-train: service worker-1 on node2, .*: signal 9 ' \
		"$d/bg.out" || fail "no report"
	# Who kills the nanny keeps Python from removing its semaphores
	node=node2 user=root at sh -c 'rm -f /dev/shm/sem.mp-*'
	until_true 20 no_dask || fail "something is left"
}

# long: what ends it is the same in dask.killed_worker_and_nanny and ray.cancelled
# takes: 1
test_cancelled() {
	client
	background srun -w node1,node2 -N2 -c1 --dist-train=dask \
		env WAIT="$d/go" $place
	until_true 150 started
	at scancel -u alice
	wait "$bg"
	rc=$?
	cat "$d/bg.out"
	[ "$rc" -ne 0 ] || fail "status 0"
	until_true 20 no_dask || fail "something is left"
}

test_no_dask_at_all() {
	try srun -w node1,node2 -N2 -c1 --dist-train=dask "$PYTHON" x.py
	[ "$rc" -eq 1 ] || fail "status $rc"
	one_of_ours "^dist-train: Dask on node[1-4]: no Dask in .*python.*; activate the environment before srun, or name its python in the command\$"
	one_of_ours '^dist-train: service head on node[1-4], .*: exit code 1 '
}
