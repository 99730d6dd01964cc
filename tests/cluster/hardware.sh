# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# Made-up GPUs and ports on the nodes of a cluster, for doctor's cases and those
# of the check before the start.
# shellcheck disable=SC2154 # shared with lib.sh

# with_hardware: each node's own made-up GPUs and ports in /tmp/hw
with_hardware() {
	local node

	for node in $(nodes); do
		# shellcheck disable=SC2016 # of that shell
		node=$node at bash -c '. "$1/tests/fixtures/hardware.sh"
			make_hardware /tmp/hw' - "$top" || fail "on $node"
		afterwards "node=$node at rm -rf /tmp/hw"
	done
}

# hardware NODE COMMAND: in its folder
hardware() {
	dir=/tmp/hw node=$1 at sh -c "$2" || fail "on $1: $2"
}
