# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# Runs a file of contrib/examples as its first comment says, as a plain user in a
# clean folder. Only the numbers of devices are those of this cluster, and PATH
# has the Python that the case asks for. Sourced by cases.
# shellcheck disable=SC2034,SC2154 # shared with lib.sh and with the cases

limit=240
words=		# the last command of a head, on this cluster

# smaller < TEXT: 2 devices, tasks and cores for all those of a node; 1 for a half
smaller() {
	sed -E 's/\b(gpus-per-node=|ntasks-per-node=|npu:)8\b/\12/g
		s/\b(gpus-per-node=|ntasks-per-node=)4\b/\11/g
		s/\bcpus-per-task=16\b/cpus-per-task=2/g
		s/\beach=8gpu\b/each=2gpu/g; s/\beach=4gpu\b/each=1gpu/g'
}

# examples_folder: all of them in $d/clean, which is the user's
examples_folder() {
	local file

	mkdir -p "$d/clean"
	for file in "$top"/contrib/examples/*; do
		if [[ $file == *.py ]]; then
			cp "$file" "$d/clean"
		else
			smaller < "$file" > "$d/clean/${file##*/}"
		fi
	done
	chmod -R a+rX "$d/clean"
	user=root at chown alice "$d/clean"
}

# head_of FILE: the command on top of it, for this cluster
head_of() {
	sed -nE '1,2s/^# ((srun|sbatch|salloc) .*)$/\1/p' "$d/clean/$1" | smaller
}

# venv NAME | debian_torch: $bin is the folder of its python3
venv() {
	need_venv "$1"
	bin=${venv%/*}
}

debian_torch() {
	need_torch
	bin=$(dirname "$PYTHON")
}

# small_training [FILE]...: PyTorch trains with --long; else its place is taken by
# programs that say who they are
small_training() {
	local file

	if [ -n "${LONG:-}" ]; then
		debian_torch
		return
	fi
	bin=$(dirname "$PYTHON")
	examples_folder
	for file in train_ddp.py evaluate_ddp.py "$@"; do
		{
			head -n 1 "$top/contrib/examples/$file"
			cat "$top/tests/clients/example_program.py"
		} > "$d/clean/$file"
	done
}

# example FILE [ARG...]: run it; for the ending of a batch job, see example_batch
example() {
	[ -e "$d/clean" ] || examples_folder
	words=$(head_of "$1")
	# shellcheck disable=SC2086 # words they are
	dir=$d/clean try env HOME="$d/clean" TMPDIR="$d/clean" \
		PATH="${stand_ins:+$stand_ins:}$bin:$prefix/bin:/usr/bin:/bin" \
		$words "${@:2}"
}

# example_batch FILE: the output of its job, or jobs, in $d/out
example_batch() {
	local job

	example "$1"
	job=$(sed -n 's/^Submitted batch job //p' "$d/out")
	[ -n "$job" ] || fail "no job"
	until_true "$limit" job_ended "$job" || fail "job $job doesn't end"
	cat "$d/clean/"*-"$job"*.out > "$d/out"
	cat "$d/out"
}

# stand_in NAME < SCRIPT: a program of that name, first in PATH or, where it has
# a dot, in the clean folder
stand_in() {
	[ -e "$d/clean" ] || examples_folder
	mkdir -p "$d/bin"
	stand_ins=$d/bin
	if [[ $1 == *.* ]]; then
		cat > "$d/clean/$1"
	else
		{
			echo '#!/bin/sh'
			cat
		} > "$d/bin/$1"
		chmod 755 "$d/bin/$1"
	fi
}

# together N [NODES]: N ranks on two nodes have said who they are, each once,
# and all have the same model, which no rank could have made alone. Two ranks of
# one node may stand in one line: under PYTHONUNBUFFERED Python writes a line's
# end by itself.
together() {
	local lines

	[ "$rc" -eq 0 ] || fail "status $rc"
	lines=$(sed -E "s/rank [0-9]+ of $1 on /\n&/g" "$d/out" |
		sed -nE "s/^rank ([0-9]+) of $1 on (node[0-9]+).* (weights|model) ([-0-9a-f.]+).*/\1 \2 \4/p" |
		sort -nu)
	[ "$(cut -d ' ' -f 1 <<< "$lines" | xargs)" = \
		"$(seq 0 $(($1 - 1)) | xargs)" ] || fail "not $1 ranks: $lines"
	[ "$(cut -d ' ' -f 2 <<< "$lines" | sort -u | wc -l)" -eq "${2:-2}" ] ||
		fail "not ${2:-2} nodes: $lines"
	[ "$(cut -d ' ' -f 3 <<< "$lines" | sort -u | wc -l)" -eq 1 ] ||
		fail "not one model: $lines"
}

# learns NAME: the loss that it prints falls by half at least
learns() {
	sed -nE 's/^.*\b(epoch|step) [0-9]+: loss ([0-9.]+).*/\2/p' "$d/out" |
		awk 'NR == 1 { first = $1 } { last = $1 }
			END { exit !(NR > 1 && last * 2 <= first) }' ||
		fail "the loss doesn't fall"
}
