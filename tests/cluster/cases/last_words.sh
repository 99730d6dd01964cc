# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# What ranks say that SIGTERM doesn't end: where they were. One of four hangs,
# and rank 0 fails then.
# clusters: plain
# shellcheck disable=SC2016,SC2034,SC2086,SC2154 # words; shared with lib.sh
# shellcheck source-path=SCRIPTDIR/.. source=../hangs.sh
. "$here/hangs.sh"

limit=90
grace=1
end_s=30	# grace, 5 s, and a busy machine
own=	# a variable of the user's

# shapes KEYS WORD...: what srun starts on two nodes
shapes() {
	[ -n "${torch:-}" ] || need_plain_torch
	step=(srun -N2 --ntasks-per-node=1 "--dist-train=$1" "${@:2}"
		"$clients/fail_later.sh" "$d/fail")
}

# PyTorch: a C function that never gives the GIL back. The peers are in their collective,
# and not where they would be when the first of them has ended. No core file.
# takes: 1
test_gil() {
	need_torch
	shapes "ddp,procs=2,grace=$grace"
	mkdir -m 777 "$d/cwd"
	dir=$d/cwd hang 3 "${step[@]}" sh -c 'ulimit -c $(ulimit -H -c)
		exec "$@"' - $torch "$clients/hang_shapes.py" --sigterm gil 3
	fail_now
	hang_ends 3 $end_s
	blamed_first 'rank 0 (worker) on node1'
	told_hang 3 '\(python3.*\): [0-9]+ threads?, .*; its stacks follow$'
	stacks_of gil "$d/step.err"
	[ "$(grep -c 'hang_shapes.py", line .* in train$' "$d/step.err")" -eq 3 ] ||
		fail "not three stacks of the loop"
	! grep -q 'Connection closed' "$d/step.err" || fail "a peer was woken"
	[ -z "$(ls "$d/cwd")" ] || fail "left: $(ls "$d/cwd")"
}

# The stacks are where the rank's stderr is, and nowhere else
test_log_dir() {
	shapes "ddp,procs=2,grace=$grace,log-dir=$d/logs"
	mkdir -m 777 "$d/logs"
	hang_in=$d/logs/rank-3.out hang 3 "${step[@]}" $torch \
		"$clients/hang_shapes.py" --sigterm asleep 3
	fail_now
	hang_ends 3 $end_s
	told_hang 3 '.*; its stacks are in its log file$'
	stacks_of asleep "$d/logs/rank-3.err"
	! grep -q 'most recent call first' "$d/step.err" ||
		fail "stacks on the terminal"
}

# Here, and below torchrun, what rank 0 leaves behind ends with its launcher: peers
# see that a connection was closed
# long: last_words.gil; tests/helpers/procs/test_last_words
# (speaks_without_core)
# takes: 0.5
test_supervised() {
	shapes "ddp,supervise=yes,grace=$grace" --ntasks-per-node=2
	hang 3 "${step[@]}" $torch \
		"$clients/hang_shapes.py" --sigterm gil 3
	fail_now
	hang_ends 3 $end_s
	blamed_first 'rank 0 (worker) on node1'
	stacks_of gil "$d/step.err"
}

# The shell waits, and has nothing to say
# long: tests/helpers/procs/test_last_words (below_a_shell), test_proc_seen
# (shell_waits)
# takes: 0.5
test_below_a_shell() {
	shapes "ddp,procs=2,grace=$grace"
	hang 3 "${step[@]}" bash -c 'trap : TERM; "$@"; echo over' - $torch \
		"$clients/hang_shapes.py" --sigterm loop 3
	fail_now
	hang_ends 3 $end_s
	told_hang 3 '\(python3.*; its stacks follow$'
	! grep -q 'pid [0-9]* (bash)' "$d/step.err" || fail "a word of the shell"
	stacks_of loop "$d/step.err"
}

# long: last_words.gil; tests/helpers/procs/test_last_words (below_a_shell: a
# program below another)
# takes: 1
test_below_torchrun() {
	need_torchrun
	shapes "torchrun,grace=$grace" --gres=gpu:2
	hang 3 "${step[@]}" env PYTHONUNBUFFERED=1 PET_REDIRECTS=1 \
		PET_TEE=1 torchrun \
		"$clients/hang_shapes.py" --sigterm gil 3
	fail_now
	hang_ends 3 $end_s
	told '.* on node2 hasn.t ended by SIGTERM: .*; its stacks follow$'
	stacks_of gil "$d/step.err"
}

# long: tests/helpers/procs/test_last_words (speaks_without_core: both kinds)
test_stopped() {
	shapes "ddp,procs=2,grace=$grace"
	hang 3 "${step[@]}" $torch "$clients/hang_shapes.py" --sigterm stopped 3
	fail_now
	hang_ends 3 $end_s
	told_hang 3 '.* is stopped by a signal.*; its stacks follow$'
	stacks_of stopped "$d/step.err"
}

# A file system that doesn't answer: not even SIGKILL ends its reader, which is
# said, and the step ends all the same
test_file_system() {
	shapes "ddp,procs=2,grace=$grace"
	mount_hang node2
	hang 3 "${step[@]}" $torch "$clients/hang_shapes.py" --sigterm fuse 3 \
		/tmp/hang/file
	fail_now
	until_true $end_s grep -q '(FUSE)' "$d/step.err" || {
		show_hang
		fail "not told of FUSE"
	}
	told_hang 3 '.* \(state D\) in request_wait_answer \(FUSE\).*; it can neither'
	unmount_hang
	hang_ends 3 $end_s
}

# first_fails COMMAND...: as rank 1; rank 0 ends with 3 when that has made the file
# $READY
first_fails() {
	try env READY="$d/ready" ${own:+"$own"} srun -N1 --dist-train=ddp,procs=2,grace=0 \
		sh -c '[ $RANK = 0 ] || exec "$@"
			until [ -e "$READY" ]; do sleep 0.1; done
			exit 3' - "$@"
}

# No handler for SIGABRT: no signal, and the whole time. The program counts.
test_without_handler() {
	first_fails sh -c 'trap "" TERM
		: > "$READY"
		while sleep 0.1; do echo tick; done'
	[ "$rc" -eq 3 ] || fail "status $rc"
	one_of_ours 'rank 1 .* hasn.t ended by SIGTERM: pid .* \(s.*\): 1 thread, .*; no stacks, for it doesn.t catch SIGABRT$'
	[ "$took" -ge 5000 ] || fail "ended after $took ms, not 5000"
}

# Its own handler runs, and it goes on: SIGKILL comes when it would have
test_own_handler() {
	first_fails "$PYTHON" -c '
import os, signal, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
signal.signal(signal.SIGABRT, lambda *_: os.write(1, b"my own\n"))
open(os.environ["READY"], "w").close()
while True:
    time.sleep(0.1)'
	[ "$rc" -eq 3 ] || fail "status $rc"
	says '^my own$'
	[ "$took" -ge 5000 ] || fail "ended after $took ms, not 5000"
}

# A value of the user's stays: no stacks
# long: last_words.without_handler (the same line);
# tests/helpers/procs/test_proc_seen (no stacks)
test_users_value() {
	own=PYTHONFAULTHANDLER=
	first_fails "$PYTHON" -c '
import os, signal, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
open(os.environ["READY"], "w").close()
while True:
    time.sleep(0.1)'
	[ "$rc" -eq 3 ] || fail "status $rc"
	one_of_ours 'rank 1 .*; no stacks, for it doesn.t catch SIGABRT$'
	! grep -q 'most recent call first' "$d/err" || fail "stacks"
}

# Slurm ends the step: nobody has asked for words
# long: tests/helpers/procs/test_last_words (told_by_slurm)
test_scancel() {
	shapes "ddp,procs=2,grace=$grace"
	hang 3 "${step[@]}" $torch "$clients/hang_shapes.py" --sigterm asleep 3
	root login scancel -u alice
	hang_ends '*' 60
	! grep -q "hasn't ended by SIGTERM" "$d/step.err" || fail "words"
}

# long: last_words.gil; tests/frameworks/jax/procs-2 (PYTHONFAULTHANDLER)
# takes: 1
test_jax() {
	need_venv jax
	hang 3 env JAX_PLATFORMS=cpu srun -N2 --ntasks-per-node=1 \
		"--dist-train=jax,procs=2,grace=$grace" \
		"$clients/fail_later.sh" "$d/fail" "$venv" \
		"$clients/hang_jax.py" --sigterm gil 3
	fail_now
	hang_ends 3 $end_s
	told_hang 3 '.*; its stacks follow$'
	stacks_of gil "$d/step.err"
}
