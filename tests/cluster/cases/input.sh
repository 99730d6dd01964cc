# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# What can't be meant is refused by srun and sbatch themselves: one line, and
# nothing is queued.
# clusters: plain
# shellcheck disable=SC2034,SC2154 # shared with lib.sh

# The next job's number: nothing has been queued if it is the last one's next
next_job() {
	user=root at sbatch --parsable -H -n1 --wrap true > "$d/id" ||
		fail "can't ask for the job number"
	user=root at scancel "$(< "$d/id")"
	cat "$d/id"
}

test_unknown_framework() {
	local before

	before=$(next_job)
	try srun --dist-train=dpd true
	[ "$rc" -ne 0 ] || fail "status 0"
	case $err in
	"dist-train: unknown framework 'dpd'; did you mean 'ddp'? known: ddp"*) ;;
	*) fail "another message: $err" ;;
	esac
	[ "$(wc -l < "$d/err")" -eq 1 ] || fail "not one line"
	refuse "unknown framework 'dpd'" salloc --dist-train=dpd -n1 true
	printf '#!/bin/sh\n#SBATCH --dist-train=dpd\ntrue\n' > "$d/job"
	refuse "unknown framework 'dpd'" sbatch "$d/job"
	refuse "unknown framework 'dpd'" sbatch --dist-train=dpd "$show"
	[ "$(next_job)" -eq $((before + 1)) ] || fail "a job was queued"
	[ -z "$(user=root at squeue -h)" ] || fail "a job is queued"
}

# A key that has no effect, or a pattern that can't be a name
# long: tests/spank/scenarios/option-no-effect, option-sbatch;
# tests/registry/test_request; input.unknown_framework (nothing is queued)
test_no_effect() {
	local before

	before=$(next_job)
	refuse "ddp has no key 'dashboard'; ray, dask have it" \
		srun --dist-train=ddp,dashboard=yes true
	refuse "restart-on works only with restarts=N" \
		sbatch --dist-train=ddp,restart-on=any "$show"
	refuse "log-dir='%z': unknown '%z'" \
		salloc --dist-train=ddp,log-dir=%z -n1 true
	refuse 'one file is for all ranks of a node' \
		sbatch --dist-train=ddp,timeline=%r "$show"
	refuse 'hang=600:restart: the step has no restart' \
		sbatch --dist-train=ddp,hang=600:restart "$show"
	[ "$(next_job)" -eq $((before + 1)) ] || fail "a job was queued"
}

# In a job a refused step doesn't exist either
# long: tests/spank/scenarios/option-srun
test_refused_step() {
	try salloc -Q -n1 sh -c 'srun --dist-train=dpd true
		srun sh -c "echo step=\$SLURM_STEP_ID"'
	one_line "unknown framework 'dpd'"
	says '^step=0$'
}

known_keys() {
	"$prefix/bin/dist-train" keys | sed -n 's/^  \([a-z-]*\)=.*/\1/p' |
		xargs
}

# refuse_all SOURCE
refuse_all() {
	local keys before

	before=$(next_job)
	keys=$(known_keys)
	[ "$(wc -w <<< "$keys")" -ge 30 ] || fail "keys: '$keys'"
	# shellcheck disable=SC2086 # words they are
	limit=120 try "$here/badinput.sh" "$1" "$d" $keys
	[ "$rc" -eq 0 ] || fail "status $rc"
	[ "$(wc -l < "$d/out")" -eq 1 ] || fail "$(head -n 1 "$d/out")"
	[ "$(< "$d/out")" -ge 150 ] || fail "only $(< "$d/out") values"
	[ "$(next_job)" -eq $((before + 1)) ] || fail "a job was queued"
}

# long: tests/registry/test_option_keys: every_key_refuses, high_bytes;
# tests/spank/scenarios/option-srun
test_command_line() {
	refuse_all command
}

# long: the parser is one: tests/registry/test_option_keys;
# tests/spank/scenarios/option-srun
test_environment() {
	refuse_all environment
}

# long: the parser is one: tests/registry/test_option_keys;
# tests/spank/scenarios/option-sbatch
test_script() {
	refuse_all script
}

# A text that the shell can give although no line of a script can hold it
# long: tests/spank/scenarios/option-srun: control characters
test_newline() {
	refuse "unknown framework" srun -n1 --dist-train=$'a\nb' true
	refuse "unknown key" srun -n1 --dist-train=$'ddp,a\n=b' true
	[ "$(wc -l < "$d/err")" -eq 1 ] || fail "more than one line"
}
