# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# log-dir= and timeline= in a folder where another user has prepared traps.
# clusters: plain
# shellcheck disable=SC2034,SC2154 # shared with lib.sh

# bob_on NODE COMMAND: in his shell
bob_on() {
	user=bob node=$1 at sh -c "umask 0; $2" || fail "bob on $1: $2"
}

# a_trap_of_bob COMMAND: in $trap, his folder on all nodes that all may write to
a_trap_of_bob() {
	trap=$d/trap
	bob_on node1 "mkdir $trap && cd $trap && $1"
}

# alice_keeps_hers: $mine has what it had
alice_keeps_hers() {
	[ "$(cat "$mine")" = precious ] || fail "her file: $(cat "$mine")"
}

prepare() {
	chmod 777 "$d"
	mine=$d/mine
	at sh -c "echo precious > $mine && chmod 600 $mine" ||
		fail "alice can't write"
}

# A pipe of his costs her no time: the step is refused at once
test_pipe_in_log_dir() {
	prepare
	a_trap_of_bob 'mkfifo -m 666 rank-1.out'
	limit=100 try srun -N2 --ntasks-per-node=1 \
		--dist-train="ddp,log-dir=$trap/" sleep 90
	[ "$rc" -ne 0 ] || fail "status 0, not a refusal"
	ours | grep -Fq "log-dir: $trap/rank-1.out is a pipe or a socket, not a file; remove it, or name a file in a folder of your own" ||
		fail "not that line: $(ours)"
}

test_pipe_as_timeline() {
	prepare
	a_trap_of_bob 'mkfifo -m 666 record'
	limit=100 refuse "timeline: $trap/record is a pipe or a socket, not a file" \
		srun -N1 --dist-train="ddp,timeline=$trap/record" true
}

# His links don't lead her output into her own files
test_links() {
	prepare
	a_trap_of_bob "ln -s $mine rank-0.out; ln -s $d deep"
	refuse "log-dir: $trap/rank-0.out is a symbolic link in a folder that everybody may write to" \
		srun -N1 --dist-train="ddp,log-dir=$trap" echo INJECTED
	refuse "log-dir: $trap/deep is a symbolic link" \
		srun -N1 --dist-train="ddp,log-dir=$trap/deep/new" echo INJECTED
	refuse "timeline: $trap/rank-0.out is a symbolic link" \
		srun -N1 --dist-train="ddp,timeline=$trap/rank-0.out" true
	[ ! -e "$d/new" ] || fail "a folder was made behind a link"
	alice_keeps_hers
}

# Nor does he read along in a file that he has made, and may read
test_file_of_his() {
	prepare
	a_trap_of_bob '> rank-0.out'
	refuse "log-dir: $trap/rank-0.out belongs to another user, in a folder that everybody may write to" \
		srun -N1 --dist-train="ddp,log-dir=$trap" echo secret
	[ ! -s "$trap/rank-0.out" ] || fail "bob reads it"
}

# Where nobody has set a trap, the folder may be anybody's
test_shared_folder() {
	prepare
	a_trap_of_bob true
	succeed srun -N2 --ntasks-per-node=1 \
		--dist-train="ddp,log-dir=$trap/,timeline=$trap/record" echo up
	succeed srun -N2 --ntasks-per-node=1 \
		--dist-train="ddp,log-dir=$trap/,timeline=$trap/record" echo up
	[ "$(cat "$trap/rank-1.out")" = $'up\nup' ] || fail "not appended"
	[ "$(grep -c '"event":"starting"' "$trap/record")" -eq 4 ] ||
		fail "not four records"
}
