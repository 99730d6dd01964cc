# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# What the cases with TensorFlow itself have in common, and the stand-in for it;
# sourced by them.
# shellcheck disable=SC2034,SC2154 # shared with lib.sh and the cases

# The programs, as words; srun with places for the files that TensorFlow leaves
# behind where it is killed.
client() {
	local quiet="env TF_CPP_MIN_LOG_LEVEL=2"

	need_venv tf
	srun="env TMPDIR=$d KERAS_HOME=$d srun"
	ps="$quiet $venv $top/tests/clients/tf_ps.py"
	ps1="$quiet $venv $top/tests/clients/tf1_ps.py"
	workers="$quiet $venv $top/tests/clients/tf_workers.py"
	live=yes
}

# standin: the servers that come with us find a TensorFlow of ours, and the program
# is a shell's
standin() {
	local folder=$top/tests/clients/tf_standin

	rm -rf "$d/tf"
	mkdir -m 777 "$d/tf"
	srun="env PYTHONPATH=$folder TF_STANDIN=$d/tf srun"
	ps=$folder/chief.sh workers=$folder/worker.sh
	live=
}

# either: what these cases look at is the same with both
either() {
	if [ -n "${LONG:-}" ]; then
		client
	else
		standin
	fi
}

# kill_role ROLE INDEX: that process, wherever it is
kill_role() {
	local node

	for node in $(nodes); do
		# shellcheck disable=SC2016
		user=root node=$node at sh -c 'for p in /proc/[0-9]*; do
			e=$(tr "\0" "\n" < "$p/environ" 2> /dev/null) || continue
			case $e in
			*"\"task\":{\"type\":\"$0\",\"index\":$1}"*)
				case $(tr "\0" " " < "$p/cmdline") in
				*tf_ps.py* | *tf1_ps.py* | *tf-server* | *chief.sh*)
					kill -9 "${p#/proc/}" ;;
				esac ;;
			esac
		done; true' "$1" "$2"
	done
}
