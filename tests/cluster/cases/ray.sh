# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# A cluster of Ray's of the step alone, on CPUs, between the nodes. Ray itself says
# where its actors are and which devices they have; who else is there, what ends
# and what is left, a stand-in shows as well, in a twentieth of the processor's
# time. With --long Ray itself is there, too.
# clusters: plain
# shellcheck disable=SC2016,SC2034,SC2086,SC2154 # shared with lib.sh

# shellcheck source-path=SCRIPTDIR source=../training.sh
. "$here/training.sh"
# shellcheck source-path=SCRIPTDIR source=../ray.sh
. "$here/ray.sh"

limit=240
# What Ray's processes need to start, the product's own minute on an idle machine
[ "$slow" -eq 1 ] || defaults=timeout=$((60 * slow))

# client [ENVIRONMENT]: of contrib/venv
client() {
	need_venv "${1:-ray}"
	place="env RAY_DEDUP_LOGS=0 $venv -W ignore $top/tests/clients/ray_place.py"
	with='' live=yes
}

# either: what these cases look at is the same with both
either() {
	if [ -n "${LONG:-}" ]; then
		client
	else
		standin
	fi
}

# placed FILE WHERE: the program has run, once; Ray's own actors were there
placed() {
	[ "$(grep -c '^placed ' "$1")" -eq 1 ] || fail "not run once: $(< "$1")"
	[ -z "$live" ] || grep -q "^placed $2 " "$1" ||
		fail "not placed $2: $(< "$1")"
}

# The command brings its own environment, which is in no PATH before
# long: test_ray finds the same environments; ray.actors_by_node one of them
# takes: 1
test_environment_of_the_command() {
	local home

	client
	home=${venv%/bin/*}
	try srun -w node1,node2 -N2 -c1 --dist-train=ray bash -c "
		source $home/bin/activate
		exec env RAY_DEDUP_LOGS=0 python -W ignore \\
			$top/tests/clients/ray_place.py"
	[ "$rc" -eq 0 ] || fail "status $rc"
	says '^placed on=node1,node2 of=node1 sum=11 '
	printf '#!/bin/sh\nexec python3 -W ignore %s\n' \
		"$top/tests/clients/ray_place.py" > "$d/run.sh"
	chmod 755 "$d/run.sh"
	try srun -w node1,node2 -N2 -c1 --dist-train=ray env RAY_DEDUP_LOGS=0 \
		PATH="$home/bin:/usr/bin:/bin" "$d/run.sh"
	[ "$rc" -eq 0 ] || fail "status $rc"
	says '^placed on=node1,node2 of=node1 sum=11 '
	[ -z "$(ours)" ] || fail "unexpected: $(ours)"
}

# vLLM asks for the node of its own address; these nodes have no default route
# long: VLLM_HOST_IP is test_ray's and explain's; what vLLM makes of it is not ours
# takes: 1
test_vllm_placement() {
	client
	try srun -w node2,node3 -N2 -c1 --gres=gpu:2 --dist-train=ray $venv \
		-W ignore "$top/tests/clients/ray_vllm.py"
	[ "$rc" -eq 0 ] || fail "status $rc"
	says '^engine on=node2,node2,node3,node3 addresses=2 as_ray=yes$'
	[ -z "$(ours)" ] || fail "unexpected: $(ours)"
}

# verl: its resource pools by trainer.nnodes and trainer.n_gpus_per_node, its
# ray.init() with num_cpus=None and a runtime_env; three cores for each GPU and
# one more, of which this machine may have less
# long: the resources are ray.told's; what verl makes of them is not ours
# takes: 1
test_verl() {
	client
	try env 'RAY_OVERRIDE_RESOURCES={"CPU": 7}' srun -w node2,node3 -N2 -c7 \
		--gres=gpu:2 --dist-train=ray $venv -W ignore \
		"$top/tests/clients/ray_verl.py"
	[ "$rc" -eq 0 ] || fail "status $rc"
	says '^verl runner on=node[23] pool=node2,node2,node3,node3 ranks=0,1,2,3 sum=6$'
	[ -z "$(ours)" ] || fail "unexpected: $(ours)"
}

# OpenRLHF: a job that is submitted to the fixed address of its script
# long: that Ray takes RAY_ADDRESS before the script's is Ray's; frameworks/ray has it
# takes: 1
test_job_submit() {
	limit=400
	client ray_default
	mkdir -p "$d/sent"
	cp "$top/tests/clients/ray_place.py" "$d/sent/train.py"
	chmod -R a+rX "$d/sent"
	try srun -w node1,node2 -N2 -c2 --dist-train=ray,dashboard=yes,timeout=150 \
		"${venv%/*}/ray" job submit --address=http://127.0.0.1:8265 \
		--runtime-env-json="{\"working_dir\": \"$d/sent\"}" \
		-- python3 -W ignore train.py
	[ "$rc" -eq 0 ] || fail "status $rc"
	says 'placed on=node1,node2 of=node[12] sum=11 '
	says 'succeeded'
}

# Counts as Slurm gave them; an actor on each node is on that node. The command
# brings its environment, which is in no PATH before.
# takes: 1
test_actors_by_node() {
	client
	try srun -w node2,node3 -N2 -c1 --gres=gpu:2 --dist-train=ray bash -c "
		source ${venv%/*}/activate
		exec env RAY_DEDUP_LOGS=0 python -W ignore \\
			$top/tests/clients/ray_place.py"
	[ "$rc" -eq 0 ] || fail "status $rc"
	says '^placed on=node2,node3 of=node2 sum=11 cpus=2 gpus=4 '
	[ "$(grep -c '^placed ' "$d/out")" -eq 1 ] || fail "not run once"
	[ -z "$(ours)" ] || fail "unexpected: $(ours)"
	no_ray || fail "Ray is still there"
}

# Of each node its own, by the ids that Slurm chose; its place in the topology by
# the names that NeMo-RL looks for
# long: ray.told has the numbers and ids that Ray is started with
# takes: 1
test_gpus() {
	client
	background srun -N1 -w node1 --gres=gpu:3 sleep 100
	until_true 20 is_running
	try srun -w node1,node2 -N2 -c1 --gres=gpu:2 --dist-train=ray $venv \
		-W ignore "$top/tests/clients/ray_devices.py" GPU CUDA_VISIBLE_DEVICES
	kill "$bg"
	[ "$rc" -eq 0 ] || fail "status $rc"
	says '^devices GPU=node1:3,node1:4,node2:0,node2:1 gpus=4 npus=0$'
	says '^node 1 2 2$'
	says '^node 2 2 2$'
}

# What each node's Ray is started with: the devices that Slurm chose, by their
# numbers, its place in the topology by NeMo-RL's name, TI-ONE's name of its rank,
# its cores, and what the user has told Ray by himself
test_told() {
	standin RAY_OVERRIDE_RESOURCES=mine
	background srun -N1 -w node1 --gres=gpu:3 sleep 100
	until_true 20 is_running
	try srun $with -w node1,node2 -N2 -c1 --gres=gpu:2 \
		--dist-train=ray,dialect=ti-one $place
	kill "$bg"
	[ "$rc" -eq 0 ] || fail "status $rc"
	placed "$d/out"
	[ -z "$(ours)" ] || fail "unexpected: $(ours)"
	told_words node1 --num-gpus=2 --num-cpus=1 --head \
		'--resources={"topo_rank": 1, "worker_units": 2, "NPU": 0, "Rank:0": 1} '
	told_words node2 --num-gpus=2 --num-cpus=1 --address= \
		'--resources={"topo_rank": 2, "worker_units": 2, "NPU": 0, "Rank:1": 1} '
	told node1 CUDA_VISIBLE_DEVICES=3,4 RAY_OVERRIDE_RESOURCES=mine
	told node2 CUDA_VISIBLE_DEVICES=0,1 RAY_OVERRIDE_RESOURCES=mine
	no_ray || fail "Ray is still there"
}

# The nodes of two components, which aren't alike, are one cluster
# takes: 0.5
test_components() {
	either
	try srun $with -w node1 -N1 -c1 --gres=gpu:1 --dist-train=ray $place : \
		$with -w node2,node3 -N2 -c1 --gres=gpu:2 $place
	[ "$rc" -eq 0 ] || fail "status $rc"
	placed "$d/out" 'on=node1,node2,node3 of=node1 sum=111 cpus=3 gpus=5'
	[ -n "$live" ] || {
		told_words node1 --num-gpus=1 --head
		told_words node2 --num-gpus=2 --address=
		told_words node3 --num-gpus=2 --address=
	}
	[ -z "$(ours)" ] || fail "unexpected: $(ours)"
	no_ray || fail "Ray is still there"
}

# TI-ONE's Ray: the script reads its names, and finds each node by its rank. Five
# GPUs on three nodes: each node offers what Slurm gave there.
# long: frameworks/ti-one/ray has the variables, ray.told the resources
# takes: 1
test_ti_one() {
	client
	try srun -w node2,node3,node4 -N3 -c1 --gpus=5 \
		--dist-train=ray,dialect=ti-one $venv -W ignore \
		"$top/tests/clients/ray_rank.py"
	[ "$rc" -eq 0 ] || fail "status $rc"
	says '^ranked on=node2,node3,node4 sum=111 rank=0 devices=5 gpus=([1-3],){2}[1-3]$'
	[ -z "$(ours)" ] || fail "unexpected: $(ours)"
}

# Ray's own variable for custom resources is the user's
# long: ray.told has the variable
# takes: 1
test_users_resources() {
	client
	try env "RAY_OVERRIDE_RESOURCES={\"disk\": 3}" srun -w node1,node2 -N2 -c1 \
		--dist-train=ray $venv -W ignore -c 'import ray; ray.init()
print("disks", ray.cluster_resources()["disk"])'
	[ "$rc" -eq 0 ] || fail "status $rc"
	says '^disks 6.0$'
}

# With the agents and the dashboard, which have most of Ray's fixed ports: none of
# them is used, and no file of another place
# long: test_ray_words has every port and folder
# takes: 1
test_ports_and_files() {
	client ray_default
	background srun -w node1,node2 -N2 -c1 --dist-train=ray,timeout=150 \
		env WAIT="$d/go" $place
	until_true 200 started
	user=root node=node1 at sh -c '
		awk "\$4 == \"0A\" {print \$2}" /proc/net/tcp /proc/net/tcp6
		ls -d /tmp/ray 2> /dev/null
		ls -l /proc/[0-9]*/fd 2> /dev/null | sed -n "s,.* -> /tmp/,/tmp/,p"' \
		> "$d/used"
	: > "$d/go"
	wait "$bg" || fail "status $?: $(cat "$d/bg.out")"
	grep -q ':....$' "$d/used" || fail "no port is listened at"
	grep '^/tmp/dist-train-[0-9]' "$d/used" || fail "none of its files is open"
	# 6379 8265 10001 44217 44227 52365, 10002 and on for workers
	! grep -Ei ':(18EB|2049|271.|ACB9|ACC3|CC8D)$' "$d/used" ||
		fail "a port that others' Ray has too"
	! grep '^/tmp' "$d/used" | grep -v '^/tmp/dist-train-' ||
		fail "a file of another place"
}

# The program finds it at the address that was printed, with the token only
# long: test_ray_words has what it is started with, and our line
# takes: 1
test_dashboard() {
	client ray_default
	try srun -w node1,node2 -c1 --dist-train=ray,dashboard=yes,timeout=150 \
		$venv -W ignore -c '
import os, ray, urllib.error, urllib.request
url = "http://" + ray.init(log_to_driver=False).dashboard_url + "/"
ask = urllib.request.Request(url + "api/version")
try:
    print("open", urllib.request.urlopen(ask).status)
except urllib.error.HTTPError as e:
    print("closed", e.code)
ask.add_header("Authorization", "Bearer " + os.environ["RAY_AUTH_TOKEN"])
print("found", urllib.request.urlopen(ask).status, "at", url)'
	[ "$rc" -eq 0 ] || fail "status $rc"
	says '^closed 40[13]$'
	url=$(ours | sed -n 's/^dist-train: Ray on node[1-4]: its dashboard is at \(http:[^ ]*\) .*/\1/p')
	[ -n "$url" ] || fail "no address in: $(ours)"
	says "^found 200 at $url\$"
}

# long: tests/helpers/services/test_ray_words (no_dashboard)
test_no_dashboard() {
	either
	try srun $with -w node1,node2 -N2 -c1 --dist-train=ray,dashboard=yes $place
	[ "$rc" -eq 1 ] || fail "status $rc"
	one_of_ours "dashboard=yes: this Ray has none; pip install 'ray\[default\]'"
}

# The program's own end is that of the step, at once
test_exit_code() {
	either
	batch -N2 -c1 --dist-train=ray <<-END
	srun $with env FAIL=5 $place
	echo "ended with \$?"
	END
	says '^ended with 5$'
	one_of_ours '^dist-train: rank 0 \(head\) on node1, .*: exit code 5 '
	no_ray || fail "Ray is still there"
}

started() {
	[ "$(grep -c '^placed ' "$d/bg.out")" -ge 1 ] ||
		! kill -0 "$bg" 2> /dev/null
}

# Of two users on one node: each has its own, and the end of one isn't that
# of the other
test_two_users_at_once() {
	either
	background srun $with -N1 -w node1 -c1 --dist-train=ray \
		env WAIT="$d/go" $place
	until_true 150 started
	user=bob try srun $with -N2 -w node1,node2 -c1 --dist-train=ray $place
	[ "$rc" -eq 0 ] || fail "the second one: status $rc"
	placed "$d/out" 'on=node1,node2 of=node1 sum=11 cpus=2'
	kill -0 "$bg" 2> /dev/null || fail "the first one is gone"
	: > "$d/go"
	wait "$bg" || fail "the first one: status $?"
	placed "$d/bg.out" 'on=node1 of=node1 sum=1 cpus=1'
	no_ray || fail "Ray is still there"
}

# Of one user, in one job, on the same nodes
test_two_steps_at_once() {
	either
	steps_at_once "$with -n2 -c1 $place" "$with -n2 -c1 $place" \
		-w node1,node2 -N2 -n2 -c2 --dist-train=ray
	for name in a b; do
		placed "$d/$name" 'on=node1,node2 of=node1 sum=11 cpus=2'
	done
	[ "$(grep -ho ' at=.*' "$d/a" "$d/b" | sort -u | wc -l)" -eq 2 ] ||
		fail "they have one head"
	no_ray || fail "Ray is still there"
}

# A node is gone with all its processes, while the program runs
# long: failures.node_lost_device (the line, 137); ray.lost_launcher (no Ray
# where nobody can end it in order)
# takes: 0.25
test_lost_node() {
	either
	background srun $with -w node1,node2 -N2 -c1 \
		--dist-train=ray,grace=2,lease=5 env WAIT="$d/go" $place
	until_true 150 started
	afterwards "restart_node node2"
	lose_node node2
	wait "$bg"
	rc=$?
	restart_node node2
	sed -i /restart_node/d "$d/undo"
	cat "$d/bg.out"
	node_returns
	[ "$rc" -ne 0 ] || fail "status 0"
	grep -q '^dist-train: no sign of life from node2 for [0-9]* s' "$d/bg.out" ||
		fail "node2 isn't named"
	nobody_left
}

# A node's part of the cluster ends while the program runs
test_killed_worker() {
	either
	background srun $with -w node1,node2 -c1 --dist-train=ray,grace=2 \
		env WAIT="$d/go" $place
	until_true 150 started
	node=node2 user=root at sh -c 'for p in /proc/[0-9]*; do
		[ "$(cat $p/comm)" != raylet ] || kill -9 ${p#/proc/}
	done' 2> /dev/null
	wait "$bg"
	rc=$?
	cat "$d/bg.out"
	[ "$rc" -eq 137 ] || fail "status $rc"
	grep -Eq '^dist-train: Ray on node2: raylet \(pid [0-9]+\) ended by signal 9$' \
		"$d/bg.out" || fail "not said what ended"
	grep -Eq '^dist-train: service worker-1 on node2, .*: exit code 137 ' \
		"$d/bg.out" || fail "no report"
	no_ray || fail "Ray is still there"
}

# nobody_left: no Ray, although nobody could end it in order
nobody_left() {
	until_true 20 no_ray || fail "Ray is still there"
}

# The node's launcher is gone, and with it what it watched
test_lost_launcher() {
	either
	background srun $with -w node1,node2 -c1 --dist-train=ray,grace=2 \
		env WAIT="$d/go" $place
	until_true 150 started
	node=node2 user=root at sh -c 'for p in /proc/[0-9]*; do
		! grep -q "^Name:	dist-train-laun" $p/status ||
			kill -9 ${p#/proc/}
	done'
	wait "$bg"
	rc=$?
	cat "$d/bg.out"
	[ "$rc" -eq 137 ] || fail "status $rc"
	grep -Eq '^dist-train: .*node2' "$d/bg.out" || fail "node2 isn't named"
	nobody_left
}

test_cancelled() {
	either
	background srun $with -w node1,node2 -N2 -c1 --dist-train=ray \
		env WAIT="$d/go" $place
	until_true 150 started
	at scancel -u alice
	wait "$bg"
	rc=$?
	cat "$d/bg.out"
	[ "$rc" -ne 0 ] || fail "status 0"
	nobody_left
}

# A program that isn't Ray's Python never answers; or the head is there, but on
# node2 nothing answers
# long: mindspore.no_scheduler (the same line);
# tests/helpers/launch/test_services (no_answer)
test_no_answer() {
	printf '#!/bin/sh\nexec sleep 100\n' > "$d/python3"
	chmod 755 "$d/python3"
	try srun -w node1,node2 -N2 -c1 --dist-train=ray,timeout=3 "$d/python3" x.py
	[ "$rc" -eq 1 ] || fail "status $rc"
	within 40
	one_of_ours '^dist-train: service head on node[1-4] doesn.t answer at port [0-9]+ after 3 s'
	standin RAY_STANDIN_FAILS=hangs
	try srun $with -w node1,node2 -N2 -c1 --dist-train=ray,timeout=3 $place
	[ "$rc" -eq 1 ] || fail "status $rc"
	one_of_ours "^dist-train: service worker-1 on node2 doesn.t answer at port [0-9]+ after 3 s"
	says_not '^placed'
	nobody_left
}

# Ray gives up on each node after 30 s; here it says so at once, the first time
test_slow_nodes() {
	standin RAY_STANDIN_FAILS=late
	try srun $with -w node1,node2 -N2 -c1 --dist-train=ray,timeout=40 $place
	[ "$rc" -eq 0 ] || fail "status $rc"
	placed "$d/out"
	for node in node1 node2; do
		[ "$(grep -c '^start ' "$d/ray/$node")" -eq 2 ] ||
			fail "not started twice on $node: $(cat "$d/ray/$node")"
	done
	[ -z "$(ours)" ] || fail "unexpected: $(ours)"
	no_ray || fail "Ray is still there"
}

# Somebody else is at the head's port
# long: ports.asked_port_in_use (the same line);
# tests/spank/scenarios/peers-busy-port
test_busy_port() {
	standin
	background srun -N1 -w node1 -c1 "$PYTHON" -c '
import socket, time
s = socket.create_server(("", 23456))
print("placed ", flush=True)
time.sleep(100)'
	until_true 20 started
	try srun $with -w node1,node2 -N2 -c1 --dist-train=ray,port=23456 $place
	kill "$bg"
	[ "$rc" -ne 0 ] || fail "status 0"
	one_of_ours '^dist-train: port 23456 on node1 is in use'
}

# Ray itself doesn't want to: what it says is shown
test_head_refuses() {
	standin RAY_STANDIN_FAILS=node1
	try srun $with -w node1,node2 -N2 -c1 --dist-train=ray $place
	[ "$rc" -eq 1 ] || fail "status $rc"
	one_of_ours '^dist-train: Ray on node1: ray start ended with 1$'
	one_of_ours '^dist-train: service head on node1, .*: exit code 1 '
	grep -qx 'ray: a reason of its own' "$d/err" ||
		fail "Ray's reason isn't shown"
}

# long: tests/helpers/services/test_ray (interpreter: no Ray in);
# ray.head_refuses (the service's end)
test_no_ray_at_all() {
	for i in no yes; do
		try srun -w node1,node2 -N2 -c1 --dist-train=ray,dashboard=$i \
			"$PYTHON" x.py
		[ "$rc" -eq 1 ] || fail "status $rc"
		one_of_ours "^dist-train: Ray on node1: no Ray in $PYTHON; activate the environment before srun, or name its python"
		! ours | grep 'ray\[default\]\|ray start ended' ||
			fail "another reason"
	done
	one_of_ours '^dist-train: service head on node[1-4], .*: exit code 1 '
}
