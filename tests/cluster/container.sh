# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# For the cases in containers. Sourced by them. They use pyxis and enroot where
# DIST_TRAIN_PYXIS names a folder of tests/cluster/pyxis_build, else a stand-in
# (container_plugin.c).
# shellcheck disable=SC2034,SC2154 # shared with lib.sh and with the cases

image=$work/image
pyxis=${DIST_TRAIN_PYXIS:+$(readlink -m "$DIST_TRAIN_PYXIS")}
into=()	# srun's option for it; the stand-in takes each step

# once FILE COMMAND...: makes FILE, also when two groups come at the same time
once() {
	{
		flock 9
		[ -e "$1" ] || "${@:2}"
	} 9> "$1.lock"
}

# A root directory with a shell that needs no library, and one program that
# needs musl; the suite makes it once.
make_image() {
	local busybox name musl

	musl=/lib/ld-musl-$(uname -m).so.1
	busybox=$(command -v busybox) && ! ldd "$busybox" > /dev/null 2>&1 ||
		skip "no busybox-static on this machine"
	command -v musl-gcc > /dev/null && [ -e "$musl" ] ||
		skip "no musl-tools on this machine"
	mkdir -p "$image.new"/{bin,dev,etc,lib,proc,root,tmp}
	cp "$busybox" "$image.new/bin/busybox"
	for name in $("$busybox" --list | grep -vx busybox); do
		ln -s busybox "$image.new/bin/$name"
	done
	cp -L "$musl" "$image.new/lib/"
	musl-gcc -o "$image.new/bin/program" "$here/container_program.c" ||
		fail "can't compile container_program.c"
	cp "$here/show.sh" "$image.new/bin/show"
	printf '%s\n' root:x:0:0::/:/bin/sh alice:x:10001:10001::/:/bin/sh \
		> "$image.new/etc/passwd"
	# As enroot writes it down for an image
	cp "$here/container_rc.sh" "$image.new/etc/rc"
	: > "$image.new/etc/rc.local"
	printf '%s\n' OMP_NUM_THREADS=7 PYTORCH_VERSION=2.6 PATH=/bin \
		DIST_TRAIN_RANK=17 > "$image.new/etc/environment"
	mv "$image.new" "$image"
}

make_squashfs() {
	command -v mksquashfs > /dev/null || skip "no squashfs-tools"
	mksquashfs "$image" "$image.new" -all-root -no-progress -quiet ||
		fail "mksquashfs failed"
	mv "$image.new" "$image.sqsh"
}

# use_lines LINE...: of plugstack.conf, for this case
use_lines() {
	plugstack "$@"
	afterwards "plugstack '$plug_line'"
}

# A line of plugstack.conf is in $other
use_stand_in() {
	once "$image" make_image
	compile_plugin container "$here/container_plugin.c"
	other="required $d/container.so $image $*"
}

# use_pyxis [ARGUMENT...]: slurmd finds enroot by its PATH
use_pyxis() {
	local node

	once "$image" make_image
	once "$image.sqsh" make_squashfs
	for node in $(nodes); do
		as_root "$node" "mount --bind $pyxis/bin /usr/local/sbin &&
			mkdir -p /run/pyxis && mkdir -p -m 1777 /run/enroot &&
			touch /dev/log"
		afterwards "as_root $node 'umount /usr/local/sbin'"
	done
	into=("--container-image=$image.sqsh")
	other="required $pyxis/lib/slurm/spank_pyxis.so $*"
}

# enter_nodes_own: the nodes' own files, in other namespaces and another root, with
# an empty /tmp
enter_nodes_own() {
	local node

	compile_plugin container "$here/container_plugin.c"
	for node in $(nodes); do
		as_root "$node" "mkdir /run/image && mount --rbind / /run/image"
		afterwards "as_root $node 'umount -l /run/image && rmdir /run/image'"
	done
	use_lines "required $d/container.so /run/image" "$plug_line"
}

# need_pyxis: the case is for the real one alone
need_pyxis() {
	[ -n "$pyxis" ] || skip "no pyxis: DIST_TRAIN_PYXIS=FOLDER of" \
		"tests/cluster/pyxis_build"
}

# enter_behind [ARGUMENT...]: our line stands behind that of the container's
enter_behind() {
	if [ -n "$pyxis" ]; then use_pyxis "$@"; else use_stand_in "$@"; fi
	use_lines "$other" "$plug_line"
}

# enter_before [ARGUMENT...]: and before it
enter_before() {
	if [ -n "$pyxis" ]; then use_pyxis "$@"; else use_stand_in "$@"; fi
	use_lines "$plug_line" "$other"
}

# inside N SRUN-ARGUMENT...: a ddp step of N processes in the container
inside() {
	local n=$1 mode=task
	shift

	case "$*" in
	*procs=*) mode=device ;;
	esac
	succeed srun "${into[@]}" "$@" /bin/show
	layout "$n" "$mode"
}
