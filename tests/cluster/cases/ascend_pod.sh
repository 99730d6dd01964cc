# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# ascend on servers of a super pod: sixteen dies each.
# clusters: superpod
# takes: 0.5
# shellcheck disable=SC2034,SC2154 # shared with lib.sh
# shellcheck source-path=SCRIPTDIR/.. source=npus.sh
. "$here/npus.sh"

# pod N SRUN-ARGUMENT...: N dies have a table
pod() {
	succeed srun "${@:2}" "${check[@]}" 910C
	tables "$1"
}

test_super_pod() {
	pod 32 -N2 --gres=npu:16 $ascend
	says ' version=1\.2 '
	pod 10 -N2 --ntasks-per-node=5 --gres=npu:5 $ascend
	says ' version=1\.2 '
}

# long: tests/core/ascend/test_ranktable; as super_pod
test_version_is_asked_for() {
	pod 32 -N2 --gres=npu:16 $ascend,table=1.2
	says ' version=1\.2 '
	try srun -N2 --gres=npu:16 $ascend,table=1.0 cat
	[ "$rc" -eq 0 ] || fail "status $rc"
}

# long: tests/core/ascend/test_ranktable, test_ranktable_rules
test_two_super_pods() {
	devices node2 '{ $5 = 7 }'
	pod 32 "${pair[@]}" --gres=npu:16 $ascend
	says ' version=1\.2 '
}

# One super pod needs no addresses; a table without it is for servers that only
# their network connects
# long: tests/core/ascend/test_ranktable_check (refuse: 1.0), test_ranktable
# (without_addresses)
test_without_addresses() {
	devices node1 '{ $2 = $3 = "-" }'
	devices node2 '{ $2 = $3 = "-" }'
	try srun "${pair[@]}" --gres=npu:8 $ascend cat
	[ "$rc" -eq 0 ] || fail "status $rc"
	try srun "${pair[@]}" --gres=npu:8 $ascend,table=1.0 \
		sh -c 'echo "it runs"'
	[ "$rc" -ne 0 ] || fail 'status 0'
	ours | grep -q 'node node1, device 0 has no address, and a step of 2 servers with chip 910C' ||
		fail "not about the address: $(ours)"
	says_not 'it runs'
	no_tables || fail "a table is left"
}

# Servers of which one has no super pod
# long: tests/core/ascend/test_ranktable_check: refuse
test_unknown_super_pod() {
	devices node2 '{ $4 = "-"; $5 = "-" }'
	refused 'node2.*super' "${pair[@]}" --gres=npu:16 $ascend,table=1.2
}

# long: tests/core/ascend/test_ranktable_check: refuse
test_super_device_twice() {
	devices node2 '$1 == 3 { $4 = 262147 }'
	refused 'node1, device 3.*node2, device 3.*super device' \
		"${pair[@]}" --gres=npu:16 $ascend
}

# The administrator's file names another chip, and no driver says better
# long: tests/core/ascend/test_ranktable_check: refuse
test_ids_beyond_the_chip() {
	local n

	for n in 1 2; do
		mode "node$n" dcmi fail
		mode "node$n" npu-smi fail
		echo "node$n 0-15 address=29.17.$n.[10-25] chip=910A"
	done > "$d/inventory"
	chmod 644 "$d/inventory"
	afterwards "plugstack '$plug_line'"
	plugstack "optional $plugin inventory=$d/inventory"
	refused 'node node1, device 8: the ids of chip 910A are 0 to 7; correct gres.conf or the inventory$' \
		"${pair[@]}" --gres=npu:16 $ascend,devices-from=inventory
}
