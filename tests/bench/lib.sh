# shellcheck shell=bash
# A cluster of their own for the benchmarks, gone when they end. Sourced by
# launch, exchange and first_allreduce; needs root.

here=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
top=$(dirname "$(dirname "$here")")
cluster=$top/contrib/cluster
export DIST_TRAIN_CLUSTER=${DIST_TRAIN_CLUSTER:-bench}
child=

die() {
	echo "${0##*/}: $*" >&2
	exit 1
}

# need_plugin PREFIX: sets plugin
need_plugin() {
	local prefix

	prefix=$(readlink -f "$1") || die "no folder $1"
	plugin=$(find "$prefix" -name dist_train.so -print -quit)
	[ -n "$plugin" ] || die "no dist_train.so below $prefix: make install"
	share=$prefix
}

need_number() {
	[[ $1 =~ ^[1-9][0-9]*$ ]] || die "the number of rounds is not '$1'"
}

# take_down runs whatever ends the script, also in the middle of `up`
take_down() {
	trap '' INT TERM HUP
	[ -z "$child" ] || kill "$child" 2> /dev/null || true
	"$cluster" down > /dev/null || true
}

# bring_up NODES [OPTION]...: with the plugin loaded as the installation's
# fragment does
bring_up() {
	if "$cluster" status > /dev/null 2>&1; then
		die "the cluster $DIST_TRAIN_CLUSTER is up; another name in" \
			"DIST_TRAIN_CLUSTER, or: $cluster down"
	fi
	trap take_down EXIT
	trap 'exit 130' INT
	trap 'trap "" TERM; exit 143' TERM
	trap 'exit 129' HUP
	"$cluster" up --plugstack "optional $plugin" --share "$share" \
		"${@:2}" "$1" > /dev/null
}

# on_login COMMAND...: in the background, because bash runs a trap only when
# a command in the foreground has ended
on_login() {
	"$cluster" exec -w "$here" login -- "$@" &
	child=$!
	wait "$child" || die "a benchmark failed"
	child=
}
