# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# dist-train exec itself, as alice uses the bundle in her home, where no node
# has the plugin; exec/cases lists the plugin's cases that run there, too.
# clusters: exec
# shellcheck disable=SC2016,SC2034,SC2154 # shared with lib.sh; of that shell

exec_it='/home/alice/slurm-dist-train-*-linux/dist-train exec'

# A root folder with nothing in it but the bundle and /proc: the programs need
# no library, no shell, and no file of a distribution
test_empty_root() {
	root node1 sh -ec '
		mkdir -p /tmp/empty/proc /tmp/empty/tmp
		trap "umount /tmp/empty/proc; rm -rf /tmp/empty" EXIT
		mount --bind /proc /tmp/empty/proc
		cp -r /home/alice/slurm-*-linux /tmp/empty/bundle
		program=$(echo /bundle/$(uname -m)/dist-train)
		chroot /tmp/empty "$program" --version
		chroot /tmp/empty "$program" keys --json > /tmp/empty/keys
		"$0" keys --json | cmp - /tmp/empty/keys
		export SLURM_JOB_ID=7 SLURM_STEP_ID=0 SLURM_STEP_NUM_TASKS=1 \
			SLURM_STEP_NUM_NODES=1 SLURM_PROCID=0 SLURM_LOCALID=0 \
			SLURM_NODEID=0 SLURM_GTIDS=0 SLURMD_NODENAME=node1 \
			SLURM_STEP_NODELIST=node1 SLURM_STEP_TASKS_PER_NODE=1
		chroot /tmp/empty "$program" exec ddp -- "$program" --version
		chroot /tmp/empty "$program" exec ddp,procs=2,label=yes -- \
			"$program" --version' "$prefix/bin/dist-train" \
		> "$d/out" 2> "$d/err" ||
		fail "status $?: $(cat "$d/err")"
	cat "$d/out"
	[ "$(grep -Ec '^([01]: )?dist-train [0-9]' "$d/out")" -eq 4 ] ||
		fail "not four programs have run"
}

# What the checksums say is what was unpacked
# long: the bundle is unpacked for each case; sha256sum is not ours
test_checksums() {
	dir=/home/alice try sh -c 'cd slurm-*-linux && sha256sum -c SHA256SUMS'
	[ "$rc" -eq 0 ] || fail "status $rc"
}

# long: tests/helpers/cli/exec/test_exec
test_explain() {
	succeed sh -c "srun -N2 --gpus-per-node=2 $exec_it \
		ddp,explain=only -- false"
	[ "$(grep -c '^rank [0-3] of 4 ' "$d/out")" -eq 4 ] ||
		fail "not four ranks"
}

# Components are one world whose launchers have one secret: the first failure is named
# once, in whichever it is, and ends the others
test_heterogeneous() {
	local exec_ring rank step

	need_ring
	exec_ring="$exec_it ddp,procs=2,grace=1 -- $ring"
	step="srun -w node1 -N1 $exec_ring WAY : -w node2,node3 -N2 $exec_ring WAY"
	succeed sh -c "${step//WAY/1}"
	[ "$(grep -c '^ring [0-5]/6 done' "$d/out")" -eq 6 ] ||
		fail "not one world of six"
	for rank in 1 4; do
		try sh -c "${step//WAY/hang $rank}"
		[ "$rc" -eq 3 ] || fail "status $rc"
		[ "$(ours | grep -c 'first failure')" -eq 1 ] || fail "told: $(ours)"
		one_of_ours "^dist-train: rank $rank \(worker\) on node$((rank / 2 + 1)), pid [0-9]+: exit code 3 "
		one_of_ours '^dist-train: 5 other processes were ended$'
	done
}

# Each task would begin a step of its own in the other's
# long: tests/helpers/cli/exec/test_exec (refusals)
test_never_twice() {
	refuse 'exec: this step is a distributed one already' \
		sh -c "srun -N2 -n2 $exec_it ddp -- $exec_it ddp -- true"
	refuse "exec: this isn't a task of srun; write: srun " \
		sh -c "$exec_it ddp -- true"
	refuse "exec: this isn't a task of srun" \
		salloc -Q -N1 sh -c "$exec_it ddp -- true"
}

# Without the plugin the step of doctor --all-reduce is one of exec's
# long: PyTorch; tests/helpers/cli/doctor/test_all_reduce_ranks
# takes: 1
test_doctor_all_reduce() {
	local limit=120

	need_torch
	try salloc -Q -N2 env USE_LIBUV=0 "$prefix/bin/dist-train" doctor \
		--all-reduce --python="$PYTHON" --timeout=40
	[ "$rc" -eq 0 ] || fail "status $rc"
	says '^ok    all-reduce +all +2 ranks, gloo, PyTorch '
	says '^1 pairs of nodes in 1 rounds, '
}

# Each launcher looks after its own task, and what needs them all is refused
# long: tests/helpers/meet/test_meet (no_munge, no_facts_without_munge)
test_without_munge() {
	need_munge
	local path='PATH=/nowhere'

	try sh -c "srun -N2 --gres=gpu:2 env $path $exec_it \
		ddp,procs=2 -- /bin/sh -c 'echo R\$RANK'"
	[ "$rc" -eq 0 ] || fail "status $rc"
	[ "$(grep -c '^R[0-3]$' "$d/out")" -eq 4 ] || fail "not four ranks"
	try sh -c "srun -N2 --gres=gpu:2 env $path $exec_it ddp -- /bin/true"
	[ "$rc" -ne 0 ] || fail "counts are known"
	one_of_ours 'the number of devices on the other nodes .* procs=N'
	try sh -c "srun -N2 env $path $exec_it ddp,procs=2,restarts=1 -- \
		/bin/true"
	[ "$rc" -ne 0 ] || fail "restarts without a channel"
	one_of_ours 'restarts'
}

# Processes don't wait for that
all_have_met() {
	local ranks

	ranks=$(at sh -c "${exec_it% exec} status --json \
		$(at squeue -h -o %A)" 2> /dev/null | grep -o '"rank":' | wc -l)
	[ "$ranks" -eq 4 ]
}

# exec_waits: a step of exec that waits for the file $d/go; it is \$step, its controller \$controller
exec_waits() {
	mkdir -m 777 "$d/up"
	(
		try sh -c "srun -N2 --ntasks-per-node=1 $exec_it \
			ddp,procs=2,grace=1 -- sh -c 'touch $d/up/\$RANK
			until [ -e $d/go ]; do sleep 0.1; done'"
		echo "$rc" > "$d/status"
		ours > "$d/said"
	) &
	step=$!
	until_true 30 test -e "$d/up/3" || fail "no ranks"
	until_true 30 all_have_met || fail "not all launchers have met"
	controller=$(root node1 pgrep -u alice -f '^dist-train-step [0-9]+ -- ')
}

# The controller is a process beside task 0's launcher, and ends with the step
test_controller() {
	exec_waits
	[ -n "$controller" ] || fail "no controller on node1"
	touch "$d/go"
	wait "$step"
	[ "$(< "$d/status")" -eq 0 ] || fail "status $(< "$d/status")"
	[ ! -s "$d/said" ] || fail "unexpected: $(< "$d/said")"
	! root node1 kill -0 "$controller" 2> /dev/null || fail "it is still there"
}

# Who kills it ends the step, and a line says so
test_controller_killed() {
	exec_waits
	root node1 kill -KILL "$controller"
	wait "$step"
	[ "$(< "$d/status")" -eq 137 ] || fail "status $(< "$d/status")"
	grep -q 'task 0 on node1 has ended or lost its connection (first failure)' \
		"$d/said" || fail "not told: $(< "$d/said")"
}

# PMI is srun's business
# long: tests/helpers/cli/exec/test_exec (refusals)
test_mpi() {
	need_pmix
	refuse 'mpi finds its ranks through PMI.* srun --mpi=pmix' \
		sh -c "srun -N2 -n2 --mpi=none $exec_it mpi -- true"
	succeed sh -c "srun -N2 -n2 --mpi=pmix $exec_it mpi -- \
		sh -c 'echo \$PMIX_RANK \$DIST_TRAIN_RANK'"
	says '^1 1$'
}
