# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# Other Debian releases in folders, from Debian's packages, kept in a cache.
# Sourced by tests/run, tests/matrix and tests/packages, after steps.sh.

# cache_dir: where the folders are kept
cache_dir() {
	local cache=${XDG_CACHE_HOME:-}

	if [ -z "$cache" ]; then
		cache=/var/cache
		[ -w "$cache" ] || cache=${HOME:-/nonexistent}/.cache
	fi
	echo "$cache/dist-train-tests"
}

# make_root NAME SUITE LOG VARIANT PACKAGE...: the cache's folder NAME. Its
# list of packages is part of it: with another list it is made anew. A package
# of another processor (NAME:arm64) makes the folder one of both. Who comes
# while it is being made waits for it.
make_root() {
	local root lock status=0
	root=$(cache_dir)/$1

	mkdir -p "${root%/*}" && exec {lock}> "$root.lock" || return
	flock "$lock"
	fill_root "$root" "$@" || status=$?
	exec {lock}>&-
	return $status
}

# fill_root FOLDER ARGUMENT...: of make_root, which keeps others away
fill_root() {
	local root=$1 wanted="$3 $5 ${*:6}" processors
	processors=$(dpkg --print-architecture)
	[[ $wanted != *:arm64* ]] || processors+=,arm64

	[ "$(cat "$root/.dist-train-root" 2> /dev/null)" != "$wanted" ] ||
		return 0
	rm -rf --one-file-system "$root" "$root.new" &&
		step "Debian $3, $2" "$4" timeout 1800 \
			mmdebstrap --variant="$5" \
			--architectures="$processors" \
			--include="$(tr ' ' , <<< "${*:6}")" \
			--aptopt='Acquire::Check-Valid-Until "false"' \
			"$3" "$root.new" &&
		echo "$wanted" > "$root.new/.dist-train-root" &&
		mv "$root.new" "$root"
}

# archive_failed LOG: what the log of make_root says if Debian's archive can't
# be reached
archive_failed() {
	grep -m 1 -E '^(E|W): .*(Failed to fetch|Could not|Unable to (connect|fetch)|Temporary failure)' \
		"$1"
}

# in_root ROOT DIR COMMAND...: as root in that release, above a layer of its
# own; DIR is the same folder inside and outside, and so is the compiler's cache
# of the caller, if it has one; nothing else is kept.
in_root() {
	local root=$1 dir=$2 cache=${CCACHE_DIR:-}
	shift 2

	# shellcheck disable=SC2016
	unshare --mount --pid --fork --kill-child --propagation private \
		bash -c '
		set -e
		root=$1 dir=$2 cache=$3 path=/usr/sbin:/usr/bin:/sbin:/bin
		shift 3
		mount -t tmpfs tmpfs /mnt
		mkdir /mnt/upper /mnt/work /mnt/root
		mount -t overlay -o "lowerdir=$root,upperdir=/mnt/upper,workdir=/mnt/work" \
			overlay /mnt/root
		mount -t proc proc /mnt/root/proc
		mount --rbind /dev /mnt/root/dev
		mount --rbind /sys /mnt/root/sys
		for shared in "$dir" $cache; do
			mkdir -p "/mnt/root$shared"
			mount --rbind "$shared" "/mnt/root$shared"
		done
		[ -z "$cache" ] || path=/usr/lib/ccache:$path
		exec env -i PATH="$path" HOME=/root \
			LC_ALL=C.UTF-8 USER=root TERM=dumb CCACHE_NOHASHDIR=1 \
			CONFIG_SHELL=/bin/dash \
			${cache:+CCACHE_DIR="$cache"} \
			chroot /mnt/root "$@"' - "$root" "$dir" "$cache" "$@"
}
