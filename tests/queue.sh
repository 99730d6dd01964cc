# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# Asks tests/queue for processors. Sourced by the scripts in tests that run
# something beside something else; their folder is DIST_TRAIN_QUEUE, which is
# inherited: who is started by one of them asks the same queue.

queue_pid=''	# of the queue that this process has started

# queue_open FOLDER: a queue with this folder, unless there is one already
queue_open() {
	[ -z "${DIST_TRAIN_QUEUE:-}" ] || return 0
	export DIST_TRAIN_QUEUE=$1
	mkdir -p "$1" && mkfifo "$1/ask" || return
	"$(dirname "${BASH_SOURCE[0]}")/queue" "$1" < /dev/null &
	queue_pid=$!
}

queue_close() {
	[ -z "$queue_pid" ] || kill "$queue_pid" 2> /dev/null || :
}

# take PROCESSORS WEIGHT: waits until they are free: 0.05, 0.5, 1, all ...; the
# greatest weight comes first. One at a time for a process.
take() {
	local reply=$DIST_TRAIN_QUEUE/$BASHPID fd

	[ -p "$reply" ] || mkfifo "$reply" || return
	exec {fd}<> "$reply"
	echo "take $BASHPID $(percent "$1") $2" > "$DIST_TRAIN_QUEUE/ask"
	# Not with a time limit: the answer that comes in that moment would be lost
	read -ru "$fd"
	exec {fd}>&-
}

give() {
	echo "give $BASHPID" > "$DIST_TRAIN_QUEUE/ask"
}

# percent PROCESSORS: as the queue counts
percent() {
	local fraction=${1#*.}00

	case $1 in
	all) echo 0 ;;
	*.*) echo $((${1%.*} * 100 + 10#${fraction:0:2})) ;;
	*) echo $(($1 * 100)) ;;
	esac
}

# taking PROCESSORS WEIGHT COMMAND...: with its status
taking() {
	local status=0

	take "$1" "$2"
	"${@:3}" || status=$?
	give
	return $status
}
