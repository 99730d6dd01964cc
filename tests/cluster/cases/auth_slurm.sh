# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# A cluster without MUNGE: Slurm vouches for users itself (AuthType=auth/slurm), with
# tokens that live 5 s. All other cases do the same with CLUSTER_AUTH=slurm.
# clusters: auth
# takes: 0.25
# shellcheck disable=SC2016,SC2034,SC2086,SC2154 # words; shared with lib.sh, steps.sh

# shellcheck source-path=SCRIPTDIR source=../steps.sh
. "$here/steps.sh"

look="$prefix/bin/dist-train"
token="$PYTHON $top/tests/clients/slurm_token.py"
key=$(printf '%064d' 7)	# of nobody

no_munged() {
	! root login pgrep -x munged || fail "there is a munged"
}

# The first failure is another node's, and after it a restart
test_failure_and_restart() {
	no_munged
	try srun -N3 --ntasks-per-node=1 --dist-train=ddp,procs=2,restarts=1 \
		sh -c '[ "$RANK $TORCHELASTIC_RESTART_COUNT" != "3 0" ] || exit 7
		sleep 1'
	[ "$rc" -eq 0 ] || fail "status $rc"
	ours | grep -q '^dist-train: rank 3 (worker) on node2, pid [0-9]*: exit code 7 ' ||
		fail "no first failure"
	ours | grep -q '^dist-train: restart 1 of 1 of the step' || fail "no restart"
}

# A launcher that begins long after srun, and after all tokens of that time
test_late_launcher() {
	cat > "$d/prolog" <<- 'END'
		#!/bin/sh
		[ $SLURMD_NODENAME = node1 ] || exit 0
		end=$(($(date +%s) + 8))
		until [ $(date +%s) -ge $end ]; do sleep 0.5; done
	END
	chmod 755 "$d/prolog"
	try srun -N2 -w 'node[1-2]' --ntasks-per-node=1 --task-prolog="$d/prolog" \
		--dist-train=ddp,procs=1,grace=1 sh -c \
		'[ $RANK = 0 ] && exit 5; exec sleep 60'
	[ "$rc" -eq 5 ] || fail "status $rc, not 5: they haven't met"
	ours | grep -q '^dist-train: rank 0 (worker) on node1, pid [0-9]*: exit code 5 ' ||
		fail "no first failure"
	[ "$(ours | wc -l)" -eq 2 ] || fail "more is said: $(ours)"
}

# slurmd isn't there when a launcher begins, and comes back: the launcher asks again
test_slurmd_restarts() {
	cat > "$d/prolog" <<- 'END'
		#!/bin/sh
		[ $SLURMD_NODENAME = node2 ] || exit 0
		touch "${0%/*}/begins"
		until [ -e "${0%/*}/goes_on" ]; do sleep 0.1; done
	END
	chmod 755 "$d/prolog"
	background srun -N2 -w 'node[1-2]' --ntasks-per-node=1 --task-prolog="$d/prolog" \
		--dist-train=ddp,procs=1,grace=1 sh -c '[ $RANK = 0 ] && exec sleep 60
		touch "$0"; exit 5' "$d/failed"
	until_true 30 test -e "$d/begins" || fail "no prolog"
	stop_slurmd node2
	afterwards "all_idle 60"
	touch "$d/goes_on"
	until_true 30 test -e "$d/failed" || fail "rank 1 waits for slurmd"
	root node2 slurmd
	wait "$bg"
	rc=$?
	cp "$d/bg.out" "$d/err"
	[ "$rc" -eq 5 ] || fail "status $rc, not 5: $(ours)"
	one_of_ours '^dist-train: rank 1 \(worker\) on node2, pid [0-9]*: exit code 5 '
}

# A word of all launchers, which a program of each node has to have
test_secret_of_services() {
	try srun -N2 --ntasks-per-node=1 --dist-train=ddp,check=full,procs=1 true
	[ "$rc" -eq 0 ] || fail "status $rc"
	! ours | grep -v check || fail "unexpected: $(ours)"
}

# Of another node, too, where slurmd has the socket and not slurmctld
test_who_may_look() {
	launch step --dist-train="ddp,$keys"
	all_up
	find_job
	for node in login node3; do
		succeed "$look" status --json "$job"
		[ "$(grep -o '"rank":' "$d/out" | wc -l)" -eq 6 ] || fail "not 6 ranks"
		user=root succeed "$look" stack "$job"
		user=bob refuse "job $job is alice's: only its user and root" \
			"$look" status "$job"
	done
	node=login
	step_goes_on
	may_go
	step_ends 0
}

# What the launchers of a heterogeneous step tell each other before it starts: here the
# number of devices, which none knows of the other component
test_components() {
	succeed srun -N1 --gres=gpu:2 --dist-train=ddp sh -c 'echo $RANK of $WORLD_SIZE' : \
		-N1 --gres=gpu:1 --dist-train=ddp sh -c 'echo $RANK of $WORLD_SIZE'
	[ "$(sort "$d/out" | xargs)" = '0 of 3 1 of 3 2 of 3' ] || fail "not three: $out"
}

# A path that leads nowhere, as in a container: slurmstepd has opened the socket
test_handed_socket() {
	try srun -N2 --ntasks-per-node=1 --export=ALL,SLURM_SACK_SOCKET=/nonexistent \
		--dist-train=ddp,procs=1,grace=1 sh -c '[ $RANK = 0 ] && exit 5
		ls -l /proc/self/fd | grep sack.socket; exec sleep 60'
	[ "$rc" -eq 5 ] || fail "status $rc, not 5: they haven't met"
	within 20
	ours | grep -q '^dist-train: rank 0 (worker) on node1, ' ||
		fail "no first failure"
	! grep sack.socket "$d/out" || fail "the program has the socket"
}

# --- other users, and other tokens ---

# waits: a step, at $port of srun's host
waits() {
	launch step --dist-train="ddp,$keys"
	all_up
	find_job
	read -r port < <(ports_of "$job")
}

# asks ID DIRECTION READER: as $user, with a token over that
asks() {
	node=node3 at $token make "$3" "slurm-dist-train 1: $2 secret of step $1 $key" \
		> "$d/token" || fail "no token"
	shows "$(< "$d/token")"
}

# shows TOKEN: what is answered
shows() {
	node=node3 at $token ask login "$port" "$1" > "$d/answer" ||
		fail "no answer: $(< "$d/answer")"
}

closed() {
	[ "$(< "$d/answer")" = closed ] || fail "$1: $(< "$d/answer")"
}

test_strangers() {
	local alice bob

	waits
	alice=$(at id -u) bob=$(user=bob at id -u)
	asks "$job.0.0" ask "$alice"
	grep -q '^dist-train: by token: ' "$d/answer" ||
		fail "alice isn't answered: $(< "$d/answer")"
	cp "$d/token" "$d/alices"
	user=bob asks "$job.0.0" ask "$alice"
	closed "bob is answered"
	user=bob asks "$job.0.0" ask "$bob"
	closed "bob is answered"
	asks "$job.1.0" ask "$alice"
	closed "another step"
	asks "$job.0.1" ask "$alice"
	closed "another life"
	asks "$job.0.0" give "$alice"
	closed "the other direction"
	asks "$job.0.0" ask 4294967295
	closed "a token for all"
	sed 's/.$/_/;t' "$d/alices" > "$d/forged"
	shows "$(< "$d/forged")"
	closed "a forged one"
	shows munge
	closed "the question of MUNGE's kind"
	until_true 30 eval '[ $(($(date +%s) - $(stat -c %Y "$d/alices"))) -gt 6 ]'
	shows "$(< "$d/alices")"
	closed "an old one"
	step_goes_on
	may_go
	step_ends 0
}

reach="restarts=1: the step's launchers can't reach each other here"

# meets SOCKET [TIMEOUT]: launchers that srun has told nothing, and that look there for Slurm's
# authentication; srun and slurmstepd, which need it themselves, don't
meets() {
	try srun -N2 -w 'node[1-2]' --ntasks-per-node=1 \
		--export="ALL,SLURM_SACK_SOCKET=$1" "$top/tests/clients/by_hand" \
		"$launcher" ddp,procs=1,restarts=1,timeout=${2:-$((3 * slow))} '' true
	[ "$rc" -ne 0 ] || fail "they have met"
}

# Bob has a socket where Slurm's would be, and says that any token is good
test_squatted() {
	user=bob node=node2 background $token lie /tmp/bobs.socket
	until_true 20 grep -q ready "$d/bg.out" || fail "bob: $(cat "$d/bg.out")"
	meets /tmp/bobs.socket
	ours | grep -q "$reach: /tmp/bobs.socket: user [0-9]* listens there, neither root nor SlurmUser (0)" ||
		fail "not told"
	[ "$(< "$d/bg.out")" = ready ] || fail "bob was asked"
	meets /nonexistent
	ours | grep -q "$reach: Slurm's authentication can't be asked on this host: no socket answers where SLURM_SACK_SOCKET says, at /nonexistent; .*ask the administrator" ||
		fail "not told"
}

# A socket of root's that doesn't answer
test_silent() {
	user=root node=node2 background $token squat /tmp/roots.socket
	until_true 20 grep -q ready "$d/bg.out" || fail "root: $(cat "$d/bg.out")"
	meets /tmp/roots.socket $((12 * slow))
	ours | grep -q "$reach: /tmp/roots.socket doesn't answer within 10 s; slurmd must run here, .*: ask the administrator" ||
		fail "not told"
}

# In a user namespace of the user's own, who listens at Slurm's socket has no number
test_user_namespace() {
	waits
	refuse 'who listens there has no number here, as root .*user namespace' \
		unshare --user --map-user="$(at id -u)" $look status "$job"
	step_goes_on
	may_go
	step_ends 0
}

# The same by dist-train exec, without srun's plugin
test_exec() {
	plugstack
	try srun -N3 --ntasks-per-node=1 "$look" exec ddp,procs=2,grace=1 -- sh -c \
		'[ $RANK != 3 ] || exit 7; exec sleep 60'
	[ "$rc" -eq 7 ] || fail "status $rc"
	ours | grep -q '^dist-train: rank 3 (worker) on node2, ' || fail "no first failure"
}

test_doctor() {
	try salloc -N3 "$look" doctor
	grep -Eq '^ok    auth +all ' "$d/out" || fail "no finding"
}
