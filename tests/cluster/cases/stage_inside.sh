# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# The key stage in a container: the launcher is inside, and stages what it sees there.
# clusters: inside
# shellcheck disable=SC2016,SC2034,SC2154 # shared with lib.sh; of that shell
# shellcheck source-path=SCRIPTDIR/.. source=../container.sh
. "$here/container.sh"

# The nodes' own files in other namespaces, under another root, with an empty /tmp:
# copies are in the container's, which is memory, so that none stays
test_container() {
	local there=/usr/share/python3

	[ -d $there ] || skip "no $there"
	enter_nodes_own
	try srun -N2 --dist-train=ddp,procs=1,stage=$there sh -c '
		echo "rank $RANK: ${DIST_TRAIN_STAGED%%: *}" \
			"$(grep -c " $1 .* ro,nosuid,nodev" /proc/self/mounts)" \
			"$(ls /tmp/dist-train-stage.*/ | grep -c "^[0-9a-f]*\$")"' - $there
	[ "$rc" -eq 0 ] || fail "status $rc"
	[ "$(grep -c '^rank [01]: userns 1 1$' "$d/out")" -eq 2 ] || fail "not staged"
}
