# shellcheck shell=bash
# `cluster down`, and the end of an `up` that fails. Sourced by contrib/cluster.
# shellcheck disable=SC2034,SC2154 # the variables are shared with it

load_cgroup_dir() {
	# shellcheck disable=SC1091
	[ ! -e "$state/settings" ] || . "$state/settings"
}

# The death of a namespace's PID 1 is that of all in it, except that a frozen
# task can't die.
kill_nodes() {
	local record records pid file try

	if [ -n "$cgroup_dir" ]; then
		find "$cgroup_top/freezer/$cgroup_dir" -name freezer.state \
			2> /dev/null | while read -r file; do
			echo THAWED 2> /dev/null > "$file" || true
		done
	fi
	# Again and again: an `up` that goes on at the same time starts more
	for ((try = 0; try < 500; try++)); do
		records=$(live_records)
		[ -n "$records" ] || return 0
		for record in $records; do
			# unshare ends with its child, and reaps it
			[ "$record" = "${record%.outer.pid}" ] ||
				! live_pid "${record%.outer.pid}.pid" \
					> /dev/null || continue
			if pid=$(live_pid "$record"); then
				kill -KILL "$pid" 2> /dev/null || true
			fi
		done
		sleep 0.02
	done
	echo "cluster $name: still there after 10 s: $records" >&2
	return 1
}

remove_cgroups() {
	local controller dir try

	[ -n "$cgroup_dir" ] || return 0
	for controller in freezer devices; do
		dir=$cgroup_top/$controller/$cgroup_dir
		for ((try = 0; try < 100; try++)); do
			[ -d "$dir" ] || break
			find "$dir" -depth -type d -exec rmdir {} + \
				2> /dev/null || sleep 0.02
		done
	done
}

# What an `up` made that was killed before its folder got its name
remove_unnamed() {
	local dir

	for dir in "$state".new-*; do
		[ -d "$dir" ] || continue
		live_pid "$dir/pids/up.pid" > /dev/null || rm -rf "$dir"
	done
}

# Only the default one is of our making
remove_parent() {
	rmdir "$default_parent" 2> /dev/null || true
}

remove_all() {
	trap '' INT TERM HUP
	kill_nodes || return 1
	remove_cgroups
	remove_unnamed
	rm -rf --one-file-system "$state"
	remove_parent
	trap - INT TERM HUP
}

cmd_down() {
	[ "$EUID" -eq 0 ] || die "needs root"
	if [ -e "$state/dist-train-cluster" ]; then
		load_cgroup_dir
		remove_all || exit 1
		say "is down, nothing is left"
	else
		remove_unnamed
		remove_parent
		say "is not up"
	fi
}
