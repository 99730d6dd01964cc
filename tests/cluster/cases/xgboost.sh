# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# XGBoost itself, on CPUs, between the nodes, with its tracker.
# clusters: plain
# takes: 1
# shellcheck disable=SC2016,SC2034,SC2086,SC2154 # shared with lib.sh

limit=120

client() {
	need_venv xgboost
	train="$venv -W ignore $top/tests/clients/xgboost_train.py"
}

# trained_by WORLD SUM: all ranks, each with the step's number, and one model
trained_by() {
	[ "$rc" -eq 0 ] || fail "status $rc"
	[ "$(grep -c "^trained rank=[0-9]* same=True world=$1 sum=$2 errors=[0-9.]* " \
		"$d/out")" -eq "$1" ] || fail "not $1 ranks: $(cat "$d/out")"
	[ "$(sed -n 's/^trained .* errors=\([^ ]*\) .*/\1/p' "$d/out" |
		sort -u | wc -l)" -eq 1 ] || fail "not one model"
}

# Nodes with different numbers of tasks, in another order
test_task_mode() {
	client
	try srun -w node2,node3 -N2 -n3 -m cyclic --dist-train=xgboost $train
	trained_by 3 111
	[ -z "$(ours)" ] || fail "unexpected: $(ours)"
}

# long: the variables are in tests/frameworks/xgboost/device-mode, and
# xgboost.failing_rank has a launcher on each node, too
test_device_mode() {
	client
	batch -N2 --ntasks-per-node=1 --gres=gpu:2 <<-END
	srun --dist-train=xgboost $train
	END
	trained_by 4 1111
	says '^trained rank=3 .* node=node2$'
}

# The order of ranks is that of the step with more than ten, too
# long: the tracker sorts words; that they are as long as each other is in
# tests/frameworks/xgboost/task-ids, and that it keeps the order in
# xgboost.task_mode
test_many() {
	client
	try srun -N4 -n12 -O --dist-train=xgboost $venv -c '
import os
from xgboost import collective as coll
with coll.CommunicatorContext(
        dmlc_tracker_uri=os.environ["DMLC_TRACKER_URI"],
        dmlc_tracker_port=int(os.environ["DMLC_TRACKER_PORT"]),
        dmlc_task_id=os.environ["DMLC_TASK_ID"]):
    print("same", coll.get_rank() == int(os.environ["DIST_TRAIN_RANK"]))'
	[ "$rc" -eq 0 ] || fail "status $rc"
	[ "$(grep -c '^same True$' "$d/out")" -eq 12 ] || fail "$(cat "$d/out")"
}

# Its tracker is rank 0's own
# long: the variables are in tests/frameworks/kubeflow/xgboost*; who serves the
# port is the program's own affair
test_kubeflow() {
	client
	try env TRACKER=1 srun -N2 -n4 --dist-train=xgboost,dialect=kubeflow \
		sh -c "$train | sed 's/ same=[A-Z][a-z]*/ same=True/'"
	trained_by 4 1111
}

# long: that two steps have two ports is asserted by ports.reserved_for_launchers,
# and that a tracker is the step's own by xgboost.killed_tracker
test_two_at_once() {
	client
	two_at_once xgboost "$train" '^trained rank=. same=True world=2 '
}

test_failing_rank() {
	client
	rank_1_fails xgboost "$train"
}

# Its tracker is a process of the step, and while ranks train its loss is the
# step's end
# takes: 0.5
test_killed_tracker() {
	client
	try srun -N2 -n2 --dist-train=xgboost,grace=1 $venv -c '
import os, subprocess, time
if os.environ["DIST_TRAIN_RANK"] == "0":
    subprocess.run(["pkill", "-KILL", "-f", "/[d]ist-train-xgboost"])
time.sleep(100)'
	[ "$rc" -eq 137 ] || fail "status $rc"
	one_of_ours '^dist-train: service tracker on node1, pid [0-9]+: signal 9 '
	one_of_ours '^dist-train: 2 other processes were ended'
}

# takes: 0.5
test_no_xgboost_at_all() {
	try srun -N2 -n2 --dist-train=xgboost "$PYTHON" x.py
	[ "$rc" -eq 1 ] || fail "status $rc"
	one_of_ours "^dist-train: XGBoost's tracker on node1: no XGBoost in .*; activate the environment before srun, or name its python in the command\$"
	one_of_ours '^dist-train: service tracker on node1, .*: exit code 1 '
}
