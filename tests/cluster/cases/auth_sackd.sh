# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# A configless cluster without MUNGE, where users log in on a host that has neither
# slurmctld nor slurmd: sackd, which gets Slurm's configuration and makes tokens, is
# all that runs there. node4 becomes that host.
# clusters: sackd
# takes: 0.25
# shellcheck disable=SC2016,SC2034,SC2154 # shared with lib.sh, steps.sh
# shellcheck source-path=SCRIPTDIR source=../steps.sh
. "$here/steps.sh"

look="env -u SLURM_CONF $prefix/bin/dist-train"

# Back to what it was
slurmd_again() {
	kill "$bg"
	root node4 sh -c 'rm -rf /run/slurm/*; slurmd --conf-server login'
	all_idle 60
}

sackd_alone() {
	need_program sackd
	! root login pgrep -x munged || fail "there is a munged"
	stop_slurmd node4
	root node4 sh -c 'rm -rf /run/slurm/*'
	user=root node=node4 background env -u SLURM_CONF \
		sackd -D --conf-server login
	afterwards slurmd_again
	until_true 30 root node4 test -S /run/slurm/sack.socket ||
		fail "no sackd: $(< "$d/bg.out")"
}

# begin_there ARGUMENT...: a step from there
begin_there() {
	new_step step
	echo 'unset SLURM_CONF' >> "$s/environment"
	node=node4 begin_step "$@"
}

test_login_host() {
	sackd_alone
	node=node4 try env -u SLURM_CONF srun -w 'node[1-3]' \
		--ntasks-per-node=1 --dist-train=ddp,procs=2,restarts=1 sh -c \
		'[ "$RANK $TORCHELASTIC_RESTART_COUNT" != "3 0" ] || exit 7'
	[ "$rc" -eq 0 ] || fail "status $rc"
	one_of_ours '^dist-train: rank 3 \(worker\) on node2, .*: exit code 7 '
	one_of_ours '^dist-train: restart 1 of 1 of the step'
	begin_there --dist-train="ddp,$keys"
	all_up
	find_job
	# shellcheck disable=SC2086 # words they are
	for node in node4 node1; do
		succeed $look status --json "$job"
		[ "$(grep -o '"rank":' "$d/out" | wc -l)" -eq 6 ] ||
			fail "not 6 ranks"
		user=root succeed $look stack "$job"
	done
	node=login
	step_goes_on
	may_go
	step_ends 0
	# shellcheck disable=SC2086
	node=node4 try env -u SLURM_CONF srun -w 'node[1-2]' \
		--ntasks-per-node=1 --dist-train=none $look exec \
		ddp,procs=2,grace=1 -- sh -c \
		'[ $RANK != 3 ] || exit 7; exec sleep 60'
	[ "$rc" -eq 7 ] || fail "status $rc"
	one_of_ours '^dist-train: rank 3 \(worker\) on node2, '
}
