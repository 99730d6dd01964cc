# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# An installation that isn't the same everywhere, or wrong. In each case the
# user is told, no node is drained, and a job without the option is unaffected.
# clusters: faulty
# shellcheck disable=SC2016,SC2034,SC2154 # shared with lib.sh

# as_root NODE COMMAND...
as_root() {
	user=root node=$1 at "${@:2}" || fail "on $1: ${*:2}"
}

# cover NODE FILE OTHER: that node finds OTHER's content at FILE
cover() {
	as_root "$1" mount --bind "$3" "$2"
	afterwards "as_root $1 umount $2"
}

# hide NODE FOLDER: it is empty there
hide() {
	as_root "$1" mount -t tmpfs tmpfs "$2"
	afterwards "as_root $1 umount $2"
}

# use_line LINE...: of plugstack.conf, for this case
use_line() {
	plugstack "$@"
	afterwards "plugstack '$plug_line'"
}

# use_copy: a copy of the plugin in a folder that can be hidden
use_copy() {
	mkdir -p "$d/lib"
	cp "$plugin" "$d/lib/dist_train.so"
	use_line "optional $d/lib/dist_train.so"
}

# One node reads other lines than the rest
use_line_on() {
	local conf=/run/dist-train-cluster/$cluster/etc/plugstack.conf

	printf '%s\n' "${@:2}" > "$d/plugstack.$1"
	cover "$1" "$conf" "$d/plugstack.$1"
}

others_unaffected() {
	succeed srun -N4 -n4 sh -c 'echo "plain $SLURM_PROCID"'
	[ "$(grep -c '^plain [0-3]$' "$d/out")" -eq 4 ] ||
		fail "a step without the option doesn't run"
	all_idle 10 || fail "not all nodes are idle"
	[ -z "$(user=root at sinfo -h -R)" ] || fail "a node is drained"
}

test_plugin_missing_on_one_node() {
	use_copy
	hide node2 "$d/lib"
	try srun -N4 --ntasks-per-node=2 --dist-train=ddp sh -c \
		'echo "m $SLURMD_NODENAME $RANK $MASTER_ADDR"'
	[ "$(grep -c '^m node2 dist-train:plugin-missing-on-this-node dist-t' \
		"$d/out")" -eq 2 ] || fail "no marker on node2"
	[ "$(grep -c '^m node[134] [0-7] 10\.' "$d/out")" -eq 6 ] ||
		fail "the other nodes don't have their values"
	others_unaffected
}

# With the training program itself: it ends, and the line tells the cause
# long: as plugin_missing_on_one_node, with a program that reads its rank
test_plugin_missing_is_understood() {
	use_copy
	hide node2 "$d/lib"
	try srun -N2 -n2 --dist-train=ddp "$PYTHON" -c '
import os
os.environ["RANK"] and int(os.environ["RANK"])'
	[ "$rc" -ne 0 ] || fail "status 0"
	grep -q "dist-train:plugin-missing-on-this-node" "$d/err" ||
		fail "the cause isn't in the output"
	others_unaffected
}

# long: as plugin_missing_on_one_node
test_plugin_broken_on_one_node() {
	use_copy
	printf 'not a plugin' > "$d/broken"
	cover node2 "$d/lib/dist_train.so" "$d/broken"
	try srun -N4 -n4 --dist-train=ddp "$show"
	says '^show node=node2 .* RANK=dist-train:plugin-missing-on-this-node'
	others_unaffected
}

# long: srun's own refusal of an unknown option
test_plugin_missing_on_the_login_node() {
	use_copy
	hide login "$d/lib"
	try srun -n1 --dist-train=ddp true
	[ "$rc" -ne 0 ] || fail "status 0"
	others_unaffected
}

# compile_other: the plugin that changes the hand-over's version
compile_other() {
	compile_plugin variable "$here/variable_plugin.c"
}

# long: tests/spank/scenarios/handover-version;
# faults.helper_missing_on_one_node (others are unaffected)
test_other_release_on_one_node() {
	compile_other
	use_line_on node2 "required $d/variable.so 99" "$plug_line"
	refuse "^dist-train: srun has slurm-dist-train '[^']+' with protocol version 99, and this node '[0-9.a-z-]+' with [0-9]+; install one release" \
		srun -N4 -n8 --ntasks-per-node=2 --dist-train=ddp "$show"
	says_not '^show node=node2 '
	refuse '^dist-train: .*protocol version 99' \
		srun -N2 --gres=gpu:2 --dist-train=ddp "$show"
	others_unaffected
}

test_helper_missing_on_one_node() {
	hide node2 "$(dirname "$launcher")"
	refuse "^dist-train: $launcher on node node2: No such file.*install" \
		srun -N2 --gres=gpu:2 --dist-train=ddp "$show"
	says_not '^show node=node2 '
	succeed srun -N2 -n2 --dist-train=ddp "$show"
	layout 2
	others_unaffected
}

test_rundir_unusable() {
	local dir

	as_root node2 mkdir -p /tmp/full /tmp/read-only
	as_root node2 mount -t tmpfs -o size=4k tmpfs /tmp/full
	afterwards "as_root node2 umount /tmp/full"
	user=root node=node2 at sh -c 'cat /dev/zero > /tmp/full/x' 2> /dev/null
	as_root node2 mount -t tmpfs -o ro tmpfs /tmp/read-only
	afterwards "as_root node2 umount /tmp/read-only"
	for dir in /nowhere /tmp/full /tmp/read-only /dev/null; do
		use_line "optional $plugin rundir=$dir"
		succeed srun -N2 -n4 --dist-train=ddp "$show"
		layout 4
		succeed srun -N2 --gres=gpu:2 --dist-train=ddp "$show"
		layout 4 device
	done
	others_unaffected
	as_root node2 umount /tmp/full /tmp/read-only
	as_root node2 rmdir /tmp/full /tmp/read-only
	sed -i /umount/d "$d/undo"
}

# long: tests/spank/scenarios/args-wrong, none-args-wrong,
# other-steps-args-wrong
test_wrong_argument() {
	local argument

	for argument in prots=1-2 ports=9-8 option= default=ddp nonsense \
		allow=dpd grace=x rundir=relative; do
		use_line "optional $plugin $argument"
		refuse "^dist-train: plugstack.conf: .*${argument%%=*}" \
			srun -N2 -n2 --dist-train=ddp "$show"
		says_not '^show'
		printf '#!/bin/sh\n#SBATCH --dist-train=ddp\ntrue\n' > "$d/job"
		refuse "^dist-train: plugstack.conf: .*${argument%%=*}" \
			sbatch "$d/job"
	done
	others_unaffected
}

# Slurm drains a node where the init of a required plugin fails; ours doesn't, and
# since 25.05 it says what to do if it should
test_required() {
	use_line "required $plugin prots=1-2"
	refuse "unknown argument 'prots=1-2'" \
		srun -N2 -n2 --dist-train=ddp "$show"
	says_not '^show'
	others_unaffected
	at cat /usr/include/slurm/spank.h > "$d/spank.h" || return 0
	grep -q 'int slurm_spank_init_failure_mode' "$d/spank.h" || return 0
	at nm -D "$plugin" > "$d/symbols"
	grep -q ' D slurm_spank_init_failure_mode' "$d/symbols" ||
		fail "a failed init would drain the node"
}

# long: tests/spank/scenarios/args-wrong; faults.helper_missing_on_one_node
# (others are unaffected)
test_wrong_argument_on_one_node() {
	use_line_on node2 "optional $plugin prots=1-2"
	refuse "^dist-train: plugstack.conf: unknown argument 'prots=1-2'; did you mean 'ports'" \
		srun -N4 -n8 --ntasks-per-node=2 --dist-train=ddp "$show"
	says_not '^show node=node2 '
	others_unaffected
}

# long: tests/spank/scenarios/args-option, abbreviation-others
test_other_option_name() {
	use_line "optional $plugin option=train"
	succeed srun -N2 -n2 --train=ddp "$show"
	layout 2
	try srun -n1 --dist-train=ddp true
	[ "$rc" -ne 0 ] || fail "--dist-train is still known"
	others_unaffected
}

# long: tests/spank/scenarios/args-allow, args-default
test_allow_and_default() {
	use_line "optional $plugin allow=env default=nic=off,port=24680"
	refuse "framework 'ddp' isn't allowed on this cluster; allowed: env" \
		srun -n1 --dist-train=ddp true
	succeed srun -N2 -n2 --dist-train=env sh -c \
		'echo "port=$DIST_TRAIN_MASTER_PORT nic=$GLOO_SOCKET_IFNAME"'
	[ "$(grep -c '^port=24680 nic=$' "$d/out")" -eq 2 ] ||
		fail "the defaults don't hold"
	others_unaffected
}

# --- an upgrade ------------------------------------------------------------------

# other_release_on NODE FILE...: the same programs there, but that they are of another
# release by what they say; $old and $new are the releases
other_release_on() {
	local node=$1 file
	shift

	old=$("$prefix/bin/dist-train" --version)
	old=${old#dist-train }
	new=${old%?}$(((${old: -1} + 1) % 10))
	for file; do
		LC_ALL=C sed "s/${old//./\\.}/$new/g" "$file" > "$d/${file##*/}"
		chmod 755 "$d/${file##*/}"
		cmp -s "$file" "$d/${file##*/}" && fail "$file has no release"
		cover "$node" "$file" "$d/${file##*/}"
	done
}

# two_releases LINE: a step of launchers says one line, runs, and has its end; one of
# tasks alone has nothing to say
two_releases() {
	try srun -N2 --gres=gpu:2 --dist-train=ddp "$show"
	[ "$rc" -eq 0 ] || fail "status $rc"
	layout 4
	one_line "$1: install one release on all hosts$"
	try srun -N2 --gres=gpu:2 --dist-train=ddp,grace=1 sh -c \
		'[ $RANK -ne 3 ] || exit 5; exec sleep 300'
	[ "$rc" -eq 5 ] || fail "status $rc"
	one_of_ours '^dist-train: rank 3 .* on node2, .*: exit code 5 .*\(first failure\)'
	succeed srun -N2 --ntasks-per-node=2 --dist-train=ddp "$show"
	layout 4
	others_unaffected
}

test_newer_release_on_a_node() {
	other_release_on node2 "$plugin" "$launcher"
	two_releases "^dist-train: node2 has slurm-dist-train $new, and the step's controller $old"
}

test_newer_release_at_srun() {
	other_release_on login "$plugin" "${launcher%-launch}-step"
	two_releases "^dist-train: node[12] has slurm-dist-train $old, and the step's controller $new"
}

# ranks_up N: of the background's first life
ranks_up() {
	[ "$(grep -c '^up [0-9]* in 0$' "$d/bg.out")" -eq "$1" ]
}

# What was started goes on, restarts and ends as it was; what begins then is new
# takes: 1
test_upgrade_under_a_step() {
	background srun -N2 --gres=gpu:1 --dist-train=ddp,procs=1,restarts=1,grace=1 \
		sh -c 'echo "up $RANK in $DIST_TRAIN_RESTART"
		[ $DIST_TRAIN_RESTART = 0 ] || exit 0
		[ $RANK = 1 ] || exec sleep 300
		until [ -e '"$d/go"' ]; do sleep 0.1; done
		exit 3'
	until_true 20 ranks_up 2 || fail "it doesn't start: $(cat "$d/bg.out")"
	other_release_on node2 "$plugin" "$launcher"
	touch "$d/go"
	wait "$bg" || fail "status $?: $(cat "$d/bg.out")"
	[ "$(grep -c '^up [01] in 1$' "$d/bg.out")" -eq 2 ] ||
		fail "no second life: $(cat "$d/bg.out")"
	! grep 'install one release' "$d/bg.out" || fail "of the new release"
	try srun -N2 --gres=gpu:1 --dist-train=ddp,procs=1 "$show"
	one_line "^dist-train: node2 has slurm-dist-train $new, "
}

# --- a release that was really built before ---------------------------------------

need_older() {
	older=$prefix/older$prefix
	[ -x "$older/bin/dist-train" ] || skip "no older release: tests/older"
	old=$("$older/bin/dist-train" --version) new=$("$prefix/bin/dist-train" --version)
	old=${old#dist-train } new=${new#dist-train }
}

# older_on HOST...: all of it there, as before the packages were replaced
older_on() {
	local host

	for host; do
		as_root "$host" mount --bind "$older" "$prefix"
		afterwards "as_root $host umount -l $prefix"
	done
}

# A key that the older one doesn't have is refused where that is read
# long: newer_release_at_srun, newer_release_on_a_node
test_older_release_on_a_node() {
	need_older
	older_on node2
	two_releases "^dist-train: node2 has slurm-dist-train $old, and the step's controller $new"
	try srun -N2 --gres=gpu:2 --dist-train=ddp,code=freeze "$show"
	[ "$rc" -ne 0 ] || fail "status 0 with a key that node2 doesn't know"
	one_of_ours "^dist-train: node2 has slurm-dist-train $old, srun has '$new': unknown key 'code'"
	others_unaffected
}

# long: newer_release_at_srun, newer_release_on_a_node
test_older_release_at_srun() {
	need_older
	older_on login
	two_releases "^dist-train: node[12] has slurm-dist-train $new, and the step's controller $old"
}

# What was started goes on, restarts, can be looked into and ends as it was
# long: upgrade_under_a_step
test_upgrade_of_an_older_release() {
	local host

	need_older
	older_on login node1 node2
	background srun -N2 --gres=gpu:1 --dist-train=ddp,procs=1,restarts=1,grace=1 \
		sh -c 'echo "up $RANK in $DIST_TRAIN_RESTART"
		[ $RANK = 1 ] || exec sleep 300
		until [ -e '"$d"'/go.$DIST_TRAIN_RESTART ]; do sleep 0.1; done
		exit 3'
	until_true 20 ranks_up 2 || fail "it doesn't start: $(cat "$d/bg.out")"
	for host in login node1 node2; do
		as_root $host umount -l "$prefix"
	done
	sed -i /umount/d "$d/undo"
	succeed "$prefix/bin/dist-train" status
	says ': 2 ranks on 2 nodes'
	touch "$d/go.0"
	until_true 20 grep -q '^up 1 in 1$' "$d/bg.out" || fail "no second life"
	touch "$d/go.1"
	wait "$bg"
	[ $? -eq 3 ] || fail "not its status: $(cat "$d/bg.out")"
	grep -q '^dist-train: rank 1 .*: exit code 3 .*(first failure)' "$d/bg.out" ||
		fail "no first failure: $(cat "$d/bg.out")"
	succeed srun -N2 --gres=gpu:1 --dist-train=ddp,procs=1 "$show"
	[ -z "$(ours)" ] || fail "unexpected: $(ours)"
	others_unaffected
}
