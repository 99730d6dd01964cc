# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# The last line of a suite. Sourced by tests/run and tests/cluster/run.

# last_line COUNTS: of a suite. tests/traces, if it has started this, adds its
# own result first.
last_line() {
	if [ "${DIST_TRAIN_TRACES:-}" = $PPID ]; then
		echo "$1" > "$DIST_TRAIN_COUNTS"
	else
		echo "$1"
	fi
}
