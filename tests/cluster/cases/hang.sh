# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# The key hang: PyTorch over Gloo, in which one rank hangs in one of eight ways
# (tests/clients/hang_shapes.py), or which only looks like that (steady.py).
# clusters: plain
# shellcheck disable=SC2034,SC2154 # shared with lib.sh

# shellcheck source-path=SCRIPTDIR source=../losses.sh
. "$here/losses.sh"

limit=240
seconds=8
late=10	# after that time, at most, it is said
clients=$top/tests/clients

# trains KEYS SHAPE RANK [FILE]: the step beside the case, two nodes with two
# ranks each; $layout may say another one
trains() {
	need_torch
	need_stacks py-spy
	folder=$d
	keys="hang=$seconds${1:+,$1}"
	# shellcheck disable=SC2086 # words they are
	begin_step env PATH="$stacks:$PATH" ${state:+XDG_STATE_HOME=$state} srun -N2 -w 'node[1-2]' \
		${layout:---ntasks-per-node=1 --dist-train=ddp,procs=2,grace=2,$keys} \
		$torch "$clients/hang_shapes.py" "${@:2}"
}

# line SHAPE: "FILE:LINE" where it hangs, as a pattern; an endless loop is also at
# the line before, its `while`
line() {
	grep -n "# hangs: $1\$" "$clients/hang_ways.py" "$clients/hang_shapes.py" |
		awk -F : -v shape="$1" 'NR == 1 {
			sub(".*/", "", $1)
			printf "%s:(%d|%d)( |$)", $1, $2, $2 - (shape == "loop") }'
}

# blames RANK SHAPE: it is said in time, and names that rank and that line
blames() {
	local began said

	until_true 120 grep -q '^dist-train: hang: ' "$d/step.err" || {
		show_step
		fail "nobody says that it hangs"
	}
	said=$EPOCHREALTIME
	began=$(awk '$1 == "hanging" { print $3; exit }' "$d/step.out")
	until_true 20 grep -q '^dist-train: signs: ' "$d/step.err"
	sed -n '/^dist-train: hang: /,/^dist-train: signs: /p' \
		"$d/step.err" > "$d/report"
	sed 's/^/! /' "$d/report"
	awk -v b="$began" -v s="$said" -v t="$seconds" -v l="$late" 'BEGIN {
		printf "said %.1f s after the time\n", s - b - t
		exit !(s - b >= t && s - b <= t + l) }' | tee "$d/note" ||
		fail "not in time"
	[ "${PIPESTATUS[0]}" -eq 0 ] || fail "it isn't said in time"
	grep -Eq "^dist-train:   suspect: 1 rank \($1, node[12]\): .*$(line "$2")" \
		"$d/report" || fail "not rank $1 at $(line "$2") is the suspect"
	[ "$(grep -c 'suspect: ' "$d/report")" -eq 1 ] || fail "two suspects"
}

# goes_on: it hasn't ended, and nothing more is said; then it is ended
goes_on() {
	[ ! -e "$d/status" ] || fail "the step has ended with $(< "$d/status")"
	[ "$(grep -c '^dist-train: hang: ' "$d/step.err")" -eq 1 ] ||
		fail "it is said twice"
	end_step
}

end_step() {
	at kill -TERM "$(< "$d/srun")"
	until_true 60 test -s "$d/status" || {
		show_step
		fail "the step doesn't end"
	}
}

# --- each shape ---------------------------------------------------------------

shape() {
	trains "" "$1" 3
	blames 3 "$1"
	goes_on
}

test_asleep() {
	shape asleep
}

test_loop() {
	shape loop
}

test_gil() {
	shape gil
}

test_stopped() {
	shape stopped
}

test_loader() {
	shape loader
}

test_swallowed() {
	shape swallowed
}

test_order() {
	shape order
}

# In task mode the key turns launchers on
test_task_mode() {
	layout="--ntasks-per-node=2 --dist-train=ddp,grace=2,hang=$seconds"
	shape asleep
}

# --- what follows -------------------------------------------------------------

are_two() {
	[ "$(grep -c "$1" "$d/step.out")" -ge 2 ]
}

# It hangs again in the next round, which is the last one
test_restart() {
	seconds=8:restart
	trains restarts=1 asleep 1
	seconds=8
	blames 1 asleep
	until_true 60 grep -q '^dist-train: restart 1 of 1 ' "$d/step.err" || {
		show_step
		fail "no restart"
	}
	until_true 90 test -s "$d/status" || fail "the step doesn't end"
	show_step
	[ "$(< "$d/status")" -eq 124 ] || fail "status $(< "$d/status")"
	[ "$(grep -c '^ready 1 ' "$d/step.out")" -eq 2 ] || fail "not two rounds"
	[ "$(grep -c '^dist-train: hang: ' "$d/step.err")" -eq 2 ] ||
		fail "it isn't said in each round"
}

test_fail() {
	seconds=8:fail
	trains "" loop 2
	seconds=8
	blames 2 loop
	until_true 60 test -s "$d/status" || fail "the step doesn't end"
	[ "$(< "$d/status")" -eq 124 ] || fail "status $(< "$d/status")"
	tells '^dist-train: the step ends \(hang=SECONDS:fail\)'
}

# A rank that is stopped, on one node: another node takes its place
test_spare() {
	seconds=8:restart
	layout="-N3 -w node[1-3] --ntasks-per-node=1 --dist-train=ddp,procs=2,grace=2,spares=1,hang=8:restart"
	trains "" stopped 3
	seconds=8
	blames 3 stopped
	tells '^dist-train: node2 has a rank that hangs \(rank 3, .*: node3, a spare, takes its place'
	until_true 90 are_two "^ready 3 " || {
		show_step
		fail "rank 3 doesn't begin again"
	}
	end_step
}

is_mounted() {
	grep -q mounted "$d/bg.out"
}

# What keeps the stacks hangs in a file system that doesn't answer, and SIGKILL
# doesn't end it: that is no reason to lose a node
test_spare_dead_folder() {
	as_root node1 'mkdir -p /run/dead'
	user=root node=node1 limit=200 background "$PYTHON" \
		"$clients/hang_fuse.py" /run/dead dead
	until_true 10 is_mounted || skip "no FUSE: $(< "$d/bg.out")"
	state=/run/dead
	seconds=8:restart
	layout="-N3 -w node[1-3] --ntasks-per-node=1 --dist-train=ddp,procs=2,grace=2,spares=1,record=off,hang=8:restart"
	trains "" stopped 3
	seconds=8
	blames 3 stopped
	until_true 90 are_two "^ready 3 " || {
		show_step
		fail "rank 3 doesn't begin again"
	}
	grep -q asked "$d/bg.out" || fail "nobody has asked"
	kill "$bg"
	end_step
}

# --- no hangs -----------------------------------------------------------------

# Phases of 40 s, each four times as long as the time, all side by side
test_no_alarm() {
	local mode phase=40 count=1 pids=() jobs=0

	limit=600
	need_torch
	need_stacks py-spy
	[ -z "${LONG:-}" ] || { phase=300 count=12; limit=4000; }
	for mode in checkpoint evaluate compile slow silent debugger; do
		at env PATH="$stacks:$PATH" srun -N2 -w 'node[1-2]' \
			--overlap --ntasks-per-node=1 -O \
			--dist-train=ddp,procs=1,hang=10 \
			$torch "$clients/steady.py" "$mode" "$phase" "$count" \
			> "$d/$mode.out" 2> "$d/$mode.err" < /dev/null &
		pids+=($!)
	done
	for mode in checkpoint evaluate compile slow silent debugger; do
		wait "${pids[jobs++]}" || fail "$mode: $(tail -n 3 "$d/$mode.err")"
		grep -q "^steady $mode" "$d/$mode.out" || fail "$mode hasn't ended"
		! grep -q '^dist-train: hang' "$d/$mode.err" || {
			cat "$d/$mode.err"
			fail "$mode isn't a hang"
		}
	done
}
