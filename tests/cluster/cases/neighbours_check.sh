# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# Another user at the ports at which nodes measure their network: check=full.
# clusters: plain
# shellcheck disable=SC2034,SC2154 # shared with lib.sh

# shellcheck source-path=SCRIPTDIR source=../steps.sh
. "$here/steps.sh"

# measured_among_strangers NODES: with 200 idle connections of bob's to each port
# of alice's on each node, all through the check
measured_among_strangers() {
	local i

	for ((i = 1; i <= $1; i++)); do
		stranger bob "node$i" stranger snipe 40 10001 30
	done
	try srun -N "$1" --ntasks-per-node=1 \
		--dist-train="ddp,check=full,timeline=$d/record.$1" echo up
	kill "${strangers[@]}"
	strangers=()
	[ "$rc" -eq 0 ] || fail "status $rc"
	[ -z "$(ours)" ] || fail "unexpected: $(ours)"
	# A rate of each node, in its best measurement
	[ "$(grep '"event":"check"' "$d/record.$1" |
		grep -Ec ', [0-9]*[1-9][0-9.]* MB/s with node[1-3]')" -eq "$1" ] ||
		fail "not measured: $(< "$d/record.$1")"
}

# A pair, and an odd number of nodes
test_strangers() {
	with_rate
	measured_among_strangers 2
	measured_among_strangers 3
}

# The port is there while nodes measure, and not while the program runs
test_port_is_closed_after() {
	local ports

	try srun -N2 --ntasks-per-node=1 --dist-train=ddp,check=full \
		sh -c 'awk "\$4 == \"0A\" && \$8 == $(id -u)" /proc/net/tcp | wc -l'
	[ "$rc" -eq 0 ] || fail "status $rc"
	ports=$(sort "$d/out" | xargs)
	try srun -N2 --ntasks-per-node=1 --dist-train=ddp,check=fast \
		sh -c 'awk "\$4 == \"0A\" && \$8 == $(id -u)" /proc/net/tcp | wc -l'
	[ "$rc" -eq 0 ] || fail "status $rc"
	[ "$ports" = "$(sort "$d/out" | xargs)" ] ||
		fail "other ports than with check=fast: $ports"
}
