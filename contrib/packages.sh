# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# Debian packages by what they are for, the one place that names them. Sourced
# by contrib/quickstart and the scripts in tests, after contrib/steps.sh.

packages_build() {
	echo autoconf automake gcc libc6-dev make pkg-config \
		libslurm-dev libcjson-dev libmicrohttpd-dev libmunge-dev libsodium-dev \
		libpmix-dev zlib1g-dev
}

packages_cluster() {
	# Slurm 22.05's mpi/pmix opens libpmix.so, which is in the -dev package
	echo slurmctld slurmd slurm-client munge iproute2 util-linux mawk \
		libpmix-dev binutils procps
}

packages_mpi() {
	echo openmpi-bin libopenmpi-dev mpich libmpich-dev python3-mpi4py pdsh
}

# To build Horovod for Debian's PyTorch
packages_horovod() {
	echo cmake g++ libtorch-dev python3-dev pybind11-dev
}

packages_torch() {
	echo python3 python3-torch
}

packages_check() {
	echo libcmocka-dev clang clang-format shellcheck strace tmux zsh ccache python3 \
		nftables gdb elfutils
}

# `make site`, and tests of the manual
packages_site() {
	echo mkdocs mkdocs-material mandoc python3
}

# The page of a step or a job is looked at in a real one
packages_browser() {
	echo chromium fonts-dejavu-core
}

# The image of the cluster suite's containers: a shell that needs no library,
# and programs that need another C library
packages_image() {
	echo busybox-static musl-tools
}

packages_headers() {
	echo mmdebstrap
}

# What the folder of a release, of Debian's name, has: tests/matrix and tests/packages
# share it. Slurm 22.05 has no sackd.
packages_release() {
	{
		[ "$1" = bookworm ] || echo sackd
		packages_build
		packages_cluster
		packages_torch
		packages_mpi
		echo strace build-essential ccache debhelper lintian \
			libcmocka-dev rpm nftables
	} | tr ' ' '\n' | sort -u
}

# The libraries that the helpers are built with, and run with
packages_libraries() {
	packages_build | tr ' ' '\n' | grep -E '^(lib|zlib).*-dev$' |
		grep -vxE 'libc6-dev|libslurm-dev'
}

# To build for 64-bit Arm, and to run that
packages_cross() {
	echo autoconf automake ccache make pkg-config libslurm-dev \
		crossbuild-essential-arm64 qemu-user-static \
		libc6:arm64 libcmocka-dev:arm64 | tr ' ' '\n'
	packages_libraries | sed 's/$/:arm64/'
}

# `make wheel` for both processors. The libraries above can't be beside this machine's.
packages_wheels() {
	{
		packages_build
		echo ccache python3 python3-pip qemu-user-static gcc-aarch64-linux-gnu \
			libsodium-dev:arm64 zlib1g-dev:arm64
	} | tr ' ' '\n'
}

# packages_missing PACKAGE...: those that aren't installed
packages_missing() {
	local package status

	for package; do
		status=$(dpkg-query -W -f '${db:Status-Abbrev}' "$package" \
			2> /dev/null) || status=
		# A virtual one is known, and never installed itself
		[ "${status:1:1}" = i ] || echo "$package"
	done
}

# packages_install PACKAGE...: asks apt-get only if one is missing. Its output
# is in a file of its own, shown if it fails.
packages_install() {
	local missing log status=0

	mapfile -t missing < <(packages_missing "$@")
	[ ${#missing[@]} -gt 0 ] || return 0
	if [ "$EUID" -ne 0 ] || ! command -v apt-get > /dev/null; then
		echo "needs the packages (apt-get install as root):" \
			"${missing[*]}" >&2
		return 1
	fi
	log=$(mktemp)
	{
		export DEBIAN_FRONTEND=noninteractive
		step "apt-get update" "$log" \
			apt-get -q -y update &&
			step "apt-get install ${missing[*]}" "$log" \
				apt-get -q -y -o DPkg::Lock::Timeout=300 \
				install --no-install-recommends \
				"${missing[@]}"
	} || status=1
	rm -f "$log"
	return $status
}
