# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# What hang sets up, and dist-train stack --dump: in late of PyTorch over Gloo, whose
# dumps are PyTorch's own where it records Gloo (tests/clients/
# flight_recorder.py), and a stand-in for NCCL's RAS.
# clusters: plain
# shellcheck disable=SC2034,SC2154 # shared with lib.sh

# shellcheck source-path=SCRIPTDIR source=../losses.sh
. "$here/losses.sh"

limit=120

# trains MODE [KEY...]: the step beside the case, two nodes with two ranks each
trains() {
	[ -n "${torch:-}" ] || need_plain_torch
	folder=$d
	mkdir -m 777 "$d/state"
	# shellcheck disable=SC2086 # words they are
	begin_step env XDG_STATE_HOME="$d/state" PATH="${begin_path:-}$PATH" srun -N2 -w 'node[1-2]' \
		--ntasks-per-node=1 \
		--dist-train=ddp,procs=2,grace=2,${2-hang=3600} \
		$torch "$top/tests/clients/flight_recorder.py" "$1"
}

are_hung() {
	[ "$(grep -c '^hung ' "$d/step.out")" -eq "${1:-4}" ]
}

hung() {
	until_true 90 are_hung || {
		show_step
		fail "the client doesn't come to its hang"
	}
	job=$(at squeue -h -o %A -u alice | head -n 1)
}

dump() {
	try "$prefix/bin/dist-train" stack --dump "$@" "$job"
	[ "$rc" -eq 0 ] || fail "status $rc"
}

ends() {
	at scancel "$job"
	until_true 60 test -s "$d/status" || fail "the step doesn't end"
}

# takes: 1
test_late() {
	need_torch
	trains late
	hung
	dump
	says '^rank 3 never entered collective 6 \(all_reduce \[4\], group 0 default_pg\): 3 ranks \(0-2\) wait in it at flight_recorder.py:'
	says "^node1: 2 files, .* in $d/state/dist-train/dumps/$job\\.0\\.0$"
	[ "$(find "$d/state" -name 'torch_rank_[0-3]' -size +0 | wc -l)" -eq 4 ] ||
		fail "not four dumps"
	[ -z "$(find "$d/state/dist-train" -perm /077)" ] ||
		fail "others may read the dumps"
	# and once more, into the same files
	dump --json
	says '"kind":"late".*"op":"all_reduce","ranks":"3","waiting":"0-2"'
	python3 "$top/tests/helpers/cli/json_page.py" "$top/doc/json.md" \
		'stack --dump' < "$d/out" || fail "doc/json.md says something else"
	[ "$(find "$d/state/dist-train/dumps" -type f | wc -l)" -eq 4 ] ||
		fail "not four files"
	ends
}

# long: tests/helpers/recorders/test_fr_verdict (real_swapped: the dumps of this
# program)
test_swapped() {
	trains swapped
	hung
	dump
	says '^collective 6 of group 0 default_pg .* rank 3 in broadcast \[4\] at flight_recorder.py:[0-9]+, 3 ranks \(0-2\) in all_reduce '
	ends
}

# to_ranks SIGNAL: to those of node2; not to their launcher, nor to this shell
to_ranks() {
	node=node2 at pkill "-$1" -f '^[^ ]*python[^ ]* .*flight_recorder.py late'
}

# With hang the recorders are on by themselves; a rank that is stopped can't
# write its dump
# takes: 0.25
test_stopped() {
	trains late hang=3600
	hung
	to_ranks STOP
	dump
	says '^rank 3 on node2: no dump of torch: no dump came in time$'
	says_not '^rank [01] on'
	to_ranks CONT
	ends
}

# Of a hang they are asked for before anything is done, and what they write is no
# work: it is said once
of_a_hang() {
	need_stacks py-spy
	begin_path=$stacks:
	trains late "hang=$((8 * slow))$1"
	until_true 60 grep -q '^dist-train: recorders: ' "$d/step.err" || {
		show_step
		fail "recorders say nothing"
	}
	grep -q '^dist-train:   suspect: 1 rank (3, node2): ' "$d/step.err" ||
		fail "not rank 3 is the suspect"
	grep -q '^dist-train: recorders: rank 3 never entered collective 6 (all_reduce ' \
		"$d/step.err" || fail "not what rank 3 never entered"
	grep -q "^dist-train: 5 files of it in $d/state/dist-train/dumps/" \
		"$d/step.err" || fail "not where they are"
	grep -q '^    rank 3, node2, pid [0-9]*, python3*, by py-spy:$' \
		"$d"/state/dist-train/dumps/*/stacks.txt ||
		fail "the stacks aren't kept"
}

is_said_twice() {
	[ "$(grep -c '^dist-train: hang: ' "$d/step.err")" -ne 1 ]
}

# takes: 0.25
test_hang() {
	of_a_hang ""
	job=$(at squeue -h -o %A -u alice | head -n 1)
	# longer than the key's time, and than the gap that a dump would end
	! until_true 20 is_said_twice || fail "it is said twice"
	try env XDG_STATE_HOME="$d/state" "$prefix/bin/dist-train" why "$job"
	says 'recorders: rank 3 never entered collective 6'
	says "^  stacks in $d/state/dist-train/dumps/$job\\.0\\.0$"
	ends
}

# long: recorders.hang (the same up to there), hang.fail (124)
# takes: 0.25
test_hang_fails() {
	of_a_hang :fail
	until_true 60 test -s "$d/status" || fail "the step doesn't end"
	[ "$(< "$d/status")" -eq 124 ] || fail "status $(< "$d/status")"
}

# What PyTorch writes on a timeout, before it ends the process, isn't lost
test_kept() {
	trains fail
	until_true 90 test -s "$d/status" || fail "the step doesn't end"
	[ "$(< "$d/status")" -eq 7 ] || fail "status $(< "$d/status")"
	[ "$(find "$d/state" -name 'torch_rank_[0-3]' -size +0 | wc -l)" -eq 4 ] ||
		fail "not four dumps"
}

# ras MODE: the stand-in at the step's own port
ras() {
	local port
	port=$(sed -n 's/^hung rank=0 ras=127.0.0.1://p' "$d/step.out")

	node=node1 background "$PYTHON" "$top/tests/clients/ncclras.py" \
		"$port" "$1"
	until_true 20 grep -q ready "$d/bg.out" || fail "no stand-in for RAS"
}

# Nobody is there, then one who is slow, then one who answers with an error
test_ras() {
	trains late
	hung
	dump
	says '^node1: NCCL RAS can.t be reached: Connection refused$'
	ras slow
	dump
	says '^  #0-0 \(cf264af53edbe986\) INCOMPLETE$'
	says '^    The missing rank: 5$'
	says_not '^node2: NCCL'
	grep -q '^Errors' "$d"/state/dist-train/dumps/*/ras.node1.txt ||
		fail "the report isn't kept"
	kill "$bg"
	wait "$bg" || :
	ras error
	dump
	says '^node1: NCCL RAS: ERROR: Unknown command'
	ends
}

# Two jobs on a node have two addresses, the ranks of one have one
# long: tests/core/facts/test_port (recorders_differ)
test_two_jobs() {
	# shellcheck disable=SC2086 # words they are
	for name in a b; do
		try sbatch -N2 -w 'node[1-2]' --ntasks-per-node=1 --oversubscribe \
			-o "$d/$name" --wrap "srun --overlap --dist-train=ddp,procs=2,hang=3600 env"
	done
	until_true 90 sh -c "[ \$(cat '$d/a' '$d/b' | grep -c ^NCCL_RAS_ADDR=) -eq 8 ]" ||
		fail "not eight addresses: $(cat "$d/a" "$d/b")"
	for name in a b; do
		grep -h ^NCCL_RAS_ADDR= "$d/$name" | sort -u
	done | tee "$d/both"
	[ "$(sort -u "$d/both" | wc -l)" -eq 2 ] || fail "not two addresses"
}

# Nobody has asked for them; or a user has set up a recorder, and keeps it
test_none() {
	trains "done" label=no
	hung
	grep -q 'hung rank=0 ras=None' "$d/step.out" || fail "an address is set"
	dump
	says '^node1: the step has no recorders: start it with hang=SECONDS'
	[ ! -e "$d/state/dist-train/dumps" ] || fail "something is kept"
	ends
	succeed srun -N2 -n2 --dist-train=ddp env
	says_not '^TORCH_FR|^TORCH_NCCL_D|^NCCL_RAS'
	succeed srun -N1 -n1 --dist-train=ddp,hang=3600 env
	says '^TORCH_FR_DUMP_TEMP_FILE=/.*/torch_rank_$'
	try env TORCH_FR_DUMP_TEMP_FILE=/mine/x NCCL_RAS_ADDR=localhost:1 \
		srun -N1 -n1 --dist-train=ddp,hang=3600 env
	says '^TORCH_FR_DUMP_TEMP_FILE=/mine/x$'
	says '^NCCL_RAS_ADDR=localhost:1$'
	says_not '^TORCH_NCCL_DEBUG_INFO_PIPE_FILE'
}
