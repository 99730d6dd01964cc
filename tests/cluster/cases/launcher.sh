# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# The launcher before each task: labels, log files, the first failure; and the
# number of threads, which needs no launcher.
# clusters: plain
# shellcheck disable=SC2016,SC2034,SC2154 # shared with lib.sh

# Both streams of all ranks at once. srun itself keeps a line whole only up to
# 1024 bytes.
test_label() {
	local rank

	succeed srun -N2 --ntasks-per-node=2 --dist-train=ddp,label=yes sh -c '
		line=$(printf "%0900d" 0 | tr 0 "$RANK")
		for i in 1 2 3 4 5 6 7 8 9 10; do
			echo "out $line"
			echo "err $line" >&2
		done'
	for rank in 0 1 2 3; do
		whole out "$rank" "$d/out"
		whole err "$rank" "$d/err"
	done
	[ "$(wc -l < "$d/out")" -eq 40 ] || fail "other lines in stdout"
}

# whole STREAM RANK FILE: are its ten lines there, with its label, unbroken?
whole() {
	[ "$(grep -Ec "^$2: $1 $2{900}\$" "$3")" -eq 10 ] ||
		fail "not ten whole lines of rank $2 in std$1"
}

# long: tests/helpers/output; label has both streams
test_label_in_device_mode() {
	succeed srun -N2 --dist-train=ddp,procs=2,label=yes sh -c \
		'echo "I am $RANK"'
	[ "$(sort "$d/out")" = "$(printf '%d: I am %d\n' 0 0 1 1 2 2 3 3)" ] ||
		fail "not four labelled lines"
}

# Each file is on the node of its rank, and there alone; nothing on the terminal.
# The name is a sweep's: two commas for one.
test_log_dir() {
	local rank dir=/tmp/launcher-$RANDOM,lr=0.1

	for rank in node1 node2; do
		afterwards "user=root node=$rank at sh -c 'rm -f $dir-*'"
	done
	succeed srun -w node1,node2 --ntasks-per-node=2 \
		--dist-train=ddp,log-dir=${dir//,/,,}-%r sh -c \
		'echo "I am $RANK"; echo "complaint $RANK" >&2'
	[ -z "$out" ] || fail "stdout has: $out"
	for rank in 0 1 2 3; do
		holds "node$((rank / 2 + 1))" $dir-$rank.out "I am $rank"
		holds "node$((rank / 2 + 1))" $dir-$rank.err "complaint $rank"
		node=node$((2 - rank / 2)) try test -e $dir-$rank.out
		[ "$rc" -eq 1 ] || fail "rank $rank's file is on both nodes"
	done
}

# holds NODE FILE TEXT
holds() {
	[ "$(node=$1 at cat "$2")" = "$3" ] || fail "$2 on $1 isn't '$3'"
}

# long: tests/helpers/output/test_output; as log_dir
test_log_tee() {
	local at dir=/tmp/launcher-$RANDOM

	for at in node1 node2; do
		afterwards "user=root node=$at at rm -rf $dir"
	done
	succeed srun -w node1,node2 --ntasks-per-node=2 \
		--dist-train=ddp,log-dir=$dir/,log-tee=0,3 sh -c \
		'echo "I am $RANK"'
	[ "$(sort "$d/out")" = "$(printf 'I am %d\n' 0 3)" ] ||
		fail "not ranks 0 and 3 on the terminal"
	holds node2 $dir/rank-2.out "I am 2"
	holds node2 $dir/rank-3.out "I am 3"
}

culprit='^dist-train: rank 3 \(worker\) on node2, pid [0-9]+: exit code 3'
culprit+=' after [0-9.]+ s \(first failure\)$'

# When the others have ended, so that Slurm needn't end them
rank_3_fails='[ $RANK != 3 ] || { sleep 1; exit 3; }'

# Who failed first is said once, by its node
test_first_failure() {
	try srun -w node1,node2 --dist-train=ddp,procs=2 sh -c \
		"$rank_3_fails"
	[ "$rc" -eq 3 ] || fail "status $rc, not 3"
	one_line "$culprit"
}

# long: failures.hang_task; ports.failure_in_task_mode,
# streams.exit_code_in_task_mode
test_first_failure_in_task_mode() {
	try srun -w node1,node2 --ntasks-per-node=2 \
		--dist-train=ddp,supervise=yes sh -c \
		"$rank_3_fails"
	[ "$rc" -eq 3 ] || fail "status $rc, not 3"
	one_line "$culprit"
	try srun -w node1,node2 --ntasks-per-node=2 --dist-train=ddp sh -c \
		"$rank_3_fails"
	[ "$rc" -eq 3 ] || fail "status $rc, not 3, without the launcher"
	[ -z "$(ours)" ] || fail "unexpected: $(ours)"
}

# On one node: with its device, which the process itself calls 0, and with those
# that were ended for it
test_others_are_ended() {
	try srun -w node1 --gres=gpu:3 \
		--dist-train=ddp,visible=one,local-rank=device,grace=0,label=yes sh -c \
		'[ $RANK = 1 ] && { echo why >&2; exit 3; }; exec sleep 300'
	[ "$rc" -eq 3 ] || fail "status $rc, not 3"
	ours > "$d/ours"
	diff "$d/ours" - <<- END || fail "other lines than these"
		$(head -n 1 "$d/ours" | grep -E "^dist-train: rank 1 \(worker\) on\
 node1, device 1, pid [0-9]+: exit code 3 after [0-9.]+ s \(first failure\)\$")
		dist-train: 2 other processes were ended
	END
	grep -qx '1: why' "$d/err" || fail "its last line isn't shown"
}

test_threads() {
	succeed srun -N2 --ntasks-per-node=2 --dist-train=ddp sh -c \
		'echo "$OMP_NUM_THREADS $OPENBLAS_NUM_THREADS $GOTO_NUM_THREADS"'
	[ "$(grep -Exc '([1-9][0-9]*) \1 \1' "$d/out")" -eq 4 ] ||
		fail "not four processes that know their number of threads"
	succeed srun -N1 -n1 -c1 --dist-train=ddp sh -c \
		'echo "$OMP_NUM_THREADS $OPENBLAS_NUM_THREADS $GOTO_NUM_THREADS"'
	says '^1 1 1$'
}

# long: tests/helpers/node/test_bind_launcher: users_threads
test_users_threads() {
	local keys

	for keys in ddp ddp,label=yes ddp,procs=2; do
		succeed env OMP_NUM_THREADS=7 srun -N2 --dist-train="$keys" \
			sh -c 'echo "has $OMP_NUM_THREADS, blas" \
				${OPENBLAS_NUM_THREADS-none}'
		says 'has 7, blas (none|7)$'
		says_not 'has [^7]'
	done
}
