# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# Steps on node1 to node3 whose six ranks wait until they may go
# (tests/clients/waits.sh), also several side by side: each has a folder, $s.
# Sourced by cases.
# shellcheck disable=SC2034,SC2154 # shared with lib.sh and with the cases

# shellcheck source-path=SCRIPTDIR source=training.sh
. "$here/training.sh"

limit=120
grace=2 lease=$((6 * slow)) timeout=$((5 * slow))
s=	# the folder of the step in use
keys=procs=2,grace=$grace,lease=$lease,timeout=$timeout
strangers=()	# processes of another user beside the case

# launch NAME ARGUMENT...: begin a step beside the case. What it writes is in
# $s/out and $s/err, srun's process id in $s/srun, its status in $s/status.
launch() {
	new_step "$1"
	begin_step "${@:2}"
}

# new_step NAME: its folder, to put something into it first; srun's environment
# is in $s/environment
new_step() {
	s=$d/$1
	mkdir -m 777 "$s"
	: > "$s/out"
	: > "$s/err"
	echo "export DT_HOLD=$s" > "$s/environment"
}

# It lives as long as the case looks at it: each look has a limit of its own, and one
# that is slow is to be named, not the step
begin_step() {
	local limit=$((10 * limit))

	# shellcheck disable=SC2016 # of that shell
	(
		at sh -c 'echo $$ > "$0/srun"; . "$0/environment"; exec "$@"' \
			"$s" srun -J "${s##*/}" -w 'node[1-3]' \
			--ntasks-per-node=1 "$@" \
			"$top/tests/clients/waits.sh" "$s" \
			>> "$s/out" 2>> "$s/err"
		echo $? > "$s/status.new"
		mv "$s/status.new" "$s/status"
	) &
}

# has FILE...: of the step's folder
has() {
	local file

	for file; do
		[ -e "$s/$file" ] || return 1
	done
}

# wait_for WHAT FILE...: of the step's folder
wait_for() {
	until_true 60 has "${@:2}" || {
		show_step_output
		fail "$1: not in 60 s"
	}
}

all_up() {
	wait_for "all ranks" up.0 up.1 up.2 up.3 up.4 up.5
}

show_step_output() {
	echo "--- ${s##*/}"
	ls "$s"
	cut -c 1-300 "$s/out"
	sed 's/^/! /' "$s/err" | cut -c 1-300
}

# step_goes_on: it hasn't ended, and all is well
step_goes_on() {
	[ ! -e "$s/status" ] || {
		show_step_output
		fail "the step has ended with $(< "$s/status")"
	}
	[ -z "$(step_says)" ] || fail "unexpected: $(step_says)"
}

# Our lines of the step
step_says() {
	grep '^dist-train: ' "$s/err" || true
}

# step_ends STATUS [SECONDS]: a pattern
step_ends() {
	local code

	until_true "${2:-60}" has status || {
		show_step_output
		fail "no end of the step within ${2:-60} s"
	}
	show_step_output
	code=$(< "$s/status")
	echo "-> $code"
	# shellcheck disable=SC2053 # a pattern
	[[ $code == $1 ]] || fail "status $code, not $1"
}

may_go() {
	touch "$s/go"
}

# find_job: its number is in $job
find_job() {
	until_true 20 job_is_known || fail "no job of the step"
	job=$(< "$s/job")
}

job_is_known() {
	[ -s "$s/job" ] || {
		root login squeue -h -n "${s##*/}" -o %A > "$s/job"
		[ -s "$s/job" ]
	}
}

# find_process NODE PATTERN: of the step's job, with that command line; its
# process id is in $s/pid
find_process() {
	local job

	find_job
	until_true 30 is_there "$1" "$2" "$job" || {
		show_step_output
		fail "no process '$2' of job $job on $1"
	}
}

is_there() {
	# shellcheck disable=SC2016 # of that shell
	root "$1" sh -c 'pgrep -f "$0" | while read -r p; do
			! tr "\0" "\n" < /proc/$p/environ |
				grep -qx "SLURM_JOB_ID=$1" || echo "$p"
		done' "$2" "$3" > "$s/pid" && [ -s "$s/pid" ] &&
		sed -i q "$s/pid"
}

# The launcher has a step's variables, and slurmstepd the name of one
find_launcher() {
	find_process "$1" '/dist-train-launc[h] '
}

# find_controller [NODE]: of the step, beside srun
find_controller() {
	find_process "${1:-login}" '^dist-train-ste[p] '
}

find_stepd() {
	local job

	find_job
	until_true 30 stepd_is_there "$1" "$job" ||
		fail "no slurmstepd of job $job on $1"
}

stepd_is_there() {
	root "$1" pgrep -o -f "^slurmstepd: \\[$2[.]" > "$s/pid"
}

# hold_plugin: files in $s hold tasks of the steps of this case
hold_plugin() {
	compile_plugin hold "$here/hold_plugin.c"
	plugstack "$plug_line" "required $d/hold.so"
	afterwards "plugstack '$plug_line'"
}

# nothing_left_of_step: no process and no folder of its job on any node
nothing_left_of_step() {
	local node job

	find_job

	for node in login node1 node2 node3; do
		until_true 30 gone_from "$node" "$job" || {
			root "$node" ps -ef
			fail "something of job $job is left on $node"
		}
	done
}

gone_from() {
	# shellcheck disable=SC2016 # of that shell
	root "$1" sh -c '
		! pgrep -f "^slurmstepd: \\[$0[.]" > /dev/null &&
		! grep -lsz "^SLURM_JOB_ID=$0\$" /proc/[0-9]*/environ &&
		! ls -d /tmp/dist-train-$0.* 2> /dev/null' "$2"
}

# next_step_works: on all nodes, and none is drained
next_step_works() {
	all_nodes_well
	# shellcheck disable=SC2016 # of that shell
	succeed srun -N4 --dist-train=ddp,procs=2 sh -c 'echo "next $RANK"'
	[ "$(grep -c '^next [0-7]$' "$d/out")" -eq 8 ] ||
		fail "the next step: other output"
}

# stranger USER NODE NAME ARGUMENT...: tests/clients/NAME.py beside the case;
# its output is in $d/stranger.N, N counts them
stranger() {
	local out=$d/stranger.${#strangers[@]}

	: > "$out"
	(
		export DIST_TRAIN_CLUSTER=$cluster
		exec "$top/contrib/cluster" exec -u "$1" "$2" -- timeout -k 5 \
			"${limit:-60}" "$PYTHON" "$top/tests/clients/$3.py" \
			"${@:4}"
	) < /dev/null > "$out" 2>&1 &
	strangers+=($!)
	echo $! >> "$d/pids"
	until_true 30 grep -q . "$out" || fail "no stranger: $*"
}

# All strangers have ended, and have done something
strangers_end() {
	local pid

	for pid in "${strangers[@]}"; do
		wait "$pid" || fail "a stranger: status $?: $(cat "$d"/stranger.*)"
	done
	cat "$d"/stranger.*
	strangers=()
}
