# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# Debian's releases with Slurm in folders, and our packages for each, built there
# from the source archive. Sourced by tests/packages and tests/matrix, after
# contrib's steps.sh, packages.sh and roots.sh, and by tests/queue.sh's side.
# shellcheck disable=SC2154 # work: a folder of the caller
#
# DIST_TRAIN_BUILT   a folder where both keep what they have built, so that it is
#                    built once; the caller's own without it
# DIST_TRAIN_ROOT    a root folder with another Slurm, which somebody else has made;
#                    the folder's name is that of a release

# The release whose packages are looked at most closely
thorough=bookworm

built_dir() {
	echo "${DIST_TRAIN_BUILT:-$work/built}"
}

# once NAME COMMAND...: who comes while it is under way waits for it. A failure is
# remembered, too.
once() {
	local file lock
	file=$(built_dir)/$1
	shift

	mkdir -p "${file%/*}" && exec {lock}> "$file.lock" || return
	flock "$lock"
	if [ ! -e "$file.status" ]; then
		"$@" {lock}>&-
		echo $? > "$file.status"
	fi
	exec {lock}>&-
	return "$(< "$file.status")"
}

# root_of RELEASE: the folder of its root
root_of() {
	local own=${DIST_TRAIN_ROOT:-}

	if [ "$1" = "${own##*/}" ]; then
		echo "$own"
	else
		echo "$(cache_dir)/root-$1"
	fi
}

# The root folder of a release with all that a build and a cluster need
release_root() {
	local packages

	[ "$(root_of "$1")" != "${DIST_TRAIN_ROOT:-}" ] || return 0
	mapfile -t packages < <(packages_release "$1")
	make_root "root-$1" "$1" "$work/log.root-$1" minbase "${packages[@]}"
}

# The source archive, as `make dist` makes it
build_archive() {
	local dir
	dir=$(built_dir)/archive

	mkdir -p "$dir/out" && copy_source "$tree" "$dir/src" &&
		{ [ -e "$dir/src/configure" ] || "$dir/src/autogen.sh"; } &&
		cd "$dir/out" && ../src/configure && make dist &&
		mv slurm-dist-train-*.tar.gz ..
}

# build_debs RELEASE: those of the source are for lintian alone
build_debs() {
	local dir what=-b
	dir=$(built_dir)/$1

	[ "$1" != "$thorough" ] || what=-F
	mkdir -p "$dir/src" &&
		tar -C "$dir/src" --strip-components 1 -xzf \
			"$(built_dir)"/archive/slurm-dist-train-*.tar.gz &&
		cp -r "$dir/src/contrib/debian" "$dir/src/debian" &&
		in_release "$1" env DEB_BUILD_OPTIONS='nocheck noautodbgsym parallel=1' \
			dpkg-buildpackage "$what" -us -uc
}

# in_release RELEASE COMMAND...: in its root, in the folder of the source
in_release() {
	local dir
	dir=$(built_dir)/$1

	# shellcheck disable=SC2016
	in_root "$(root_of "$1")" "$dir" sh -c 'cd "$0/src" && "$@"' \
		"$dir" "${@:2}"
}

# debs_of RELEASE: the packages are *.deb in $(built_dir)/RELEASE
debs_of() {
	once archive taking 1 "$build_weight" build_archive &&
		once "$1" taking 1 "$build_weight" build_debs "$1"
}
