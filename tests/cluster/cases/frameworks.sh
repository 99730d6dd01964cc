# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# What holds for each framework whose processes meet at one port, with the real
# ones. A row is the framework, its environment's name and its client.
# clusters: plain
# takes: 1
# long: two frameworks, two steps each; ports.reserved_for_launchers and layout
# have the ports
# shellcheck disable=SC2034,SC2154 # shared with lib.sh

limit=170
rows='deepspeed deepspeed_sum.py
paddle paddle_sum.py'

# two_at_once FRAMEWORK CLIENT: two steps of it on the same nodes
two_at_once() {
	need_venv "$1"
	try bash -c "for i in 1 2; do
		srun -N2 -n2 -w node1,node2 --dist-train=$1 $venv -W ignore \
			$top/tests/clients/$2 & done; wait"
	[ "$(grep -c '^trained rank=[01] world=2 sum=3 ' "$d/out")" -eq 4 ] ||
		fail "$1: not two times two ranks"
	[ "$(grep -o ' at=[^ ]*' "$d/out" | sort -u | wc -l)" -eq 2 ] ||
		fail "$1: not two ports"
}

test_at_once() {
	local name file

	while read -r name file; do
		two_at_once "$name" "$file"
	done <<< "$rows"
}
