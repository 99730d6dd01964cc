# shellcheck shell=bash
# What a cluster needs from the machine, asked before anything is made.
# Sourced by contrib/cluster.
# shellcheck disable=SC2034,SC2154 # the variables are shared with it

# check_program PROGRAM PACKAGE [FOLDER]
check_program() {
	local dir
	IFS=: read -ra dirs <<< "$PATH"

	for dir in "${dirs[@]}"; do
		[ ! -x "${3:-}$dir/$1" ] || return 0
	done
	die "needs the program $1: apt-get install $2${3:+ (in $3)}"
}

check_machine() {
	local why

	[[ $name =~ ^[A-Za-z0-9][A-Za-z0-9_-]{0,30}$ ]] ||
		die "a cluster's name is letters, digits, - and _"
	[[ $state =~ ^/[A-Za-z0-9_./-]+$ ]] ||
		die "the folder's name has characters that slurm.conf can't" \
			"hold: '$state'"
	[ "$EUID" -eq 0 ] || die "needs root: namespaces, mounts, devices"
	check_program ip iproute2
	check_program unshare util-linux
	check_program nsenter util-linux
	check_program setpriv util-linux
	check_program setsid util-linux
	check_program awk mawk
	check_program "${CC:-cc}" gcc
	check_program slurmctld slurmctld "$root"
	check_program slurmd slurmd "$root"
	check_program srun slurm-client "$root"
	check_program munged munge "$root"
	why=$(check_rights 2>&1) || die "this machine can't: $why" \
		"(a container needs CAP_SYS_ADMIN, CAP_NET_ADMIN, CAP_MKNOD)"
	slurm_version=$(in_root slurmd -V) || die "slurmd -V fails"
	slurm_version=${slurm_version##* }
}

# All that the nodes will do, once, in namespaces that end with it. The last
# line printed is what failed.
check_rights() {
	# shellcheck disable=SC2016
	unshare --net --uts --ipc --mount --pid --fork --kill-child sh -c '
		try() { out=$("$@" 2>&1) || { echo "$* ($out)"; exit 1; }; }
		try mount -t proc proc /proc
		try mount -t tmpfs tmpfs /dev
		try mknod /dev/nvidia0 c 195 0
		try ip link add type veth
		try ip link add name bridge type bridge'
}

in_root() {
	if [ -n "$root" ]; then chroot "$root" "$@"; else "$@"; fi
}
