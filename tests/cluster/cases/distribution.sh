# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# --dist means Slurm's --distribution, as it does where no plugin is loaded:
# where tasks are is compared with the long name's.
# clusters: plain
# shellcheck disable=SC2016,SC2034,SC2154 # shared with lib.sh

where='echo "$(hostname):$SLURM_PROCID"'

# placed COMMAND...: where the tasks of that are, in $placed. Which nodes Slurm
# takes doesn't count: one may still be busy with the step before.
placed() {
	succeed "$@"
	placed=$(grep -o 'node[0-9]*:[0-9]*' "$d/out" | sort -t: -k1,1 -k2,2n |
		awk -F: '$1 != last { last = $1; n++ } { print n ":" $2 }' |
		xargs)
	[ -n "$placed" ] || fail "no task: $*"
}

# same_as WANTED COMMAND...
same_as() {
	local wanted=$1
	shift

	placed "$@"
	[ "$placed" = "$wanted" ] || fail "$placed, not $wanted: $*"
}

# block, cyclic: where tasks are with the long name; not the same
by_long_name() {
	placed "$@" --distribution=block sh -c "$where"
	block=$placed
	placed "$@" --distribution=cyclic sh -c "$where"
	cyclic=$placed
	[ "$block" != "$cyclic" ] || fail "no difference to be seen: $block"
}

test_srun() {
	by_long_name srun -N2 -n5
	same_as "$block" srun -N2 -n5 --dist=block sh -c "$where"
	same_as "$cyclic" srun -N2 -n5 --dist=cyclic sh -c "$where"
	same_as "$cyclic" srun -N2 --dist cyclic -n5 sh -c "$where"
	same_as "$block" srun -N2 -n5 --dist=cyclic --distribution=block \
		sh -c "$where"
	same_as "$cyclic" srun -N2 -n5 --distribution=block --dist=cyclic \
		sh -c "$where"
	same_as "$block" srun -N2 -n5 --dist=block sh -c "$where" --dist=cyclic
}

# long: tests/spank/scenarios/abbreviation
test_srun_precedence() {
	by_long_name srun -N2 -n5
	same_as "$block" env SLURM_DISTRIBUTION=cyclic \
		srun -N2 -n5 --dist=block sh -c "$where"
	same_as "$cyclic" env SLURM_DISTRIBUTION=cyclic \
		srun -N2 -n5 sh -c "$where"
}

# long: tests/spank/scenarios/abbreviation: with --dist-train; srun
test_srun_with_the_option() {
	by_long_name srun -N2 -n5
	same_as "$cyclic" srun -N2 -n5 --dist=cyclic --dist-train=ddp \
		sh -c 'echo "$(hostname):$RANK"'
	same_as "$block" srun --dist-train=ddp -N2 -n5 --dist block \
		sh -c 'echo "$(hostname):$RANK"'
}

# long: tests/spank/scenarios/abbreviation: one word for each component
test_srun_heterogeneous() {
	placed srun -N2 -n4 --distribution=block sh -c "$where" : \
		-N2 -n4 --distribution=cyclic sh -c "$where"
	same_as "$placed" srun -N2 -n4 --dist=block sh -c "$where" : \
		-N2 -n4 --dist=cyclic sh -c "$where"
}

# What Slurm says about a value is what it says without the plugin.
# long: tests/spank/scenarios/abbreviation: the value is Slurm's to judge
test_bad_value() {
	local program

	for program in srun sbatch salloc; do
		try "$program" --distribution=bogus "$show"
		cp "$d/err" "$d/expected"
		try "$program" --dist=bogus "$show"
		[ "$rc" -ne 0 ] || fail "$program: status 0"
		diff "$d/expected" "$d/err" || fail "$program: another message"
	done
}

# In an allocation of whole nodes the layout is the allocation's.
# long: tests/spank/scenarios/abbreviation (salloc); distribution.srun
test_salloc() {
	local steps='srun sh -c "$0"'

	placed salloc -Q -N2 -n5 --distribution=cyclic sh -c "$steps" "$where"
	same_as "$placed" salloc -Q -N2 -n5 --dist=cyclic sh -c "$steps" "$where"
	same_as "$placed" salloc -Q -N2 --dist cyclic -n5 sh -c "$steps" "$where"
	placed salloc -Q -N2 -n5 --distribution=block sh -c "$steps" "$where"
	same_as "$placed" salloc -Q -N2 -n5 --dist=block sh -c "$steps" "$where"
}

# submitted LINE OPTION...: where tasks of a script with that line are
submitted() {
	local line=$1
	shift

	batch "$@" <<-END
		$line
		srun sh -c '$where'
	END
	placed=$(grep -o 'node[0-9]*:[0-9]*' <<< "$out" | sort | xargs)
	[ -n "$placed" ] || fail "no task: $line $*"
}

# long: tests/spank/scenarios/abbreviation (sbatch);
# distribution.sbatch_standard_input
test_sbatch() {
	local block cyclic

	submitted '#SBATCH --distribution=block' -N2 -n5
	block=$placed
	submitted '#SBATCH --distribution=cyclic' -N2 -n5
	cyclic=$placed
	[ "$block" != "$cyclic" ] || fail "no difference to be seen: $block"
	submitted '#SBATCH --dist=cyclic' -N2 -n5
	[ "$placed" = "$cyclic" ] || fail "script: $placed, not $cyclic"
	submitted '#SBATCH --dist block' -N2 -n5
	[ "$placed" = "$block" ] || fail "script, two words: $placed"
	submitted '' -N2 -n5 --dist=cyclic
	[ "$placed" = "$cyclic" ] || fail "command line: $placed"
	submitted '#SBATCH --dist=cyclic' -N2 -n5 --dist block
	[ "$placed" = "$block" ] || fail "both: $placed, not $block"
}

# long: tests/spank/scenarios/abbreviation; sbatch
test_sbatch_precedence() {
	submitted '#SBATCH --distribution=block' -N2 -n5
	printf '#!/bin/bash\n#SBATCH --dist=cyclic\nsrun sh -c %q\n' "$where" \
		> "$d/job.sh"
	try env SBATCH_DISTRIBUTION=block sbatch -W -N2 -n5 \
		-o "$d/env.out" "$d/job.sh"
	[ "$rc" -eq 0 ] || fail "status $rc"
	until_true 10 grep -q ':4' "$d/env.out" || fail "no output"
	[ "$(sort "$d/env.out" | xargs)" = "$placed" ] ||
		fail "the variable isn't stronger than the script"
}

# What sbatch knew is the job's, and no more than without the plugin
# long: tests/spank/scenarios/abbreviation: exact
test_sbatch_environment() {
	printf '#!/bin/bash\n#SBATCH --%s=cyclic\nenv\n' distribution \
		> "$d/long.sh"
	sed 's/distribution/dist/' "$d/long.sh" > "$d/short.sh"
	for name in long short; do
		try sbatch -W -n1 -o "$d/$name.out" "$d/$name.sh"
		[ "$rc" -eq 0 ] || fail "status $rc"
		until_true 10 grep -q ^SLURM_JOB_ID= "$d/$name.out" ||
			fail "no output"
		grep -o '^[A-Z_]*DIST[A-Z_]*=.*' "$d/$name.out" |
			grep -v '_dist_train_dist=' | sort > "$d/$name.env"
	done
	[ -s "$d/long.env" ] || fail "no SLURM_DISTRIBUTION"
	diff "$d/long.env" "$d/short.env" || fail "not the same environment"
}

# sbatch starts itself again, and reads its script again
test_sbatch_standard_input() {
	printf '#!/bin/bash\n#SBATCH -N2 -n5\nsrun sh -c %q\n' "$where" \
		> "$d/in.sh"
	submitted '#SBATCH --distribution=cyclic' -N2 -n5
	try sh -c 'sbatch -W --dist=cyclic -o "$0/in.out" < "$0/in.sh"' "$d"
	[ "$rc" -eq 0 ] || fail "status $rc"
	until_true 10 grep -q ":4" "$d/in.out" ||
		fail "no output"
	[ "$(sort "$d/in.out" | xargs)" = "$placed" ] || fail "from a file"
	# cat waits for its end: a writer that is still there may have a script
	try sh -c ': | { cat; sbatch -W --dist=cyclic -o "$0/arg.out" "$0/in.sh"; }' \
		"$d"
	[ "$rc" -eq 0 ] || fail "an empty pipe: status $rc"
	until_true 10 grep -q ':4' "$d/arg.out" ||
		fail "no output"
	[ "$(sort "$d/arg.out" | xargs)" = "$placed" ] ||
		fail "from an argument"
	refuse 'the script is a pipe and .* write --distribution$' \
		sh -c 'cat "$0/in.sh" | sbatch --dist=cyclic' "$d"
}

# Two that come at once are one, so that two may not be enough
is_interrupted() {
	user=root at pkill -INT -o -x srun
	is_gone
}

# Slurm's interrupt handling is that of an srun that was started once
test_signals() {
	local name

	for name in --distribution=block --dist=block; do
		try srun -N1 -n1 "$name" sh -c 'grep Sig /proc/self/status'
		grep -E '^Sig(Blk|Ign)' "$d/out" > "$d/task$name"
	done
	diff "$d"/task--dist* || fail "the task's signals"
	background srun -N2 --dist=block sleep 100
	until_true 20 is_running || fail "doesn't start"
	until_true 20 is_interrupted || fail "Ctrl-C twice doesn't end it"
}

is_running() {
	[ -n "$(user=root at squeue -h -s -o %i -u alice | grep -v batch)" ]
}

is_gone() {
	! kill -0 "$bg" 2> /dev/null
}

# long: tests/spank/scenarios/abbreviation: abbreviates; input.*
test_help() {
	local program

	for program in srun sbatch salloc; do
		try "$program" --help
		says "^ *--dist=TYPE +Slurm's --distribution, abbreviated\$"
	done
}

# Another name: nothing is registered for --dist, and Slurm takes it as ever
# long: tests/spank/scenarios/abbreviation-none; faults.other_option_name
test_other_name() {
	afterwards "plugstack '$plug_line'"
	plugstack "optional $plugin option=train"
	try srun --help
	says '^ *--train=FRAMEWORK'
	says_not '--dist='
	by_long_name srun -N2 -n5
	same_as "$cyclic" srun -N2 -n5 --dist=cyclic sh -c "$where"
	same_as "$block" srun -N2 -n5 --dist=block --train=ddp \
		sh -c 'echo "$(hostname):$RANK"'
}
