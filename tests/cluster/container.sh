# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# For the cases in containers. Sourced by them.
# shellcheck disable=SC2034,SC2154 # shared with lib.sh and with the cases

image=$work/image

# as_root NODE COMMAND...
as_root() {
	user=root node=$1 at "${@:2}" || fail "on $1: ${*:2}"
}

# A root directory with a shell that needs no library, and one program that
# needs musl; the suite makes it once.
make_image() {
	local busybox name musl

	musl=/lib/ld-musl-$(uname -m).so.1
	[ ! -e "$image" ] || return 0
	busybox=$(command -v busybox) && ! ldd "$busybox" > /dev/null 2>&1 ||
		skip "no busybox-static on this machine"
	command -v musl-gcc > /dev/null && [ -e "$musl" ] ||
		skip "no musl-tools on this machine"
	mkdir -p "$image.new"/{bin,dev,etc,lib,proc,tmp}
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
	# As images and their hooks have it
	printf '%s\n' RANK=0 LOCAL_RANK=0 WORLD_SIZE=1 MASTER_ADDR=localhost \
		MASTER_PORT=29500 OMP_NUM_THREADS=7 PYTORCH_VERSION=2.6 \
		PATH=/bin DIST_TRAIN_RANK=17 > "$image.new/image-environment"
	mv "$image.new" "$image"
}

# use_lines LINE...: of plugstack.conf, for this case
use_lines() {
	plugstack "$@"
	afterwards "plugstack '$plug_line'"
}

# enter_behind [noproc]: our line stands behind that of the container's
enter_behind() {
	make_image
	compile_plugin container "$here/container_plugin.c"
	use_lines "required $d/container.so $image $*" "$plug_line"
}

# enter_before [noproc]: and before it
enter_before() {
	make_image
	compile_plugin container "$here/container_plugin.c"
	use_lines "$plug_line" "required $d/container.so $image $*"
}

# inside N SRUN-ARGUMENT...: a ddp step of N processes in the container
inside() {
	local n=$1 mode=task
	shift

	case "$*" in
	*procs=*) mode=device ;;
	esac
	succeed srun "$@" /bin/show
	layout "$n" "$mode"
}
