# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# run-on=first, and launchers that want ssh on nodes that have none.
# clusters: plain
# shellcheck disable=SC2016,SC2034,SC2154 # shared with lib.sh

limit=60

# run SCRIPT: on the first of three nodes
run() {
	try srun -w 'node[1-3]' --dist-train=mpi,run-on=first sh -c "$1"
}

# threads NUMBER: so many ranks know theirs, without a word of the launcher's user
threads() {
	[ "$(grep -Exc 'threads ([1-9][0-9]*) \1 \1' "$d/out")" -eq "$1" ] ||
		fail "not $1 ranks that know their number of threads"
}

know='echo "threads $OMP_NUM_THREADS $OPENBLAS_NUM_THREADS $GOTO_NUM_THREADS"'

# Two on each node; then as many as Slurm has given tasks
# takes: 1
test_mpirun() {
	mpirun_on_all
	try_mpi srun -N4 -n5 -m cyclic --dist-train=mpi,run-on=first \
		mpirun.openmpi sh -c "$know; exec $d/sum"
	ranks_trained 5
	threads 5
}

# takes: 0.25
test_hydra() {
	need_program mpiexec.mpich
	try srun -N3 --dist-train=mpi,run-on=first mpiexec.mpich -n 3 \
		sh -c "$know; "'sleep 2; echo "on $SLURMD_NODENAME"'
	[ "$rc" -eq 0 ] || fail "status $rc"
	[ "$(grep -c '^on node[1-3]$' "$d/out")" -eq 3 ] ||
		fail "not on three nodes"
	threads 3
}

# pdsh itself, by its own name, on PATH or not
need_pdsh() {
	pdsh=$(command -v pdsh) || skip "there is no pdsh"
	pdsh_dir=$(dirname "$pdsh")
}

test_pdsh() {
	need_pdsh
	run "PATH=\$PATH:$pdsh_dir"'
	pdsh -S -w node1,node3 "echo \"on \$SLURMD_NODENAME\"; exit 3"
	echo "code $?"'
	[ "$rc" -eq 0 ] || fail "status $rc"
	says '^node1: on node1$'
	says '^node3: on node3$'
	says '^code 3$'
}

# DeepSpeed's own launcher, which calls pdsh, which calls ssh
# long: pdsh and what it calls are rsh.pdsh; what the launcher is told is in
# tests/frameworks/run-on/deepspeed
# takes: 1
test_deepspeed() {
	need_pdsh
	need_venv deepspeed
	limit=280
	try env PYTHONDONTWRITEBYTECODE=1 PYTHONWARNINGS=ignore srun \
		-w 'node[1-2]' --gres=gpu:2 --dist-train=deepspeed,run-on=first sh -c "
		PATH=$(dirname "$venv"):\$PATH:$pdsh_dir
		deepspeed --hostfile \$DIST_TRAIN_HOSTFILE \\
			--master_port \$DIST_TRAIN_MASTER_PORT \\
			$top/tests/clients/train.py"
	sed -i 's/^node[0-9]*: //' "$d/out"
	ranks_trained 4
	says '^trained rank=3 world=4 node=node2$'
}

# long: tests/frameworks/run-on/roles; rsh.tidied (its code), seeds.mpirun (one
# mpirun)
test_once() {
	run 'echo "here $SLURMD_NODENAME"; exit 6'
	[ "$rc" -eq 6 ] || fail "status $rc, not the program's"
	[ "$(grep '^here' "$d/out")" = 'here node1' ] || fail "not once"
	refuse 'run-on=first: the processes of tf-ps' \
		srun -N2 --dist-train=tf-ps,run-on=first true
}

test_like_ssh() {
	run 'ssh -p 22 -o StrictHostKeyChecking=no -x -n -lroot alice@node3 \
		-i key echo "on \$SLURMD_NODENAME"
	ssh -T node2 "echo here; exit 7"; echo "code $?"
	ssh node2 "kill -9 \$\$"; echo "killed $?"
	echo word | ssh node3 "read x; echo \"heard \$x\""
	FOO="a b" ssh node2 "echo \"foo \$FOO\""
	ssh -x --external-launcher node2 "echo as Hydra asks for it"
	ssh --no-such-option node2 true
	ssh localhost "echo \"home \$SLURMD_NODENAME\""
	ip=$(getent hosts node2 | cut -d" " -f1)
	ssh "$ip" "echo \"at $ip \$SLURMD_NODENAME\""
	ssh nowhere true; echo "code $?"'
	[ "$rc" -eq 0 ] || fail "status $rc"
	for line in 'on node3' here 'code 7' 'killed 137' 'heard word' \
		'foo a b' 'as Hydra asks for it' 'home node1' \
		'at [0-9.]* node2' 'code 255'; do
		says "^$line\$"
	done
	grep -q "^dist-train-rsh: 'nowhere' isn't a node of the step" \
		"$d/err" || fail "no line about nowhere"
	grep -q '^dist-train-rsh: unknown option --no-such-option$' "$d/err" ||
		fail "no line about --no-such-option"
}

nap=43$BASHPID	# seconds; another run's case sleeps for others

no_sleep() {
	! pgrep -f "^sleep ${nap}[12]" > /dev/null
}

# The command ends with the one that waits for it, while the step goes on, and
# with the step
# takes: 0.25
test_nothing_left() {
	run "nap=$nap"'
	(ssh node2 "sleep ${nap}1; true") &
	until ssh node2 "pgrep -f ^sleep.${nap}1"; do sleep 0.1; done
	kill -9 $(pgrep -x srun)
	wait
	n=0
	while ssh node2 "pgrep -f ^sleep.${nap}1"; do
		n=$((n + 1))
		[ $n -lt 30 ] || exit 9
		sleep 0.2
	done
	ssh node2 "sleep ${nap}2" &
	until ssh node2 "pgrep -f ^sleep.${nap}2"; do sleep 0.1; done
	exit 3'
	[ "$rc" -eq 3 ] || fail "status $rc"
	until_true 20 no_sleep || fail "a command is left"
}

# mpirun ends while its daemons still tidy up; they may
# takes: 0.25
test_tidied() {
	run "
	ssh node2 'echo begun; until [ -e $d/ended ]; do sleep 0.01; done
		sleep 0.3; echo tidied >> $d/left' > $d/begun &
	until [ -s $d/begun ]; do sleep 0.01; done
	touch $d/ended; exit 4"
	[ "$rc" -eq 4 ] || fail "status $rc"
	[ -e "$d/left" ] || fail "was ended"
}

# What srun complains of is shown, and nothing else of it
test_srun_errors() {
	run 'ssh node2 true && SLURM_JOB_ID=4000000 ssh node2 true
	echo "code $?"'
	says '^code [1-9]'
	grep -q '^srun: error: .*[Ii]nvalid job id' "$d/err" ||
		fail "srun's error isn't shown: $err"
	[ "$(grep -c '^srun: ' "$d/err")" -le 2 ] ||
		fail "srun says more: $err"
}
