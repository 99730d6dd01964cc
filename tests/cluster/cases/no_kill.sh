# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# Steps that are to outlive a lost node: Slurm must let them, which the plugin
# sets, or the step is refused. What Slurm does by itself with a lost node:
# tests/cluster/experiments/lost_node.
# clusters: plain
# shellcheck disable=SC2016,SC2034,SC2154 # shared with lib.sh

# shellcheck source-path=SCRIPTDIR source=../training.sh
. "$here/training.sh"

spares=--dist-train=ddp,procs=1,spares=1
remedy='^dist-train: spares: Slurm ends this job with its first lost node.*#SBATCH --no-kill'
unknown='^dist-train: a lost node ends this job, unless .*--no-kill'

# no_kill N: so many srun, in their own words
no_kill() {
	[ "$(grep -Ec '^srun: no-kill +: (true|set|1)' "$d/err")" -eq "$1" ] ||
		fail "not $1 with no-kill: $(grep no-kill "$d/err")"
}

test_srun() {
	try srun -vv -N3 --ntasks-per-node=1 $spares \
		sh -c 'echo "default=$SLURM_NO_KILL."'
	[ "$rc" -eq 0 ] || fail "status $rc"
	no_kill 1
	says '^default=\.$'
	try srun -vv --no-kill=off -N3 --ntasks-per-node=1 $spares true
	no_kill 0
	try srun -vv -N2 --ntasks-per-node=1 --dist-train=ddp,procs=1 true
	no_kill 0
}

# steps_of_job [OPTION]...: sbatch's; what they see
steps_of_job() {
	batch -N3 --ntasks-per-node=1 "$@" <<-END
	#SBATCH $1
	echo "default=\$SBATCH_NO_KILL. mark=\$SLURM_DIST_TRAIN_NO_KILL."
	srun $spares /bin/sh -c 'echo "rank \$RANK of \$WORLD_SIZE"'
	echo "srun ended with \$?"
	END
}

# The option on sbatch's command line, in its script, and with --export=NONE
test_sbatch() {
	local option

	for option in --comment=x "$spares"; do
		steps_of_job "$option" $spares
		says '^default=\. mark=1\.$'
		says '^srun ended with 0$'
	done
	steps_of_job "$spares"
	says '^default=\. mark=1\.$'
	says '^rank 1 of '
	steps_of_job "$spares" --export=NONE
	says ' mark=1\.$'
	says '^srun ended with 0$'
	# Who says it himself
	steps_of_job --no-kill
	says ' mark=1\.$'
	steps_of_job --comment=x --no-kill
	says ' mark=1\.$'
	says '^srun ended with 0$'
}

# long: tests/spank/scenarios/recovery-refused; no_kill.salloc (the line)
test_refused_in_batch_job() {
	steps_of_job --comment=x
	says ' mark=\.$'
	says '^srun ended with 1$'
	says_not '^rank'
	one_line "$remedy"
}

test_salloc() {
	local srun="srun -N3 --ntasks-per-node=1 $spares"

	refuse "$remedy" salloc -Q -N3 sh -c "$srun true"
	succeed salloc -Q --no-kill -N3 sh -c "$srun true"
	succeed salloc -Q -N3 sh -c "$srun --no-kill true"
	succeed salloc -Q -N3 srun --ntasks-per-node=1 $spares true
	succeed salloc -Q -N3 $spares sh -c 'srun --ntasks-per-node=1 true'
}

# A script by standard input, which sbatch can't read twice; and a job of which
# nothing can be seen
test_unknown() {
	local job

	printf '%s\n' '#!/bin/sh' "#SBATCH $spares" 'srun sh -c "exit 0"' > "$d/job"
	try sh -c "sbatch --wait -N3 --ntasks-per-node=1 -o $d/all < $d/job"
	[ "$rc" -eq 0 ] || fail "status $rc: $(cat "$d/all")"
	cp "$d/all" "$d/err"
	one_line "$unknown"
	try salloc --no-shell -N3
	job=$(sed -n 's/^salloc: Granted job allocation //p' "$d/err")
	afterwards "at scancel -f $job; until_true 20 job_ended $job"
	try srun --jobid="$job" -N3 --ntasks-per-node=1 $spares true
	[ "$rc" -eq 0 ] || fail "status $rc"
	one_line "$unknown"
}

# begin_spare COMMAND: on four nodes beside the case, in each rank of the world
# when the file `go` is there
begin_spare() {
	: > "$d/step.out"
	(
		at sh -c 'echo $$ > "$0"; exec "$@"' "$d/srun" \
			srun -N4 --ntasks-per-node=1 $spares,lease=$((5 * slow)),grace=2 \
			sh -c 'echo "begun $RANK"
			until [ -e "$0/go" ]; do sleep 0.1; done
			eval "$1"' "$d" "$1" > "$d/step.out" 2> "$d/step.err"
		echo $? > "$d/status"
	) &
	until_true 30 lines begun 3 || fail "no step: $(cat "$d/step.err")"
}

# ends_with CODE: and no node keeps anything
ends_with() {
	local node

	until_true 60 test -s "$d/status" || fail "srun doesn't end"
	cat "$d/step.out" "$d/step.err"
	[ "$(< "$d/status")" -eq "$1" ] || fail "status $(< "$d/status")"
	for node in $(nodes); do
		until_true 20 clean_node "$node" || fail "$node isn't clean"
	done
}

# srun has the survivors' exit code, and doesn't wait for the lost node
lost_node() {
	begin_spare "exit $1"
	afterwards "net node2 up"
	net node2 down
	until_true 30 lines begun 6 || fail "no second round: $(told)"
	touch "$d/go"
	until_true 60 test -s "$d/status" || fail "srun doesn't end"
	net node2 up
	node_returns
	ends_with "$1"
}

test_survivors_succeed() {
	lost_node 0
	grep -q '^dist-train: srun ends the step: the tasks that weren.t lost .* Slurm waits 2 s' \
		"$d/step.err" || fail "srun doesn't say why it ends"
	grep -q '^srun: Job step aborted: Waiting up to 2 seconds' \
		"$d/step.err" || fail "srun waits longer"
}

test_survivors_fail() {
	lost_node 3
}

# As by who presses it until srun says that it ends. Two times needn't be enough:
# the second one counts within a second of the first, and where srun hasn't looked
# in between, on a busy machine, the kernel makes one of both.
test_ctrl_c() {
	begin_spare true
	root login sh -c 'until grep -q "sending Ctrl-C" "$0"; do
		kill -INT "$1" || exit; done' "$d/step.err" "$(< "$d/srun")"
	ends_with 137
}
