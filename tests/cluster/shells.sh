# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# Steps of shells on all four nodes, two in device mode on each (unless procs and
# ranks are others), to which something happens. Sourced by cases.
# shellcheck disable=SC2034,SC2154 # shared with lib.sh and with the cases

grace=2 lease=$((5 * slow)) procs=2 ranks=8
lost=$((lease + lease / 3 + 2))	# at most, until a lost node is noticed

# begin KEYS SCRIPT: the step beside the case; its output in $d/step.out and
# $d/step.err, its status in $d/status
begin() {
	rm -f "$d/status"
	: > "$d/step.out"
	# shellcheck disable=SC2016 # of that shell
	(
		limit=${step_limit:-100} at sh -c \
			'echo $$ > "$0"; exec "$@"' "$d/srun" \
			srun -N4 --ntasks-per-node=1 \
			--dist-train="${framework:-ddp},procs=$procs,grace=$grace,lease=$lease$1" \
			sh -c "echo ready; $2" > "$d/step.out" 2> "$d/step.err"
		echo $? > "$d/status"
	) &
	step=$!
	until_true 60 all_ready || fail "not ready: $(cat "$d"/step.*)"
}

all_ready() {
	[ "$(grep -c '^ready' "$d/step.out")" -eq "$ranks" ]
}

has_ended() {
	[ -s "$d/status" ]
}

# goes_on WHAT
goes_on() {
	! has_ended || fail "$1 ended the step: $(told)"
}

# ends CODE SECONDS
ends() {
	until_true "$2" has_ended || fail "no end within $2 s: $(told)"
	wait "$step"
	told
	[ "$(< "$d/status")" -eq "$1" ] ||
		fail "status $(< "$d/status"), not $1: $(cat "$d/step.err")"
}

told() {
	grep '^dist-train: ' "$d/step.err"
}

# blames REGEX: exactly one line names a first failure, and it is this one
blames() {
	[ "$(told | grep -c 'first failure')" -eq 1 ] ||
		fail "not one first failure: $(told)"
	told | grep -Eq "^dist-train: $1" || fail "not '$1': $(told)"
}

# signal_launcher NODE SIGNAL
signal_launcher() {
	until_true 10 root "$1" pkill "-$2" -f '/dist-train-launc[h] ' ||
		fail "no launcher on $1"
}

# signal_controller SIGNAL: it is beside srun
signal_controller() {
	until_true 10 root login pkill "-$1" -f '^dist-train-ste[p] ' ||
		fail "no controller beside srun"
}

# kill_rank NODE: the last one there
kill_rank() {
	until_true 10 root "$1" pkill -KILL -n -f '^sleep 77$' ||
		fail "no rank on $1"
}

# no_rank NODE...
no_rank() {
	local node

	for node; do
		! root "$node" pgrep -f '^sleep 77$' > /dev/null || return 1
	done
}
