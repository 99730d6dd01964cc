# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# metrics=on: programs say how far they are, and dist-train status and the
# timeline show it.
# clusters: plain
# shellcheck disable=SC2016,SC2034,SC2154 # shared with lib.sh; of that shell
# shellcheck source-path=SCRIPTDIR source=../steps.sh
. "$here/steps.sh"
# shellcheck source-path=SCRIPTDIR source=../terminal.sh
. "$here/terminal.sh"

tool=$prefix/bin/dist-train
limit=120

# run_step ARGUMENT...: srun beside the case; what it writes is in $d/bg.out, its
# job in $job
run_step() {
	[[ "$*" != *"$post"* ]] || need_program curl
	: > "$d/bg.out"
	background srun -J "metrics$$" "$@"
	until_true 30 has_job || fail "no job: $(< "$d/bg.out")"
}

has_job() {
	job=$(at squeue -h -n "metrics$$" -o %A)
	[ -n "$job" ]
}

# as_rows: what dist-train status knows, "RANK PERCENT REMAINING STEP LOSS BUSY"
as_rows() {
	at "$tool" status --json "$job" 2> "$d/status.err" | python3 -c '
import json, sys
for r in json.load(sys.stdin)["ranks"]:
    p = r.get("progress")
    if p:
        print(r["rank"], *(p.get(k, "-") for k in (
            "percent", "remaining", "step", "loss", "busy_percent")))
' > "$d/rows" 2> "$d/rows.err"
}

# shows REGEX...: rows of status, each of which some line is
shows() {
	local regex

	as_rows
	for regex; do
		grep -Eq -- "^$regex\$" "$d/rows" || return 1
	done
}

# wait_shows REGEX...
wait_shows() {
	until_true 60 shows "$@" ||
		fail "status doesn't show '$*': $(cat "$d/rows" "$d"/*.err \
			"$d/bg.out")"
}

# ends STATUS: the step, after $d/go
ends() {
	local status

	touch "$d/go"
	wait "$bg"
	status=$?
	[ $status -eq "$1" ] || fail "status $status: $(< "$d/bg.out")"
}

# What a shell may use: a report over HTTPS, of its status and its answer
post='post() {
	curl -sS -m 10 -w " %{http_code}\n" -d "$1" \
		--cacert "$KUBEFLOW_TRAINER_SERVER_CA_CERT" -H \
		"Authorization: Bearer $(cat "$KUBEFLOW_TRAINER_SERVER_TOKEN")" \
		"$KUBEFLOW_TRAINER_SERVER_URL" 2>&1
}
percent() {
	post "{\"trainerStatus\":{\"progressPercentage\":$1}}"
}
wait_go() {
	until [ -e "$DT_GO" ]; do sleep 0.1; done
}'

# shell_step KEYS SCRIPT [ARGUMENT]...: each rank runs it
shell_step() {
	run_step "${@:3}" --export="ALL,DT_GO=$d/go" --dist-train="$1" \
		bash -c "$post; $2"
}

# Shells, in device mode: a file for each rank, and its last word counts
test_files_of_shells() {
	shell_step "ddp,procs=2,metrics=on,timeline=$d/record.%n" \
		'echo $((10 * RANK)).5 > $DIST_TRAIN_PROGRESS_FILE
		echo "percent=$((20 + RANK)) remaining=120 step=300 loss=nan" \
			>> $DIST_TRAIN_PROGRESS_FILE
		wait_go' -N2 --ntasks-per-node=1
	wait_shows '0 20 120 300 -? .*' '1 21 120 300 .*' '2 22 120 300 .*' \
		'3 23 120 300 .*'
	until_true 20 grep -q '"event":"progress".*"rank":2,"percent":22' \
		"$d/record.0" || fail "no mark: $(cat "$d"/record.*)"
	! grep '"loss"' "$d"/record.* || fail "what is no number is in JSON"
	ends 0
	succeed "$tool" timeline "$d/record.0"
	says ' rank 0 is at 20 %$'
}

# One shell in each task, over HTTPS
test_endpoint() {
	shell_step ddp,metrics=on 'percent $((30 + RANK)); wait_go' -N2 -n4
	wait_shows '0 30 .*' '1 31 .*' '2 32 .*' '3 33 .*'
	ends 0
	[ "$(grep -cx '{}' "$d/bg.out")" -eq 4 ] &&
		[ "$(grep -cx ' 200' "$d/bg.out")" -eq 4 ] ||
		fail "not four answers: $(< "$d/bg.out")"
	# A proxy of the user's isn't asked
	succeed env https_proxy=http://192.0.2.1:9 no_proxy=example.org \
		srun -N1 --dist-train=ddp,procs=1,metrics=on bash -c \
		"$post; percent 1; echo \$no_proxy"
	says '^ 200$'
	says '^example\.org,127\.0\.0\.1$'
}

# With the function of the example
test_python() {
	run_step -N2 --ntasks-per-node=1 --dist-train=ddp,procs=2,metrics=on \
		"$PYTHON" "$top/tests/clients/progress_ranks.py" \
		"$top/contrib/examples" "$d/go"
	wait_shows '0 [0-9.]+ [0-9.]+ [0-9]+ [0-9.e+-]+ 50' \
		'3 [0-9.]+ [0-9.]+ [0-9]+ [0-9.e+-]+ 53'
	ends 0
	[ "$(grep -c '^trained ' "$d/bg.out")" -eq 4 ] ||
		fail "not four have trained: $(< "$d/bg.out")"
}

# Ranks of MPI, with the same function
# long: metrics.python (the same function), metrics.endpoint (task mode)
test_mpi() {
	need_pmix
	need_module mpi4py
	run_step -N2 -n4 --mpi=pmix --dist-train=mpi,metrics=on "$PYTHON" -c '
import os, sys, time
from mpi4py import MPI
sys.path.insert(0, sys.argv[1])
from progress import progress
comm = MPI.COMM_WORLD
progress(comm.allreduce(1), 5 + comm.rank)
while not os.path.exists(sys.argv[2]):
    time.sleep(0.1)
' "$top/contrib/examples" "$d/go"
	wait_shows '0 80 - 4 .*' '3 50 - 4 .*'
	ends 0
}

# With nothing but the key; rank 0 reports for all
# takes: 1
# long: large; what it reports is what shells report in metrics.endpoint
test_hugging_face() {
	need_venv torch_users
	need_program tmux
	run_step -N2 --ntasks-per-node=1 --dist-train=ddp,procs=2,metrics=on \
		"$venv" "$top/tests/clients/hf_progress.py" "/tmp/hf.$$" "$d/go"
	wait_shows '0 [1-9][0-9]* [1-9][0-9]* [1-9][0-9]* [0-9.]+ .*'
	in_terminal "'$tool' top $job -d 0.5"
	terminal_shows ' QUIET  *DONE%  *LEFT '
	terminal_shows '^ *0  node1( +[^ ]+){5} +[0-9]+\.[0-9] +[0-9]'
	ends 0
	[ "$(grep -c '^trained ' "$d/bg.out")" -eq 4 ] ||
		fail "not four have trained: $(< "$d/bg.out")"
}

# A framework whose step has a service already
# long: metrics.endpoint, metrics.files_of_shells;
# tests/helpers/services/test_metrics (reports)
test_with_a_service() {
	shell_step horovod,controller=gloo,procs=2,metrics=on \
		'percent $((40 + DIST_TRAIN_RANK)); wait_go' -N2 --ntasks-per-node=1
	wait_shows '0 40 .*' '3 43 .*'
	ends 0
}

# A new round knows nothing of the old one, and has the same ways
# long: tests/helpers/metrics/test_metrics (new_round)
test_restart() {
	shell_step ddp,procs=2,metrics=on,restarts=1,restart-on=any,grace=0 '
		if [ "$DIST_TRAIN_RESTART" = 0 ]; then
			percent 77
			[ "$RANK" != 1 ] || { until [ -e "$DT_GO.1" ]
				do sleep 0.1; done; exit 3; }
			exec sleep 60
		fi
		[ -e "$DIST_TRAIN_PROGRESS_FILE" ] && echo left
		[ "$RANK" != 0 ] || percent 11
		wait_go' -N1
	wait_shows '0 77 .*' '1 77 .*'
	touch "$d/go.1"
	wait_shows '0 11 .*'
	! shows '1 .*' || fail "rank 1 has said nothing: $(< "$d/rows")"
	ends 0
	! grep left "$d/bg.out" || fail "a file of the first round"
}

# Its end is said once, and nobody waits for an answer
test_lost_server() {
	shell_step ddp,procs=2,metrics=on '
		percent 5
		[ "$RANK" != 0 ] || pkill -KILL -P $PPID -x dist-train-metr
		until percent 6 | grep "refused\|Could.*connect to server"; do sleep 0.1; done
		echo 55 > $DIST_TRAIN_PROGRESS_FILE
		wait_go' -N1
	wait_shows '0 55 .*' '1 55 .*'
	ends 0
	[ "$(grep -c '^dist-train: metrics: dist-train-metrics on node1 has ended' \
		"$d/bg.out")" -eq 1 ] || fail "not said once: $(< "$d/bg.out")"
}

# Another user of the node, and what a process of the step may do itself
# code_for USER: what somebody without the token is answered
code_for() {
	user=$1 node=node1 at curl -skm 10 -o /dev/null -w '%{http_code}\n' \
		-H 'Authorization: Bearer x' -d '{}' "$url"
}

test_strangers() {
	local url

	shell_step ddp,procs=1,metrics=on '
		echo "is $KUBEFLOW_TRAINER_SERVER_URL"
		ln -s /etc/passwd $DIST_TRAIN_PROGRESS_FILE
		percent 9
		wait_go' -N1 -w node1
	wait_shows '0 9 .*'
	url=$(sed -n 's/^is //p' "$d/bg.out")
	[ -n "$url" ] || fail "no address"
	[ "$(code_for alice)" = 403 ] || fail "a wrong token is taken"
	# Not even TLS is begun with him
	[ "$(code_for bob)" = 000 ] || fail "bob is answered"
	user=bob node=node1 at sh -c 'cat /tmp/dist-train-*/*' 2> /dev/null &&
		fail "bob reads the step's files"
	user=bob at "$tool" status "$job" > "$d/bob" 2>&1 &&
		fail "bob is told: $(< "$d/bob")"
	wait_shows '0 9 .*'
	ends 0
	[ "$(grep -c '^dist-train: metrics: rank 0 on node1: DIST_TRAIN_PROGRESS_FILE: is no regular file' \
		"$d/bg.out")" -eq 1 ] || fail "not said once: $(< "$d/bg.out")"
	! grep -q root: "$d/bg.out" || fail "the link was followed"
}

# A step ends as fast as without it, and leaves nothing; without it nothing is there
test_end() {
	succeed srun -N1 --dist-train=ddp,procs=2 bash -c \
		'env | grep -E "KUBEFLOW|PROGRESS_FILE"; pgrep dist-train-metr;
		ls -d /tmp/dist-train-*/metrics* 2> /dev/null; echo up'
	[ "$(sort -u <<< "$out")" = up ] || fail "something is there: $out"
	succeed srun -N1 --dist-train=mpi,run-on=first true
	without=$took
	succeed srun -N1 --dist-train=mpi,run-on=first,metrics=on true
	within $((without / 1000 + 3))
	root node1 sh -c '! pgrep dist-train-metr && ! ls -d /tmp/dist-train-[0-9]*' ||
		fail "something is left"
}
