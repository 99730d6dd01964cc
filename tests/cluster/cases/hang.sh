# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# The key hang: a training in which one rank hangs in one of eight ways
# (tests/clients/hang_shapes.py), or which only looks like that (steady.py). PyTorch
# over Gloo is that of loader, order and torchrun; the others have a stand-in.
# clusters: plain
# shellcheck disable=SC2016,SC2034,SC2086,SC2154 # words; shared with lib.sh

# shellcheck source-path=SCRIPTDIR source=../hangs.sh
. "$here/hangs.sh"

limit=240
follows=	# the key's word behind the time, and more keys
client=		# with its arguments, but for SHAPE and RANK
prop=plain_	# or nothing: real PyTorch
two='-N2 -w node[1-2] --ntasks-per-node=1'
layout=		# srun's words, where it isn't two nodes with two ranks each
state=		# XDG_STATE_HOME

# trains SHAPE RANK [FILE]: the step beside the case, until RANK hangs
trains() {
	[ -n "$client" ] || {
		"need_${prop}torch"
		client="$torch $clients/hang_shapes.py"
	}
	need_stacks py-spy
	hang "$2" env PATH="$stacks:$PATH" ${state:+XDG_STATE_HOME=$state} srun -J "$(hang_name)" \
		${layout:-$two --dist-train=ddp,procs=2,grace=2,hang=$seconds$follows} \
		$client "$@"
}

# shape NAME: of rank 3
shape() {
	trains "$1" 3
	suspect_is "$1"
	end_hang
}

# It is said once
# takes: 0.25
test_asleep() {
	trains asleep 3
	suspect_is asleep
	# More than the launchers need to look again
	goes_on $((3 * seconds))
	end_hang
}

# takes: 0.5
test_loop() {
	shape loop
}

# long: hang.loop (computes, too); tests/helpers/step/test_samples (the same
# loop); last_words.gil
# takes: 0.5
test_gil() {
	shape gil
}

# long: hang.spare (the same, and it is replaced)
# takes: 0.25
test_stopped() {
	shape stopped
}

# Not even SIGKILL ends its reader
# takes: 0.25
test_fuse() {
	mount_hang node2
	trains fuse 3 /tmp/hang/file
	suspect_is fuse
	unmount_hang
	end_hang
}

# long: the same below torchrun is hang.torchrun
# takes: 1
test_loader() {
	prop=
	shape loader
}

# long: hang.asleep; tests/helpers/sample/test_group (loader)
# takes: 0.25
test_swallowed() {
	shape swallowed
}

# In task mode the key turns launchers on. Of two ranks nobody knows who is right;
# of these three the second node has one.
# takes: 1
test_order() {
	prop=
	layout="-N2 -w node[1-2] -n3 --dist-train=ddp,grace=2,hang=$seconds"
	trains order 2
	suspect_is order
	end_hang
}

# Each agent is a rank's parent, and a loader's worker its child
# long: tests/helpers/sample/test_program_find (torchrun, below_others);
# tests/helpers/watch/test_signs (below); stack.loader_below_a_shell
# takes: 1
test_torchrun() {
	need_torchrun
	client="$torch -m torch.distributed.run $clients/hang_shapes.py"
	layout="$two --dist-train=torchrun,procs=1,grace=2,hang=$seconds
		env PYTHONUNBUFFERED=1 PET_REDIRECTS=1 PET_TEE=1"
	trains loader 1
	suspect_is loader
	end_hang
}

# --- other libraries ----------------------------------------------------------

# long: its stacks are Python's, as in hang.asleep; that JAX waits without a sign
# of work is a thing of its own
# takes: 1
test_jax() {
	need_venv jax
	client="env JAX_PLATFORMS=cpu $venv $clients/hang_jax.py"
	layout="$two --dist-train=jax,procs=2,grace=2,hang=$seconds"
	shape asleep
}

# The ranks that wait use their processors
# long: that those who compute in a collective do no work is asserted by
# tests/helpers/watch/*
# takes: 1
test_mpi() {
	need_venv mpich
	client="$venv $clients/hang_mpi.py"
	layout="-N2 -w node[1-2] --ntasks-per-node=2 --mpi=pmi2 --dist-train=mpi,grace=2,hang=$seconds"
	shape asleep
}

# --- what follows -------------------------------------------------------------

are_two() {
	[ "$(grep -c "$1" "$d/step.out")" -ge 2 ]
}

# It hangs again in the next round, which is the last one
# takes: 0.25
test_restart() {
	follows=:restart,restarts=1
	trains asleep 1
	suspect_is asleep
	told 'restart 1 of 1 '
	hang_ends 124 90
	[ "$(grep -c '^ready 1 ' "$d/step.out")" -eq 2 ] || fail "not two rounds"
	[ "$(grep -c '^dist-train: hang: ' "$d/step.err")" -eq 2 ] ||
		fail "it isn't said in each round"
}

# takes: 0.25
test_fail() {
	follows=:fail
	trains asleep 2
	suspect_is asleep
	hang_ends 124 60
	told "the step ends \\(hang=$seconds:fail\\)"
}

# A rank that is stopped, on one node: another node takes its place
# takes: 0.25
test_spare() {
	layout="-N3 -w node[1-3] --ntasks-per-node=1 --dist-train=ddp,procs=2,grace=2,spares=1,hang=$seconds:restart"
	trains stopped 3
	suspect_is stopped
	told 'node2 has a rank that hangs \(rank 3, .*: node3, a spare, takes its place'
	until_true 90 are_two "^ready 3 " || {
		show_hang
		fail "rank 3 doesn't begin again"
	}
	end_hang
}

is_mounted() {
	grep -q mounted "$d/bg.out"
}

# What keeps the stacks hangs in a file system that doesn't answer, and SIGKILL
# doesn't end it: that is no reason to lose a node
# takes: 0.25
test_spare_dead_folder() {
	as_root node1 'mkdir -p /run/dead'
	user=root node=node1 limit=200 background "$PYTHON" \
		"$clients/hang_fuse.py" /run/dead dead
	until_true 10 is_mounted || skip "no FUSE: $(< "$d/bg.out")"
	state=/run/dead
	layout="-N3 -w node[1-3] --ntasks-per-node=1 --dist-train=ddp,procs=2,grace=2,spares=1,record=off,hang=$seconds:restart"
	trains stopped 3
	suspect_is stopped
	until_true 90 are_two "^ready 3 " || {
		show_hang
		fail "rank 3 doesn't begin again"
	}
	grep -q asked "$d/bg.out" || fail "nobody has asked"
	kill "$bg"
	end_hang
}

# --- no hangs -----------------------------------------------------------------

# Four phases, each twice as long as the time, side by side; with --long six, an
# hour of each. Of `silent' what PyTorch sends is the only sign; the others have a
# stand-in.
# takes: 0.5
test_no_alarm() {
	local mode real python time=8 phase=17 count=1 pids=() jobs=0
	local modes='checkpoint evaluate silent debugger'

	limit=200
	need_torch
	real=$torch
	[ -n "${LONG:-}" ] || need_plain_torch
	need_stacks py-spy
	[ -z "${LONG:-}" ] || {
		modes+=' compile slow' time=10 phase=300 count=12 limit=4000
	}
	for mode in $modes; do
		python=$torch
		[ "$mode" != silent ] || python=$real
		at env PATH="$stacks:$PATH" srun -N2 -w 'node[1-2]' \
			--overlap --ntasks-per-node=1 -O \
			--dist-train=ddp,procs=1,hang=$time \
			$python "$clients/steady.py" "$mode" "$phase" "$count" \
			> "$d/$mode.out" 2> "$d/$mode.err" < /dev/null &
		pids+=($!)
	done
	for mode in $modes; do
		wait "${pids[jobs++]}" || fail "$mode: $(tail -n 3 "$d/$mode.err")"
		grep -q "^steady $mode" "$d/$mode.out" || fail "$mode hasn't ended"
		! grep -q '^dist-train: hang' "$d/$mode.err" || {
			cat "$d/$mode.err"
			fail "$mode isn't a hang"
		}
	done
}

# cpu NODE: when, and how long the launcher of the step has computed, in ns
cpu() {
	root "$1" sh -c 'date +%s%N
		cut -d " " -f 1 "/proc/$(pgrep -o -f "/dist-train-launc[h] ")/schedstat"'
}

# At most a thousandth of a core, while all ranks train
# takes: 0.25
test_cost() {
	local node

	seconds=600
	hang_word=ready trains nothing 3
	for node in node1 node2; do
		cpu $node > "$d/$node"
	done
	# Ten looks
	! until_true 40 test -e "$d/status" || fail "the step ends"
	for node in node1 node2; do
		cpu $node >> "$d/$node"
		xargs < "$d/$node" | awk '{
			c = 100 * ($4 - $2) / ($3 - $1)
			printf "%.4f %% of a core\n", c
			exit !($4 > $2 && c <= 0.1) }' > "$d/note" ||
			fail "$node: $(cat "$d/note" "$d/$node")"
	done
	end_hang
}
