# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# Long steps that show that they live, and a clean copy of the source. Sourced
# by contrib/quickstart and tests/run.

# The command of the step that is under way, in a process group of its own
step_pid=''

# For the caller's trap: a signal to the caller doesn't reach that group, which
# has half a minute to clean up
stop_step() {
	local tenths=300

	[ -n "$step_pid" ] || return 0
	kill -- "-$step_pid" 2> /dev/null || return 0
	while kill -0 -- "-$step_pid" 2> /dev/null; do
		((tenths--)) || kill -KILL -- "-$step_pid" 2> /dev/null || true
		sleep 0.1
	done
}

# start_step LOG COMMAND...: without job control it would run with SIGINT and
# SIGQUIT ignored
start_step() {
	local log=$1
	shift

	: > "$log"
	set -m
	"$@" > "$log" 2>&1 < /dev/null &
	step_pid=$!
	set +m
}

# step NAME LOG COMMAND...: one line, a dot every two seconds. The output goes
# to LOG, whose end is shown if the command fails. Its status is returned.
step() {
	local name=$1 log=$2 start=$EPOCHREALTIME ticks=0 status=0
	shift 2

	printf '%s ' "$name"
	start_step "$log" "$@"
	while kill -0 "$step_pid" 2> /dev/null; do
		sleep 0.2
		((++ticks % 10)) || printf .
	done
	wait "$step_pid" || status=$?
	step_pid=''
	if [ "$status" -eq 0 ]; then
		echo " $(seconds_since "$start") s"
		return 0
	fi
	echo " failed, status $status, after $(seconds_since "$start") s"
	echo "--- the end of the output:"
	tail -n 40 "$log" | cut -c 1-300 | sed 's/^/    /'
	return "$status"
}

# show_step LOG COMMAND...: its output is shown as it comes, and kept in LOG.
# Its status is returned. A trap of the caller runs at once.
show_step() {
	local log=$1 status=0

	start_step "$@"
	tail -n +1 -s 0.3 -f --pid="$step_pid" "$log" &
	wait "$step_pid" || status=$?
	step_pid=''
	wait $!
	return "$status"
}

# seconds_since EPOCHREALTIME
seconds_since() {
	awk "BEGIN { printf \"%.1f\", $EPOCHREALTIME - $1 }"
}

# source_files TREE: its files, without what a build left there. git knows
# best, also in a tree of another user; a release has no .git.
source_files() {
	if git -c safe.directory='*' -C "$1" rev-parse --show-toplevel \
		2> /dev/null | grep -qFx "$(readlink -f "$1")"; then
		# Not those that are deleted, but not yet for git
		git -c safe.directory='*' -C "$1" ls-files -z --cached \
			--others --exclude-standard |
			while IFS= read -r -d '' file; do
				[ ! -e "$1/$file" ] || printf '%s\0' "$file"
			done
		return
	fi
	(cd "$1" && find . \( -path './build*' ! -path './build-aux*' \
		-o -name .git -o -name .deps \
		-o -name autom4te.cache \) -prune -o -type f \
		! -name '*.o' ! -name '*.a' \
		! -name .dirstamp ! -name '*.log' ! -name '*.trs' \
		! -path ./Makefile ! -path ./stamp-h1 \
		! -path ./config.h ! -path ./paths.h ! -path ./config.status \
		! -path ./etc/plugstack.conf ! -path './doc/*.[18]' -print0)
}

# copy_source TREE DIR: again with the same DIR, what didn't change keeps its
# time, and make has little to do. A configured source tree can't be built
# elsewhere, and a tree may be one that others can't read: hence a copy.
copy_source() {
	mkdir -p "$2"
	# What is there already isn't touched: it may be built at this moment
	source_tar "$1" | tar -C "$2" -df - > /dev/null 2>&1 ||
		source_tar "$1" | tar -C "$2" --no-same-owner -xpf -
}

source_tar() {
	source_files "$1" | tar -C "$1" --null --no-recursion -T - -cf -
}
