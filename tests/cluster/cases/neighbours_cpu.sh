# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# What a user sets by hand, or a folder that doesn't answer, costs this user's
# tasks alone: slurmstepd, which is root, stays idle, and the nodes are free for
# others at once.
# clusters: plain
# shellcheck disable=SC2016,SC2034,SC2154 # shared with lib.sh

# The processor time of a task's slurmstepd, in seconds, and the plugin's mark
cost='awk "{ print \"stepd\", int((\$14 + \$15) / 100), ENVIRON[\"RANK\"] }" \
	/proc/$PPID/stat'

# by_feature: a default profile that depends on a list of nodes
by_feature() {
	plugstack "optional $plugin profiledir=$d/profiles profile=x@ib"
	afterwards "plugstack '$plug_line'"
	mkdir -p "$d/profiles"
	echo A=1 > "$d/profiles/x.conf"
}

# cheap N: N tasks have told what their slurmstepd has used so far, 2 s at most
cheap() {
	[ "$(grep -c '^stepd [012] [0-9]$' "$d/out")" -eq "$1" ] ||
		fail "not $1 slurmstepd with less than 3 s"
}

# free_for_bob: the nodes take the next job, and none is drained
free_for_bob() {
	all_idle 60 || fail "a node isn't idle"
	user=bob dir=/tmp try srun -N4 --immediate=20 true
	[ "$rc" -eq 0 ] || fail "bob's step: status $rc"
	[ -z "$(user=root at sinfo -h -R)" ] || fail "a node is drained"
}

# srun's own hook fails, here for want of PMI: what alice has set must not be
# read on the nodes in spite of that
test_srun_that_fails() {
	local list

	by_feature
	list="n[$(yes 1, | head -n 58000 | tr -d '\n')1-900000]"
	refuse 'mpi finds its ranks through PMI' env "SLURM_DIST_TRAIN_FEATURES=ib=$list" \
		srun -N2 --mpi=none --dist-train=mpi true
	free_for_bob
}

# An srun without the plugin; the variables don't name the step. Then they do: the
# task itself reads them, and quickly.
test_srun_without_plugin() {
	by_feature
	mkdir -m 777 "$d/conf"
	succeed salloc -Q -N2 env STEP=7 "$here/forged.sh" "$d/conf" features \
		-N2 sh -c "$cost"
	cheap 2
	free_for_bob
	succeed salloc -Q -N2 "$here/forged.sh" "$d/conf" features \
		-N2 sh -c "$cost"
	cheap 2
	free_for_bob
}

# Whatever the user's tasks come to, with and without the launcher
test_every_variable() {
	local option fd

	by_feature
	mkdir -m 777 "$d/conf"
	for option in ddp ddp,procs=2 mpi tf; do
		for fd in 1 5; do
			try salloc -Q -N2 env "OPTION=$option" "FD=$fd" \
				"$here/forged.sh" "$d/conf" all -N2 sleep 0
		done
	done
	try salloc -Q -N2 env STEP=7 "$here/forged.sh" "$d/conf" all \
		-N2 sh -c "$cost"
	cheap 2
	free_for_bob
}

# Huge options are refused by srun itself, in one line; then more variables than a
# task may have beside ours
test_huge_options_and_environment() {
	refuse "unknown framework 'a*\.\.\.'" srun \
		"--dist-train=$(head -c 125000 /dev/zero | tr '\0' a)" true
	refuse 'log-dir' srun \
		"--dist-train=ddp,log-dir=$(head -c 8193 /dev/zero | tr '\0' a)" true
	free_for_bob
	# shellcheck disable=SC2046 # words they are
	try env $(for i in {1..25}; do
		echo "BIG_$i=$(head -c 60000 /dev/zero | tr '\0' x)"
	done) srun -N2 --dist-train=ddp sh -c "$cost"
	[ "$rc" -eq 0 ] || fail "status $rc"
	cheap 2
	free_for_bob
}

is_mounted() {
	user=root node=node1 at grep -q " $1 fuse" /proc/mounts
}

# hang FOLDER: on node1 whoever opens it waits: a FUSE file system that nobody
# serves
hang() {
	user=root node=node1 limit=200 background sh -c '
		[ -e /dev/fuse ] || mknod /dev/fuse c 10 229 || exit
		exec 3<> /dev/fuse || exit
		mount -i -t fuse -o fd=3,rootmode=40000,user_id=0,group_id=0,allow_other \
			hang "$0" || exit
		trap "umount -l $0" EXIT
		sleep 190' "$1"
	afterwards "user=root node=node1 at umount -l '$1'"
	until_true 20 is_mounted "$1" ||
		skip "no FUSE on this machine: $(< "$d/bg.out")"
}

# task_waits: a process of the step on node1 waits for the folder
task_waits() {
	user=root node=node1 at sh -c \
		'grep -qs fuse /proc/[0-9]*/stack /proc/[0-9]*/wchan'
}

# Its tasks end with a line that names the folder. scancel ends them, too:
# under proctrack/linuxproc, which spares what is still called slurmstepd, not
# earlier.
# takes: 0.25
test_folder_that_hangs() {
	mkdir -p "$d/hang"
	hang "$d/hang"
	plugstack "optional $plugin profiledir=$d/hang profile=x"
	afterwards "plugstack '$plug_line'"
	limit=100 refuse "^dist-train: profiledir=$d/hang: no answer within" \
		srun -w node1 -N1 --dist-train=ddp true
	free_for_bob
	background srun -w node1 -N1 --dist-train=ddp true
	until_true 20 task_waits || fail "nobody waits for the folder"
	user=alice try scancel -u alice
	free_for_bob
	# Nor does the process stay that reads it with root's real id
	until_true 20 no_reader || fail "a reader of the folder is left"
}

no_reader() {
	! as_root node1 'cat /proc/[0-9]*/status' 2> /dev/null |
		grep -Eq '^Uid:[[:space:]]+0[[:space:]]+10001[[:space:]]'
}
