# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# Standard input of several processes on a node, and a terminal's.
# clusters: plain
# shellcheck disable=SC2016,SC2034,SC2086,SC2154 # shared with lib.sh

limit=120
four='srun -N2 --gres=gpu:2 --dist-train=ddp'

# with_input FILE LINE: in a shell, with the file as the input of its srun
with_input() {
	try sh -c "$2 < $1"
	[ "$rc" -eq 0 ] || fail "status $rc"
	[ -z "$(ours)" ] || fail "unexpected: $(ours)"
}

# said_by_all N WORDS: each of N ranks has said "R<rank> WORDS" once
said_by_all() {
	local rank

	for ((rank = 0; rank < $1; rank++)); do
		[ "$(grep -cx "R$rank $2" "$d/out")" -eq 1 ] ||
			fail "rank $rank hasn't said '$2'"
	done
	[ "$(wc -l < "$d/out")" -eq "$1" ] || fail "more lines than ranks"
}

# long: streams.large_input (every rank has every byte);
# tests/helpers/procs/test_input (copied_to_all)
test_program_from_input() {
	echo 'import os; print("R" + os.environ["RANK"], "ran")' > "$d/in"
	with_input "$d/in" "$four $PYTHON -"
	said_by_all 4 ran
}

test_answer() {
	echo yes > "$d/in"
	with_input "$d/in" "$four sh -c 'read a; echo R\$RANK \$a'"
	said_by_all 4 yes
}

test_large_input() {
	local sum

	head -c $((16 << 20)) /dev/urandom > "$d/in"
	sum=$(sha256sum < "$d/in")
	with_input "$d/in" "$four sh -c 'echo R\$RANK \$(sha256sum)'"
	said_by_all 4 "${sum% *}-"
	# Some read nothing, and end or go on
	truncate -s $((8 << 20)) "$d/in"
	with_input "$d/in" "$four sh -c '[ \$RANK != 1 ] || exit 0
		[ \$RANK != 2 ] || exec < /dev/null; echo R\$RANK \$(wc -c)'"
	says "^R0 $((8 << 20))$"
	says "^R2 0$"
	says "^R3 $((8 << 20))$"
}

# Slurm's own option decides which tasks have any
test_input_of_one_task() {
	echo yes > "$d/in"
	with_input "$d/in" "$four --input=0 sh -c 'read a; echo R\$RANK \$a'" \
		2> /dev/null
	says '^R0 yes$'
	says '^R1 yes$'
	says '^R2$'
	says '^R3$'
	with_input "$d/in" "${four/ddp/ddp --input=none} sh -c \
		'read a; echo R\$RANK \$a; true'"
	says_not yes
}

# long: tests/helpers/procs/test_input (file_of_its_own); streams.answer
test_input_from_file_of_task() {
	echo yes > "$d/in"
	succeed $four --input="$d/in" sh -c 'read a; echo R$RANK $a'
	said_by_all 4 yes
}

# A process that starts again reads from the beginning
# long: tests/helpers/procs/test_input (given_again, too_much_to_give_again)
test_restart() {
	echo yes > "$d/in"
	try sh -c "$four,restarts=1 sh -c 'read a
		[ \$DIST_TRAIN_RESTART = 1 ] || [ \$RANK != 0 ] || kill -9 \$\$
		[ \$DIST_TRAIN_RESTART = 1 ] || sleep 100
		echo R\$RANK \$a' < $d/in"
	[ "$rc" -eq 0 ] || fail "status $rc"
	said_by_all 4 yes
}

# Without the launcher the code is that of a task that Slurm has ended
test_exit_code_in_task_mode() {
	local one='[ $RANK != 1 ] || exit 1; sleep 77'

	try srun -N2 --ntasks-per-node=2 --dist-train=ddp sh -c "$one"
	[ "$rc" -eq 143 ] || fail "status $rc, not 143"
	try srun -N2 --ntasks-per-node=2 --dist-train=ddp,supervise=yes,grace=0 \
		sh -c "$one"
	[ "$rc" -eq 1 ] || fail "status $rc, not 1"
}

# on_terminal WORDS...: srun --pty WORDS on a terminal, where lines are typed:
# each when the output has what stands before it.
# Python 3.13 paints each key that is typed, unless it is told not to
on_terminal() {
	try "$PYTHON" "$top/tests/clients/typist.py" "$d/typed" \
		env "HOME=$d" PYTHON_BASIC_REPL=1 srun --pty "$@"
}

test_terminal() {
	cat > "$d/typed" <<-'END'
	>>> 	import os
	>>> 	print("R" + os.environ["RANK"], os.environ["WORLD_SIZE"])
	R0 2	exit()
	END
	on_terminal -N1 --gres=gpu:2 --dist-train=ddp "$PYTHON" -q
	[ "$rc" -eq 0 ] || fail "status $rc"
	says '^R0 2'
	says_not 'R1 2'
}

# Ctrl-C is for rank 0 alone, too: rank 1, a shell that would end by it, waits
# for the file. What is typed is shown, too, so it mustn't be what is waited for.
test_terminal_interrupt() {
	at "$PYTHON" -c 'import sys; sys.exit(sys.version_info >= (3, 13))' ||
		skip "after Ctrl-C this Python ends with 130"
	cat > "$d/typed" <<-END
	>>> 	import time
	>>> 	print("n" "ow"); time.sleep(1000)
	now	^C
	KeyboardInterrupt	open("$d/go", "w"); exit(0)
	END
	on_terminal -N1 --gres=gpu:2 --dist-train=ddp sh -c '
		[ $RANK = 1 ] || exec "$0" -q
		until [ -e "$1/go" ]; do sleep 0.05; done
		echo "R1 goes on"' "$PYTHON" "$d"
	[ "$rc" -eq 0 ] || fail "status $rc"
	says 'KeyboardInterrupt'
	says '^R1 goes on'
}

# long: streams.terminal, terminal_interrupt; tests/helpers/procs/test_input
# (terminal_for_the_first)
test_breakpoint() {
	cat > "$d/debugged.py" <<-'END'
	import os
	if os.environ["RANK"] == "0":
	    breakpoint()
	print("R" + os.environ["RANK"], "ends")
	END
	cat > "$d/typed" <<-'END'
	(Pdb) 	p 6 * 7
	42	c
	END
	on_terminal -N1 --gres=gpu:2 --dist-train=ddp "$PYTHON" "$d/debugged.py"
	[ "$rc" -eq 0 ] || fail "status $rc"
	says '^R0 ends'
	says '^R1 ends'
}
