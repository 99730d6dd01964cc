# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# The key stage, attacked: bob is another user of the nodes.
# clusters: plain
# shellcheck disable=SC2016,SC2034,SC2154 # shared with lib.sh; of that shell
# shellcheck source-path=SCRIPTDIR source=stage.sh
. "$here/cases/stage.sh"

# name_of NODE: that of the copy there, which no other node's has
name_of() {
	copies "$1" | grep '^[0-9a-f]\{32\}$'
}

# A copy under the very name that alice's would have, with code of his, in a folder of
# his that she can't enter, or that she can: it isn't hers, and isn't used. And he, who
# knows the name, gets nothing from hers.
test_hash_of_another() {
	local uid in id host

	make_shared
	make_disks
	uid=$(at id -u)
	in=/tmp/disk/dist-train-stage.$uid
	try srun -N4 --dist-train=ddp,stage="$shared" sh -c "$rank"
	ranks_are 4 "userns, first $shared"
	id=$(name_of node1)
	user=bob node=node1 at cat "$in/$id/env/lib/mod_a.py" 2> /dev/null &&
		fail "bob reads it"
	user=bob node=node1 at touch "$in/$id/env/lib/mod_a.py" 2> /dev/null &&
		fail "bob writes to it"
	for host in node1 node2; do
		id=$(name_of "$host")
		rm -r "$d/disk.$host"/dist-train-stage.*
		user=bob node=$host at sh -ec 'mkdir -p "$1/$2/env/lib"
			cp -r "$3/bin" "$3/pyvenv.cfg" "$1/$2/env"
			echo "word = \"wrong\"" > "$1/$2/env/lib/mod_b.py"
			chmod "$4" "$1"' - "$in" "$id" "$shared" \
			"$([ "$host" = node1 ] && echo 700 || echo 777)"
	done
	try srun -N4 --dist-train=ddp,stage="$shared" sh -c "$rank"
	ranks_are 2 "no: $shared: $in isn't a folder.*, first $shared"
	ranks_are 2 "userns, first $shared"
	# His own step of the same content has a copy of his own
	id=$(name_of node4)
	user=bob try srun -w node3,node4 --dist-train=ddp,stage="$shared" sh -c "$rank"
	ranks_are 2 "userns, first $shared"
	user=bob node=node4 at ls "/tmp/disk/dist-train-stage.$(user=bob at id -u)/$id" ||
		fail "not under the same name"
}

# Where others may rename her folder there are no copies; where he renames a folder
# above it while her step runs, nothing of his is seen
test_renamed_parent() {
	make_shared
	make_disks
	user=bob node=node1 at mkdir -m 777 /tmp/disk/open
	user=bob node=node2 at mkdir -m 777 /tmp/disk/open
	plugstack "optional $plugin stagedir=/tmp/disk/open"
	try srun -w node1,node2 --dist-train=ddp,stage="$shared" sh -c "$rank"
	ranks_are 2 "no: $shared: /tmp/disk/open: other users may rename.*, first $shared"
	plugstack "optional $plugin stagedir=/tmp/disk"
	background srun -w node1,node2 --dist-train=ddp,stage="$shared",restarts=1 sh -c '
		touch "$2/at.$DIST_TRAIN_RESTART.$RANK"
		[ "$DIST_TRAIN_RESTART" = 1 ] || {
			until [ -e "$2/go" ]; do sleep 0.1; done
			kill -9 $$
		}
		cat "$1/lib/mod_b.py"' - "$shared" "$d"
	until_true 30 test -e "$d/at.0.0" -a -e "$d/at.0.1" ||
		fail "they don't start: $(< "$d/bg.out")"
	user=bob node=node1 at mv /tmp/disk /tmp/other 2> /dev/null && fail "renamed"
	user=bob node=node1 at mv /tmp/disk/dist-train-stage.* /tmp/mine 2> /dev/null &&
		fail "renamed"
	touch "$d/go"
	wait "$bg" || fail "status $?: $(< "$d/bg.out")"
	[ "$(grep -c '^word = "first"' "$d/bg.out")" -eq 2 ] ||
		fail "not the copy: $(< "$d/bg.out")"
}

# flips NODE PATH: bob puts a link to /etc in the place of a folder of his and takes
# it away again, until $d/enough
flips() {
	user=bob node=$1 background sh -c 'until [ -e "$2/enough" ]; do
		mv -T "$1" "$1.away" && ln -s /etc "$1" && touch "$2/flips"
		rm -f "$1" && mv -T "$1.away" "$1"
	done' - "$2" "$d"
	until_true 20 test -e "$d/flips" || fail "nothing is renamed"
}

# The folder that is staged lies in one of bob's, who renames it all the time and puts
# a link in its place: a step sees the folder or says why not, on no node is anything
# mounted, no copy has what is behind the link, and the copies stay whole
test_race_with_the_mount() {
	local host

	make_shared
	make_disks
	user=bob at mkdir -m 777 "$d/group"
	at cp -r "$shared" "$d/group/env"
	flips node1 "$d/group/env"
	for _ in 1 2 3 4 5; do
		try srun -w node1,node2 --dist-train=ddp,stage="$d/group/env" \
			/bin/sh -c 'echo "ran ${DIST_TRAIN_STAGED%%:*}"
			[ ! -e "$1/passwd" ] || ! grep -q " $1 " /proc/self/mounts' \
			- "$d/group/env"
		[ "$rc" -eq 0 ] || fail "status $rc"
		[ "$(grep -c '^ran ' "$d/out")" -eq 2 ] || fail "not two ranks"
	done
	touch "$d/enough"
	for host in node1 node2; do
		as_root "$host" '! grep dist-train-stage /proc/mounts'
		! ls -d "$d/disk.$host"/dist-train-stage.*/*/etc 2> /dev/null ||
			fail "what is behind the link was copied"
	done
	try srun -w node1,node2 --dist-train=ddp,stage="$shared" sh -c "$rank"
	ranks_are 2 "userns, first $shared"
}

# Alice's program for all to use, with set-user-id; bob stages it: his copy is his, and
# nothing in it gives him alice's rights, on the node that reads and on one that gets it;
# links are links
test_setuid() {
	make_shared
	make_disks
	at sh -ec 'cp /usr/bin/id "$1/bin/id" && chmod 6755 "$1/bin/id"
		ln -s /etc/shadow "$1/lib/shadow"' - "$shared"
	user=bob try srun -N2 --dist-train=ddp,stage=none "$shared/bin/id" -un
	[ "$(sort -u "$d/out")" = alice ] || fail "not set-user-id without the key"
	user=bob try srun -N2 --dist-train=ddp,stage="$shared" sh -c '
		echo "rank $RANK on $SLURMD_NODENAME: $DIST_TRAIN_STAGED," \
			"$(stat -c %a "$1/bin/id") $("$1/bin/id" -u)" \
			"$(readlink "$1/lib/shadow") $(cat "$1/lib/shadow" 2>&1 | wc -l)"' \
		- "$shared"
	ranks_are 2 "userns, 755 $(user=bob at id -u) /etc/shadow 1"
	# Nor with a layer to write to
	user=bob try srun -N2 --dist-train=ddp,stage="$shared",stage-write=overlay sh -c '
		cp "$1/bin/id" "$1/bin/own" && chmod 6755 "$1/bin/own"
		echo "rank $RANK on $SLURMD_NODENAME: $("$1/bin/own" -u)"
		grep " $1 " /proc/self/mounts' - "$shared"
	ranks_are 2 "$(user=bob at id -u)"
	[ "$(grep -c ' overlay .*nosuid,nodev' "$d/out")" -eq 2 ] || fail "not nosuid"
}
