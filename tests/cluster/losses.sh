# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# Training that goes on when nodes are lost (tests/clients/plain_resume_loss.py,
# or train_resume_loss.py of PyTorch, and loss_curve.py). Sourced by cases.
# shellcheck disable=SC2034,SC2154 # shared with lib.sh and with the cases

# shellcheck source-path=SCRIPTDIR source=training.sh
. "$here/training.sh"

limit=150
grace=2 lease=$((5 * slow))
folder=		# where the training keeps its log and its checkpoints
lost_at=()	# when nodes were lost, seconds since the epoch
woken=()	# nodes that have been stopped
program=	# with its arguments, but for the folder
judge=()	# more arguments of loss_curve.py

# train -NN SRUN-ARGUMENT...: begin the step beside the case, on the first N
# nodes, also where one of them still ends an earlier job, with $keys; its output
# in $d/step.out and $d/step.err, srun's status in $d/status. $program and
# $framework may say another one.
train() {
	folder=$d/training
	mkdir -p "$folder"
	chmod 777 "$folder"
	[ -n "${program:-}" ] || need_program_of_$prop
	# shellcheck disable=SC2086 # words they are
	begin_step srun "$@" -w "node[1-${1#-N}]" \
		--dist-train="${framework:-ddp},grace=$grace,lease=$lease,$keys" \
		$program "$folder"
}

need_program_of_ring() {
	program="$PYTHON $top/tests/clients/plain_resume_loss.py"
	judge+=(--curve plain_resume_loss)
}

need_program_of_torch() {
	need_torch
	program="$torch $top/tests/clients/train_resume_loss.py"
}

# begin_step COMMAND...: beside the case
begin_step() {
	rm -f "$d/status"
	echo "$*"
	# shellcheck disable=SC2016 # of that shell
	(
		at sh -c 'echo $$ > "$0"; exec "$@"' "$d/srun" "$@" \
			> "$d/step.out" 2> "$d/step.err"
		echo $? > "$d/status"
	) &
	echo $! >> "$d/pids"
}

# --- what the training has done ---------------------------------------------

# steps_done ROUND: that round's, by rank 0
steps_done() {
	cat "$folder/log" 2> /dev/null | grep -c "^step round=$1 rank=0 "
}

has_done() {
	[ -e "$d/status" ] || [ "$(steps_done "$1")" -ge "$2" ]
}

# trains_in ROUND [STEPS]: it does so many
trains_in() {
	until_true 90 has_done "$1" "${2:-3}"
	[ ! -e "$d/status" ] || {
		show_step
		fail "the step ends with status $(< "$d/status"), without round $1"
	}
	[ "$(steps_done "$1")" -ge "${2:-3}" ] || {
		show_step
		fail "nobody trains in round $1"
	}
}

show_step() {
	cut -c 1-200 "$d/step.out" | tail -n 20
	sed 's/^/! /' "$d/step.err" | cut -c 1-300 | tail -n 40
	[ ! -e "$folder/log" ] ||
		grep -E '^(begin|trained)' "$folder/log" | tail -n 30
}

# tells REGEX: a line of srun's output
tells() {
	until_true 20 grep -Eq -- "$1" "$d/step.err" || {
		show_step
		fail "nobody says '$1'"
	}
}

# --- nodes ------------------------------------------------------------------

# fault HOW NODE...: a loss that the training notices; put right at the end
fault() {
	local how=$1 node at
	shift

	for node; do
		afterwards "comes_back $node"
	done
	at=$("$here/node_fault" "$cluster" "$how" "$@") || fail "no $how"
	echo "$how $* at $at"
	lost_at+=("$at")
	[ "$how" != stop ] || woken+=("$@")
}

comes_back() {
	"$here/node_fault" "$cluster" back "$@" > /dev/null
}

# returns NODE: and is one of the step's again
returns() {
	comes_back "$1"
	"$here/node_fault" "$cluster" joined "$1" ||
		fail "$1 is back, and not in the step"
}

# A node with a place is lost, or several are, and others train in its place
lose() {
	fault "$@"
	trains_again
}

# trains_again: processes that have begun since the last loss
trains_again() {
	until_true 90 has_begun_again || {
		show_step
		fail "nobody trains after the loss of $(date -d "@${lost_at[-1]}" +%T)"
	}
	[ ! -e "$d/status" ] || {
		show_step
		fail "the step ends with status $(< "$d/status")"
	}
}

has_begun_again() {
	[ -e "$d/status" ] || awk -v lost="${lost_at[-1]}" '
		match($0, / at=[0-9.]*/) { at = substr($0, RSTART + 4, RLENGTH - 4) }
		$1 == "begin" && at > lost { new[$2] = 1 }
		$1 == "step" && new[$2] { n++ }
		END { exit n < 3 }' "$folder/log"
}

# --- the end ----------------------------------------------------------------

# all_is_well WORLDS: of the rounds that trained ("4,4,3"). The training may end,
# ends well, and is the one that it would have been without a loss; all
# nodes come back, and nothing is left there.
all_is_well() {
	finish 0
	curve_is_right "$1"
	nodes_are_clean
}

# finish CODE: soon
finish() {
	stop_training
	step_ends "$1"
}

stop_training() {
	echo $(($(sed -n 's/^step .* number=\([0-9]*\) .*/\1/p' "$folder/log" |
		sort -n | tail -n 1) + 10)) > "$folder/end.new"
	mv "$folder/end.new" "$folder/end"
}

step_ends() {
	until_true 60 test -s "$d/status" || {
		show_step
		fail "the step doesn't end"
	}
	sed 's/^/! /' "$d/step.err" | cut -c 1-300
	rc=$(< "$d/status")
	echo "-> $rc"
	[ "$rc" -eq "$1" ] || fail "status $rc, not $1"
}

curve_is_right() {
	local at options=(${judge[@]+"${judge[@]}"})

	for at in ${lost_at[@]+"${lost_at[@]}"}; do
		options+=(--lost "$at")
	done
	for at in ${woken[@]+"${woken[@]}"}; do
		options+=(--woken "$at")
	done
	"$PYTHON" -B "$top/tests/clients/loss_curve.py" "$folder" \
		"${options[@]}" --worlds "$1" > "$d/curve" 2>&1 || {
		cat "$d/curve"
		fail "$(grep -m 1 '^fault' "$d/curve" || tail -n 1 "$d/curve")"
	}
	cat "$d/curve"
	sed -n 's/^loss to first step: //p' "$d/curve" >> "$d/took"
	[ ! -s "$d/took" ] || echo "loss to first step:" \
		"$(paste -sd , "$d/took" | sed 's/,/, /g')" > "$d/note"
}

# clean NODE: no process and no file of a step
clean() {
	[ -z "$(list_processes "$1")" ] || return 1
	# shellcheck disable=SC2016
	root "$1" sh -c '! pgrep -f "resume_loss[.]py|ranktable_talk[.]py" &&
		! ls -d /tmp/dist-train-[0-9]* 2> /dev/null'
}

nodes_are_clean() {
	local node

	for node in $(nodes); do
		comes_back "$node"
	done
	: > "$d/undo"
	for node in $(nodes); do
		until_true 20 clean "$node" || {
			root "$node" sh -c 'ps -ef; ls -la /tmp'
			fail "something is left on $node"
		}
	done
	node_returns
}
