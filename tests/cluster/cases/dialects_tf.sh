# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# TensorFlow itself with what platforms tell it, which golden files have, too. Its
# import alone takes seconds of CPU for each process; who ends with whom is a
# matter of roles, which shells have as well.
# clusters: plain
# shellcheck disable=SC2016,SC2034,SC2086,SC2154 # shared with lib.sh
# shellcheck source-path=SCRIPTDIR source=../tf.sh
. "$here/tf.sh"

limit=240

# start: standard input becomes the task's start command
start() {
	client
	dir=$d
	cat > "$d/start.sh"
}

# workers_trained N: and one ps; not a word of ours
workers_trained() {
	[ "$rc" -eq 0 ] || fail "status $rc"
	[ "$(grep -o "^trained worker=[0-9] of=$1 ps=1 falling=True\$" \
		"$d/out" | sort -u | wc -l)" -eq "$1" ] ||
		fail "not $1 workers have trained"
	[ -z "$(ours)" ] || fail "unexpected: $(ours)"
}

# chief_trained WORKERS: on node1, with them and one ps
chief_trained() {
	[ "$rc" -eq 0 ] || fail "status $rc"
	says '^loss [0-9.]+ -> 0\.0'
	says "^trained chief on=node1 workers=$1 ps=1\$"
	[ "$(grep -c '^serving \(ps\|worker\) ' "$d/out")" -eq $(($1 + 1)) ] ||
		fail "not $(($1 + 1)) servers"
	[ -z "$(ours)" ] || fail "unexpected: $(ours)"
}

# long: frameworks/ti-one/ps-chief; tensorflow.parameter_servers trains
# As TI-ONE has it: each role is an instance of its own, the command in each
# takes: 1
test_ti_one_ps_worker() {
	start <<-'END'
	echo "tells $INDEX $NODE_LIST $GPU_NUM/$GPU_NUM_PER_NODE $TF_CONFIG"
	exec "$@"
	END
	try $srun -w 'node[1-4]' \
		--dist-train=tf-ps,dialect=ti-one,chief=1,ps=1,workers=2 \
		sh start.sh $ps
	chief_trained 2
	a='"[0-9.]+:[0-9]+"'
	says "^tells 3 ([0-9.]+:1,?){4} 4/1 \\{\"cluster\":\\{\"chief\":\\[$a\\],\"worker\":\\[$a,$a\\],\"ps\":\\[$a\\]\\},\"task\":\\{\"type\":\"ps\",\"index\":0\\},\"environment\":\"cloud\"\\}\$"
}

# long: frameworks/ti-one/ps-beside-a-worker
# Three workers and a ps on three nodes; a script that parses TF_CONFIG itself
# takes: 1
test_ti_one_ps_beside_a_worker() {
	client
	try $srun -w 'node[1-3]' \
		--dist-train=tf-ps,dialect=ti-one,ps=1,workers=3 $ps1
	workers_trained 3
}

# roles SCRIPT: two workers and a ps, shells; each has said which it is
roles() {
	srun="srun -w node[1-2]"
	task='echo "up $DIST_TRAIN_ROLE"
		until [ "$(cat "$0"/up.* 2> /dev/null | wc -l)" -eq 3 ]; do
			echo > "$0/up.$DIST_TRAIN_RANK"; sleep 0.1
		done'
	try $srun --dist-train=tf-ps,dialect=ti-one,ps=1,workers=2,grace=1 \
		sh -c "$task; $1; exec sleep 60" "$d"
}

# Any process that ends with another code than 0 fails the task
# long: tensorflow.worker_fails, tensorflow.killed; dialects.ti_one_failure
test_ti_one_failures() {
	roles '[ $DIST_TRAIN_RANK != 1 ] || exit 3'
	[ "$rc" -eq 3 ] || fail "status $rc, not that of the failure"
	[ "$(grep -c '^up worker$' "$d/out")" -eq 2 ] || fail "not two workers"
	one_of_ours '^dist-train: rank 1 \(worker\) on node2, .*: exit code 3 '
	one_of_ours '^dist-train: 2 other processes were ended$'
	rm "$d"/up.*
	roles '[ $DIST_TRAIN_ROLE != ps ] || kill -KILL $$'
	[ "$rc" -eq 137 ] || fail "status $rc"
	one_of_ours '^dist-train: rank 2 \(ps\) on node2, pid [0-9]+: signal 9 '
}

# long: frameworks/volcano/chief-evaluator
# The hosts of each task, and a TF_CONFIG without the evaluator: the chief would
# wait for its server
# takes: 1
test_volcano_chief() {
	start <<-'END'
	echo "tells $VC_TASK_INDEX$VK_TASK_INDEX $VC_CHIEF_HOSTS" \
		"$VC_WORKER_HOSTS $VC_PS_HOSTS $VC_EVALUATOR_HOSTS" \
		"$VC_CHIEF_NUM$VC_WORKER_NUM$VC_PS_NUM$VC_EVALUATOR_NUM $TF_CONFIG"
	[ "$DIST_TRAIN_ROLE" = evaluator ] || exec "$@"
	END
	try $srun -w 'node[1-2]' \
		--dist-train=tf-ps,dialect=volcano,chief=1,ps=1,evaluator=1 \
		sh start.sh $ps
	chief_trained 2
	says '^tells 11 node1 node1,node2 node2 node2 1211 \{"cluster":\{"chief":\["node1:[0-9]+"\],"worker":\["node1:[0-9]+","node2:[0-9]+"\],"ps":\["node2:[0-9]+"\]\},"task":\{"type":"worker","index":1\}\}$'
	says '^tells 00 .*"task":\{"type":"evaluator","index":0\}\}$'
}

# long: frameworks/volcano/hosts
# As Volcano's examples do: a TF_CONFIG made from the hosts of each task and a
# port of the script's own, so one process per node
# takes: 1
test_volcano_hosts() {
	start <<-'END'
	hosts() { echo "$1" | sed 's/[^,]*/"&:2222"/g'; }
	cluster="\"ps\":[$(hosts $VC_PS_HOSTS)],\"worker\":[$(hosts $VC_WORKER_HOSTS)]"
	task="\"type\":\"$DIST_TRAIN_ROLE\",\"index\":$VK_TASK_INDEX"
	export TF_CONFIG="{\"cluster\":{$cluster},\"task\":{$task}}"
	exec "$@"
	END
	batch -w 'node[1-3]' -n3 -D "$d" <<-END
	#SBATCH --dist-train=tf-ps,dialect=volcano,ps=1,workers=2
	$srun sh start.sh $ps1
	END
	workers_trained 2
}

# long: frameworks/volcano/workers
# Workers alone: two on the first node, one on the second
# takes: 1
test_volcano_workers() {
	start <<-'END'
	echo "tells $VC_TASK_INDEX $VC_WORKER_NUM $VC_WORKER_HOSTS ${VC_PS_HOSTS-none}"
	exec "$@"
	END
	try $srun -w 'node[1-2]' -n3 --dist-train=tf,dialect=volcano \
		sh start.sh $workers
	ranks_trained 3
	says '^tells 2 3 node1,node1,node2 none$'
}

# long: tensorflow.stock_servers; frameworks/kubeflow/stock-ps
# A TFJob's worker beside a ps that we bring: no chief, so the workers run the
# program
# takes: 1
test_kubeflow_stock_ps() {
	start <<-'END'
	echo "runs $DIST_TRAIN_ROLE"
	exec "$@"
	END
	try $srun -w 'node[1-2]' -n2 \
		--dist-train=tf-ps,dialect=kubeflow,ps=1,workers=1,server=stock \
		sh start.sh $ps1
	workers_trained 1
	says '^runs worker$'
	says_not '^runs ps'
}
