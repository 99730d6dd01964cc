# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# For the cases with NPUs. Sourced by them.
# shellcheck disable=SC2016,SC2034,SC2154 # shared with lib.sh and with the cases

tool=$prefix/bin/dist-train
check=("$PYTHON" "$top/tests/clients/ascend_check.py" "$tool")
pair=(-w 'node[1-2]')
ascend=--dist-train=ascend

listen='import os, socket, time
s = socket.create_server((os.environ["MS_SCHED_HOST"], int(os.environ["MS_SCHED_PORT"])))
time.sleep(100)'

# The scheduler of a program that isn't MindSpore's, and what else is to run. The
# scheduler counts as rank 0 of all, and has no device and no table.
stand_in=(sh -c '[ $MS_ROLE = MS_WORKER ] || {
		[ "$RANK_ID $RANK_SIZE" = "0 $MS_WORKER_NUM" ] || exit 8
		[ -z "$DEVICE_ID$RANK_TABLE_FILE" ] || exit 9
		exec "$0" -c "$1"
	}; shift
	exec "$@"' "$PYTHON" "$listen")

# tables N FILE: N processes have found their devices and one table
tables() {
	local lines=${2:-$d/out}

	[ "$(grep -c '^ascend ' "$lines")" -eq "$1" ] ||
		fail "not $1 processes have found their devices"
	[ "$(field rank "$lines" | sort -n | xargs)" = \
		"$(seq 0 $(($1 - 1)) | xargs)" ] || fail "not ranks 0 to N"
	[ "$(field md5 "$lines" | sort -u | wc -l)" -eq 1 ] ||
		fail "the nodes have different tables"
	[ "$(sed -n 's/^ascend .* \(node=.* device=[0-9]*\) .*/\1/p' "$lines" |
		sort -u | wc -l)" -eq "$1" ] || fail "two share a device"
}

# field NAME FILE: of each process's line
field() {
	sed -n "s/^ascend .*\b$1=\([^ ]*\).*/\1/p" "$2"
}

# trains N SRUN-ARGUMENT...: N processes, without a word from us
trains() {
	local n=$1
	shift

	succeed srun "$@" "${check[@]}"
	tables "$n"
}

# no_tables: on any node
no_tables() {
	local node

	for node in $(nodes); do
		[ -z "$(node=$node at find /tmp -maxdepth 1 \
			-name 'dist-train-[0-9]*')" ] ||
			return 1
	done
}

# refused REGEX SRUN-ARGUMENT...: one line within seconds, nothing left, and no
# process has run
refused() {
	local regex=$1
	shift

	refuse "$regex" srun "$@" sh -c 'echo "it runs"'
	[ "$took" -lt 8000 ] || fail "$took ms"
	says_not 'it runs'
	no_tables || fail "a table is left"
}

# devices NODE AWK: change the driver's answers until the case ends; there is no
# hccn.conf that contradicts them
devices() {
	as_root "$1" "cd /etc && cp -p hccn.conf hccn.kept && : > hccn.conf &&
		cd npu-standin && cp -p devices devices.kept &&
		awk '$2 { print }' devices.kept > devices"
	afterwards "as_root $1 'cd /etc && mv -f hccn.kept hccn.conf'"
	afterwards "as_root $1 'cd /etc/npu-standin && mv devices.kept devices'"
}

# only_tool NODE MODE: no address but from hccn_tool, which behaves like that
only_tool() {
	as_root "$1" 'mv /etc/hccn.conf /etc/hccn.kept'
	afterwards "as_root $1 'mv /etc/hccn.kept /etc/hccn.conf'"
	mode "$1" dcmi fail
	mode "$1" hccn_tool "$2"
}

# kill_launcher NODE [PARENT]: or, with the parent dist-train-launch, the process
# that asks the driver for it
kill_launcher() {
	# shellcheck disable=SC2016
	as_root "$1" 'of() { cat "/proc/$1/cmdline" 2> /dev/null | tr "\0" " "; }
		for p in /proc/[0-9]*; do
			case $(of "${p#/proc/}") in
			/*/dist-train-launch*) ;;
			*) continue ;;
			esac
			case $(of "$(sed -n "s/^PPid:.//p" $p/status)") in
			*'"${2:-slurmstepd}"'*) kill -9 "${p#/proc/}"; exit ;;
			esac
		done; exit 1'
}

# tool_runs NODE: hccn_tool is being asked there
tool_runs() {
	user=root node=$1 at pgrep -f 'tools/hccn_too[l]' > /dev/null
}
