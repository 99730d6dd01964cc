# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# salloc's shell as a step on the first node, which most sites have: what is
# typed in it. (LaunchParameters=use_interactive_step)
# clusters: interactive
# shellcheck disable=SC2016,SC2034,SC2154 # of that shell; shared with lib.sh

limit=60

# in_shell [SALLOC-OPTION]... < COMMANDS: salloc on a terminal of its own, which
# script(1) gives. One line is typed: an srun would read the others.
in_shell() {
	need_program script
	cat > "$d/typed"
	try sh -c 'echo ". $0; exit" | HISTFILE= TERM=dumb script -qec "salloc -Q $*" /dev/null |
		tr -d "\r"' "$d/typed" "$@"
	says '^typed the end$'
}

# No mark of a step that isn't one, and a program that trains alone
test_shell() {
	in_shell -N2 --gres=gpu:2 --dist-train=ddp <<-'END'
	echo "typed in $SLURMD_NODENAME RANK=${RANK-unset} $(env | grep -c dist-train:)"
	env | grep -c ^SLURM_DIST_TRAIN_ | sed 's/^/typed left=/'
	srun --dist-train=none sh -c 'echo "typed none RANK=${RANK-unset}"'
	srun sh -c 'echo "typed rank $RANK of $WORLD_SIZE, $(env | grep -c dist-train:)"'
	echo "typed the end"
	END
	says '^typed in node. RANK=unset 0$'
	says '^typed left=0$'
	[ "$(grep -c '^typed none RANK=unset$' "$d/out")" -eq 2 ] ||
		fail "not two tasks without the option"
	[ "$(grep -c '^typed rank [0-3] of 4, 0$' "$d/out")" -eq 4 ] ||
		fail "not four ranks"
}

# PMIx for the step that needs it, not for the shell and its other steps
# long: mpi.mpi4py (beside it a step without), mpi.variables; interactive.shell
test_mpi() {
	need_pmix
	in_shell -N2 --dist-train=mpi <<-'END'
	srun sh -c 'echo "typed mpi $PMIX_RANK"'
	srun --dist-train=none sh -c 'echo "typed none ${PMIX_RANK-unset}"'
	echo "typed the end"
	END
	says '^typed mpi 0$'
	says '^typed mpi 1$'
	says '^typed none unset$'
	says_not '^typed none [0-9]'
}

# The option on srun alone
# long: as shell and mpi: the option on srun alone
test_plain_salloc() {
	need_pmix
	in_shell -N2 <<-'END'
	srun --dist-train=mpi sh -c 'echo "typed mpi $PMIX_RANK"'
	srun --dist-train=ddp sh -c 'echo "typed rank $RANK"'
	echo "typed the end"
	END
	says '^typed mpi 1$'
	says '^typed rank 1$'
}
