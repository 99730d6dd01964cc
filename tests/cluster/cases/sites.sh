# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# plugstack.conf includes a folder, and the installed fragment is linked there,
# beside pyxis's or that of its stand-in.
# clusters: inside
# shellcheck disable=SC2034,SC2154 # shared with lib.sh
# shellcheck source-path=SCRIPTDIR/.. source=../container.sh
. "$here/container.sh"

# link_as NAME: the fragment, in the folder that is read
link_as() {
	local fragment=$prefix/share/dist-train/dist-train.conf

	[ -e "$seen$fragment" ] || skip "this prefix has no $fragment"
	mkdir -p "$d/plugstack.conf.d"
	ln -s "$fragment" "$d/plugstack.conf.d/$1"
	use_lines "include $d/plugstack.conf.d/*.conf"
}

test_one_link() {
	link_as zz-dist-train.conf
	step 4 -N2 -n4
	succeed srun -N2 --dist-train=ddp,procs=2 "$show"
	layout 4 device
	# The package is gone, and the link is still there
	ln -sfn "$d/gone/dist-train.conf" "$d/plugstack.conf.d/zz-dist-train.conf"
	try srun -N2 echo ended
	[ "$rc,$err" = 0, ] || fail "status $rc: $err"
	try srun -N2 --dist-train=ddp true
	[ "$rc" -ne 0 ] || fail "the option is still known"
}

# Behind pyxis.conf no launcher is needed, before it there is one in each task
test_beside_pyxis() {
	link_as zz-dist-train.conf
	enter_behind
	echo "$other" > "$d/plugstack.conf.d/pyxis.conf"
	plugstack "include $d/plugstack.conf.d/*.conf"
	inside 4 -N2 -n4 --dist-train=ddp
	inside 4 -N2 --dist-train=ddp,procs=2
	mv "$d/plugstack.conf.d/zz-dist-train.conf" \
		"$d/plugstack.conf.d/dist-train.conf"
	inside 4 -N2 -n4 --dist-train=ddp
	inside 4 -N2 --dist-train=ddp,procs=2
}

# play ARGUMENT...: the role on the login node, whose plugstack.conf is that of
# all nodes
play() {
	user=root limit=120 try env HOME="$d" ANSIBLE_NOCOLOR=1 \
		ANSIBLE_PIPELINING=1 ansible-playbook \
		-c local -i login, "$top/contrib/ansible/playbook.yml" \
		-e ansible_python_interpreter=/usr/bin/python3 \
		-e dist_train_prefix="$prefix" \
		-e dist_train_sysconfdir="$d" \
		-e '{"dist_train_packages": ["slurm-client"]}' \
		-e dist_train_arguments=grace=7 "$@"
	[ "$rc" -eq 0 ] || fail "the playbook failed"
}

changed() {
	says "^login .* changed=$1 .* failed=0 "
}

# long: three runs of a playbook, whose files are asserted by test_one_link and
# contrib/ansible's own --check
# takes: 1
test_ansible() {
	local conf=/run/dist-train-cluster/$cluster/etc

	need_program ansible-playbook
	link_as none.conf	# or skip
	afterwards "rm -rf $conf/plugstack.conf.d"
	mkdir "$d/dist-train"
	cp "$seen$etc/dist-train/plugstack.conf" "$d/dist-train"
	use_lines
	try srun --dist-train=ddp true
	[ "$rc" -ne 0 ] || fail "the option is known before"
	play --check -e dist_train_check=false
	changed 4
	[ ! -e "$conf/plugstack.conf.d" ] || fail "--check has made a folder"
	play
	changed 4
	step 4 -N2 -n4
	grep -q '^optional .*/dist_train\.so grace=7$' \
		"$d/dist-train/plugstack.conf" || fail "no argument was set"
	play
	changed 0
}
