# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# PyTorch itself, over Gloo, between the nodes. Its import takes more than a
# second of CPU for each process, so these are few.
# clusters: plain
# takes: 1
# shellcheck disable=SC2034,SC2154 # shared with lib.sh

limit=120

# trained N: all N ranks, in the last output
trained() {
	[ "$rc" -eq 0 ] || fail "status $rc"
	[ "$(grep "^trained .* world=$1 " "$d/out" | sort -u | wc -l)" -eq "$1" ] ||
		fail "not $1 ranks have trained"
}

# A task for each rank; the first node has two of them
# shellcheck disable=SC2086 # $reduce is several words
test_task_mode() {
	need_torch
	try srun -N2 -n3 -m cyclic --export=NONE --dist-train=ddp $reduce
	trained 3
}

# With two on each node it is shown by recorders.late
# long: torch.device_mode@exec; recorders.late (four ranks on plain);
# torch.newest
# shellcheck disable=SC2086
test_device_mode() {
	need_torch
	try srun -N2 --gres=gpu:1 --dist-train=ddp $reduce
	trained 2
}

# long: the ranks' numbers are asserted by tests/spank/scenarios/het*
# shellcheck disable=SC2086
test_heterogeneous() {
	need_torch
	try srun -n1 --dist-train=ddp $reduce : -n2 --dist-train=ddp $reduce
	trained 3
	try srun -n1 --gres=gpu:1 --dist-train=ddp $reduce : \
		-n1 --gres=gpu:2 $reduce
	trained 3
}

# shellcheck disable=SC2086
# ports_differ N: of N steps that ran at once
ports_differ() {
	local n

	n=$(sed -n 's/^trained .* port=//p; s/^ready [0-9]* 0 //p' \
		"$d"/step.* | sort -u | wc -l)
	[ "$n" -eq "$1" ] || fail "$n ports for $1 steps"
}

# all_trained STEPS RANKS
all_trained() {
	local i

	for ((i = 1; i <= $1; i++)); do
		[ "$(grep -c '^trained ' "$d/step.$i")" -eq "$2" ] || {
			cat "$d/step.$i"
			fail "step $i: not $2 ranks have trained"
		}
	done
	ports_differ "$1"
}

# Of a program without PyTorch, which ends at once
test_eight_steps_of_one_job() {
	need_ring
	batch -N4 --ntasks-per-node=8 <<-END
	for i in 1 2 3 4 5 6 7 8; do
	srun --overlap -N4 -n4 --dist-train=ddp \
		$ring nothing -1 /dev/null > $d/step.\$i 2>&1 &
	done
	wait
	END
	all_trained 8 4
}

# long: PyTorch of eight jobs at once, whose ports
# torch.eight_steps_of_one_job compares without it
# takes: 1
test_eight_jobs() {
	need_torch
	try bash -c "for i in 1 2 3 4 5 6 7 8; do
		srun -N4 -n4 --dist-train=ddp $reduce > $d/step.\$i 2>&1 &
		done; wait"
	all_trained 8 4
}

# One rank ends in failure while the others wait for it: no hang
# long: ports.failure_in_task_mode (without the launcher); failures.kill_task
# (PyTorch, named)
# shellcheck disable=SC2086
test_failure() {
	need_torch
	try srun -N2 -n2 --dist-train=ddp $reduce 1 3
	[ "$rc" -ne 0 ] || fail "status 0 though rank 1 failed"
	says_not '^trained'
}

# newest SRUN-ARGUMENT...: train.py with the newest PyTorch, of whose programs
# PATH has torchrun, and nothing to say from us
newest() {
	try env PATH="${venv%/*}:/usr/bin:/bin" OMP_NUM_THREADS=1 srun -N2 "$@" \
		"$top/tests/clients/train.py"
	ranks_trained 2
	[ -z "$(ours)" ] || fail "unexpected: $(ours)"
}

test_newest() {
	need_venv torch
	newest --gres=gpu:1 --dist-train=ddp "$venv"
}

# The line of doc/frameworks/torchrun.md
test_newest_torchrun() {
	need_venv torch
	newest --gres=gpu:1 --dist-train=torchrun torchrun
}
