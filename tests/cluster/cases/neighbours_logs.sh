# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# log-dir=, timeline=, record= and progress-file= in a folder where another user
# has prepared traps.
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
test_pipes() {
	prepare
	a_trap_of_bob 'mkfifo -m 666 rank-1.out'
	limit=100 try srun -N2 --ntasks-per-node=1 \
		--dist-train="ddp,log-dir=$trap/" sleep 90
	[ "$rc" -ne 0 ] || fail "status 0, not a refusal"
	ours | grep -Fq "log-dir: $trap/rank-1.out is a pipe or a socket, not a file; remove it, or name a file in a folder of your own" ||
		fail "not that line: $(ours)"
	bob_on node1 "mkfifo -m 666 $trap/record"
	limit=100 refuse "timeline: $trap/record is a pipe or a socket, not a file" \
		srun -N1 --dist-train="ddp,timeline=$trap/record" true
}

# His links don't lead her output into her own files
test_links() {
	prepare
	a_trap_of_bob "ln -s $mine rank-0.out; ln -s $d deep"
	refuse "log-dir: $trap/rank-0.out is a symbolic link in a folder that others may write to" \
		srun -N1 --dist-train="ddp,log-dir=$trap" echo INJECTED
	refuse "log-dir: $trap/deep is a symbolic link" \
		srun -N1 --dist-train="ddp,log-dir=$trap/deep/new" echo INJECTED
	refuse "timeline: $trap/rank-0.out is a symbolic link" \
		srun -N1 --dist-train="ddp,timeline=$trap/rank-0.out" true
	[ ! -e "$d/new" ] || fail "a folder was made behind a link"
	alice_keeps_hers
}

# refuse_in_shared: each of the four keys, where bob has put links into $trap
refuse_in_shared() {
	local shared='in a folder that others may write to'

	refuse "log-dir: $trap/rank-0.out is a symbolic link $shared" \
		srun -N1 --dist-train="ddp,log-dir=$trap" echo INJECTED
	refuse "timeline: $trap/rank-0.out is a symbolic link $shared" \
		srun -N1 --dist-train="ddp,timeline=$trap/rank-0.out" true
	try srun -N1 --dist-train="ddp,supervise=yes,record=$trap/deep" true
	ours | grep -Fq "record: $trap/deep is a symbolic link $shared" ||
		fail "record: not that line: $(ours)"
	batch -N1 -w node1 --requeue <<- END
		srun --dist-train=ddp,requeue=failure,progress-file=$trap/deep/steps true
	END
	says "progress-file: .*$trap/deep is a symbolic link $shared"
	[ -z "$(find "$d/deep" -mindepth 1)" ] ||
		fail "something was made behind a link: $(find "$d/deep")"
	alice_keeps_hers
}

# A folder of her group's, where he is, too; and one of his that only he may
# write to
test_group() {
	prepare
	trap=$d/trap
	at sh -c "mkdir $d/deep && chmod 700 $d/deep" || fail "alice can't write"
	as_root node1 "mkdir $trap && chgrp bob $trap && chmod 2775 $trap &&
		chown alice $trap" || fail "no folder"
	bob_on node1 "cd $trap && ln -s $mine rank-0.out && ln -s $d/deep deep"
	refuse_in_shared
	bob_on node1 "mkdir -m 755 $d/bobs && cd $d/bobs &&
		ln -s $mine rank-0.out && ln -s $d/deep deep"
	trap=$d/bobs
	refuse_in_shared
}

# Nor does he read along in a file that he has made, and may read
test_file_of_his() {
	prepare
	a_trap_of_bob '> rank-0.out'
	refuse "log-dir: $trap/rank-0.out belongs to another user, in a folder that others may write to" \
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
