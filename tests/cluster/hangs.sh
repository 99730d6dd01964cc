# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# Steps in which one rank hangs (tests/clients/hang_*.py). Sourced by cases.
# shellcheck disable=SC2034,SC2154 # shared with lib.sh and with the cases

clients=$top/tests/clients
hanging=	# the rank that hangs
seconds=$((8 * slow))	# the key hang
late=$((10 * slow))	# after that time, at most, it is said

# hang RANK COMMAND...: begin a step beside the case, in which RANK hangs. Its
# output is in $d/step.out and $d/step.err, its status in $d/status. RANK says in
# $hang_in, or in the former, that it hangs, or another $hang_word.
hang() {
	hanging=$1
	rm -f "$d/status"
	: > "$d/step.out"
	: > "$d/step.err"
	(
		"${run_as:-at}" "${@:2}" > "$d/step.out" 2> "$d/step.err"
		echo $? > "$d/status.new"
		mv "$d/status.new" "$d/status"
	) &
	until_true 60 grep -Eqs "^(\[default.\]:)?${hang_word:-hanging} $hanging " \
		"${hang_in:-$d/step.out}" || {
		show_hang
		fail "rank $hanging doesn't come to hang"
	}
}

show_hang() {
	cut -c 1-200 "$d/step.out" | head -n 40
	cut -c 1-300 "$d/step.err" | sed 's/^/! /' | head -n 200
}

# Rank 0 ends with 3, where $clients/fail_later.sh $d/fail starts all; its peers
# are to be ended then
fail_now() {
	touch "$d/fail"
}

# hang_ends STATUS SECONDS: a pattern
hang_ends() {
	until_true "$2" test -s "$d/status" || {
		show_hang
		fail "no end within $2 s"
	}
	show_hang
	rc=$(< "$d/status")
	# shellcheck disable=SC2053 # a pattern
	[[ $rc == $1 ]] || fail "status $rc, not $1"
}

# place_of WAY: file and line where it is, as "FILE:LINE"
place_of() {
	grep -n "# hangs: $1\$" "$clients"/hang_*.py |
		sed -n '1s/^.*\/\([a-z_]*\.py:[0-9]*\):.*/\1/p'
}

# suspect_is WAY: what the key hang says is said in time, and has the rank that
# hangs and its line, and nobody else
suspect_is() {
	local place said

	place=$(place_of "$1")
	[ -n "$place" ] || fail "no line hangs as $1"
	until_true $((seconds + late + 30)) has_suspect || {
		show_hang
		fail "nobody says that it hangs"
	}
	said=$EPOCHREALTIME
	show_hang
	in_time "$said"
	grep -Eq "^dist-train:   suspect: 1 rank \\($hanging, node[0-9]\\): .*$place( |\$)" \
		"$d/step.err" || fail "not rank $hanging at $place is the suspect"
	[ "$(grep -c 'suspect: ' "$d/step.err")" -eq 1 ] ||
		fail "not one suspect"
}

has_suspect() {
	grep -q '^dist-train:   suspect: ' "$d/step.err"
}

# in_time WHEN: it was said
in_time() {
	local began

	began=$(grep -Eo "hanging $hanging [0-9.]+" "$d/step.out" |
		awk '{ print $3; exit }')
	awk -v b="$began" -v s="$1" -v t="$seconds" -v l="$late" 'BEGIN {
		printf "said %.1f s after the time\n", s - b - t
		exit !(s - b >= t && s - b <= t + l) }' > "$d/note" ||
		fail "it isn't said in time: $(< "$d/note")"
	cat "$d/note"
}

# goes_on SECONDS: so long nothing more is said, and the step doesn't end
goes_on() {
	! until_true "$1" more_happens || {
		show_hang
		fail "it is said twice, or the step ends"
	}
}

more_happens() {
	[ -e "$d/status" ] ||
		[ "$(grep -c '^dist-train: hang: ' "$d/step.err")" -ne 1 ]
}

# The step's name, and its end by scancel
hang_name() {
	echo "hang-${d##*/}"
}

end_hang() {
	root login scancel --name "$(hang_name)" || :
	until_true 90 test -s "$d/status" || fail "it doesn't end"
}

# told REGEX: a line of ours, soon
told() {
	until_true 20 grep -Eq "^dist-train: $1" "$d/step.err" ||
		fail "no line '$1': $(grep '^dist-train: ' "$d/step.err")"
}

# told_hang RANK WHAT: rank RANK is told of, with a pattern
told_hang() {
	told "rank $1 \(worker\) on node[0-9]+ hasn't ended by SIGTERM: pid [0-9]+ $2"
}

# Exactly one line names a first failure, and before any other of ours
blamed_first() {
	grep '^dist-train: ' "$d/step.err" | head -n 1 |
		grep -q "^dist-train: $1, .*(first failure" ||
		fail "the first line isn't that of $1"
	[ "$(grep -c 'first failure' "$d/step.err")" -eq 1 ] ||
		fail "not one first failure"
}

# stacks_of WAY FILE...: the traceback of one that hangs so
stacks_of() {
	local at

	at=$(place_of "$1")
	[ -n "$at" ] || fail "no line hangs as $1"
	at="${at%:*}\", line ${at#*:} in"
	cat "${@:2}" | grep -Fq "$at" || fail "no stack with '$at'"
}

# mount_hang NODE: /tmp/hang/file never answers
mount_hang() {
	root "$1" test -c /dev/fuse || skip "no /dev/fuse"
	root "$1" mkdir -p /tmp/hang
	afterwards "root $1 rmdir /tmp/hang"
	(
		export DIST_TRAIN_CLUSTER=$cluster
		exec "$top/contrib/cluster" exec "$1" -- timeout $((limit + 60)) \
			"$PYTHON" "$clients/hang_fuse.py" /tmp/hang
	) < /dev/null > "$d/fuse.out" 2>&1 &
	fuse=$1
	afterwards unmount_hang
	until_true 30 grep -q mounted "$d/fuse.out" ||
		skip "no FUSE here: $(tail -n 1 "$d/fuse.out")"
}

unmount_hang() {
	root "$fuse" pkill -TERM -f 'hang_fuse[.]py' || :
	until_true 10 is_unmounted || fail "/tmp/hang is still mounted"
}

is_unmounted() {
	! root "$fuse" grep -q ' /tmp/hang ' /proc/mounts
}
