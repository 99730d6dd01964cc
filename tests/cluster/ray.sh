# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# What cases of Ray have in common, and the stand-in for it. Sourced by them.
# shellcheck disable=SC2034,SC2154 # shared with lib.sh and the cases

# standin [VARIABLE]: a Ray of ours, which tells in $d/ray/NODE what it was started
# with; $with are words for srun, by which it is found
standin() {
	local folder=$top/tests/clients/ray_standin

	mkdir -m 777 "$d/ray"
	place=$folder/place.sh
	with=--export=ALL,PYTHONPATH=$folder,RAY_STANDIN=$d/ray${1:+,$1} live=
}

# told NODE LINE...: what the stand-in was told there
told() {
	local line

	for line in "${@:2}"; do
		grep -qxF -- "$line" "$d/ray/$1" ||
			fail "$1 isn't told $line: $(cat "$d/ray/$1")"
	done
}

# told_words NODE WORD...: in its command line
told_words() {
	local word

	for word in "${@:2}"; do
		grep -qF -- " $word" "$d/ray/$1" ||
			fail "$1 isn't told $word: $(cat "$d/ray/$1")"
	done
}

is_running() {
	[ -n "$(at squeue -h -t R -o %i)" ]
}

# no_ray: none of its processes is anywhere
no_ray() {
	local node

	for node in $(nodes); do
		! node=$node user=root at sh -c \
			'cat /proc/[0-9]*/comm 2> /dev/null' |
			grep -Ex 'raylet|gcs_server|ray::.*' || return 1
	done
}
