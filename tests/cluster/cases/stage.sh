# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# The key stage: a folder is read once, each node has a copy, the program sees it
# under its own path; and what goes wrong on one node, or by another user.
# clusters: plain
# shellcheck disable=SC2016,SC2034,SC2154 # shared with lib.sh; of that shell

# A folder that looks as a Python environment does, and what a rank sees of it
make_shared() {
	shared=$d/env
	at sh -ec 'mkdir -p "$1/lib" && cd "$1"
		python3 -m venv --without-pip .
		echo "word = \"first\"" > lib/mod_a.py
		ln -s mod_a.py lib/mod_b.py' - "$shared"
	export_d
}

export_d() {
	rank='cd /; echo "rank $RANK on $SLURMD_NODENAME: $DIST_TRAIN_STAGED,' \
	rank+=" \$(PYTHONPATH=$shared/lib $shared/bin/python -c"
	rank+=' "import mod_b, sys; print(mod_b.word, sys.prefix)")"'
}

# ranks_are N TEXT: so many ranks have said it
ranks_are() {
	[ "$rc" -eq 0 ] || fail "status $rc"
	[ "$(grep -c "^rank [0-9]* on node[0-9]: $2\$" "$d/out")" -eq "$1" ] ||
		fail "not $1 times '$2'"
}

# make_disks [ARGUMENT]...: each node has a disk of its own for copies, since its
# /tmp is in memory, where none stays; and these arguments of plugstack.conf
make_disks() {
	local node

	for node in $(nodes); do
		mkdir -m 1777 "$d/disk.$node"
		chmod 1777 "$d/disk.$node"
		as_root "$node" "mkdir -p /tmp/disk &&
			mount --bind '$d/disk.$node' /tmp/disk"
		afterwards "as_root $node 'umount /tmp/disk'"
	done
	plugstack "optional $plugin stagedir=/tmp/disk $*"
	afterwards "plugstack '$plug_line'"
}

# copies NODE: what is in the user's folder there
copies() {
	ls "$d/disk.$1"/dist-train-stage.*/ 2> /dev/null
}

# whole NODE: how many whole copies it has, and what is half
whole() {
	copies "$1" > "$d/copies"
	grep -c '^[0-9a-f]\{32\}$' "$d/copies"
	! grep '[.]\(part\|gone\)$' "$d/copies"
}

# count_opens FILE: into $d/opens, how often it is opened by anybody, on all nodes,
# until $d/counted
count_opens() {
	rm -f "$d/watching" "$d/counted"
	user=root background python3 -c '
import ctypes, os, select, sys
libc = ctypes.CDLL(None)
fd = libc.inotify_init1(os.O_NONBLOCK)
libc.inotify_add_watch(fd, sys.argv[1].encode(), 0x20)
open(sys.argv[2] + "/watching", "w").close()
n = 0
while True:
    last = os.path.exists(sys.argv[2] + "/counted")
    if select.select([fd], [], [], 0.05)[0]:
        n += len(os.read(fd, 65536)) // 16
    elif last:
        break
open(sys.argv[2] + "/opens", "w").write("%d\n" % n)' "$1" "$d"
	counter=$bg
	until_true 20 test -e "$d/watching" || fail "nobody counts"
}

opened() {
	touch "$d/counted"
	wait "$counter"
	[ "$(< "$d/opens")" = "$1" ] ||
		fail "opened $(< "$d/opens") times, not $1"
}

# Once for four nodes, and never again; a change is another content
test_read_once() {
	make_shared
	make_disks
	count_opens "$shared/lib/mod_a.py"
	try srun -N4 --dist-train=ddp,stage="$shared" sh -c "$rank"
	ranks_are 4 "userns, first $shared"
	opened 1
	for node in $(nodes); do
		[ "$(whole "$node")" = 1 ] || fail "no copy on $node"
	done
	count_opens "$shared/lib/mod_a.py"
	try srun -N4 --ntasks-per-node=2 --dist-train=ddp,stage="$shared" sh -c "$rank"
	ranks_are 8 "userns, first $shared"
	opened 0
	at sh -c 'echo "word = \"second\"" > "$1/lib/mod_a.py"' - "$shared"
	try srun -N4 --dist-train=ddp,stage="$shared" sh -c "$rank"
	ranks_are 4 "userns, second $shared"
	[ "$(whole node1)" = 2 ] || fail "not two copies"
}

# What the program has begun with is what it has, and it can't write there; its
# user is himself, and so are its files elsewhere
test_same_path() {
	make_shared
	make_disks
	rm -f "$d/go"
	background srun -N2 --dist-train=ddp,stage="$shared" sh -c '
		echo "id $(id -u) $(touch "$1/x" 2>&1 | grep -c "Read-only")"
		touch "$2/at.$RANK"
		until [ -e "$2/go" ]; do sleep 0.1; done
		cat "$1/lib/mod_b.py"' - "$shared" "$d"
	at chmod 777 "$d" 2> /dev/null
	until_true 30 test -e "$d/at.0" -a -e "$d/at.1" ||
		fail "they don't start: $(< "$d/bg.out")"
	at sh -c 'echo "word = \"second\"" > "$1/lib/mod_a.py"
		rm "$1/lib/mod_b.py"' - "$shared"
	touch "$d/go"
	wait "$bg" || fail "status $?: $(< "$d/bg.out")"
	[ "$(grep -c '^word = "first"' "$d/bg.out")" -eq 2 ] ||
		fail "not the copy: $(< "$d/bg.out")"
	[ "$(grep -c "^id $(at id -u) 1\$" "$d/bg.out")" -eq 2 ] ||
		fail "another user, or not read-only: $(< "$d/bg.out")"
	[ "$(at stat -c %U "$d/at.1")" = alice ] || fail "another owner"
}

# Two tasks of a node have one namespace, and one copy
test_ranks_of_a_node() {
	make_shared
	make_disks
	try srun -N2 --ntasks-per-node=2 --dist-train=ddp,stage="$shared" sh -c \
		'echo "$SLURMD_NODENAME $(readlink /proc/self/ns/user)"'
	[ "$rc" -eq 0 ] || fail "status $rc"
	[ "$(sort -u "$d/out" | wc -l)" -eq 2 ] || fail "not one for each node"
	[ "$(whole node2)" = 1 ] || fail "not one copy"
	! grep view "$d/copies" || fail "a view is left"
}

# A full node runs from the shared path, by name; or the step is refused
test_full() {
	make_shared
	make_disks
	as_root node3 'mount -t tmpfs -o size=1m,mode=1777 x /tmp/disk'
	afterwards "as_root node3 'umount /tmp/disk'"
	try srun -N4 --dist-train=ddp,stage="$shared" sh -c "$rank"
	ranks_are 3 "userns, first $shared"
	ranks_are 1 "no: $shared: no room: .*, first $shared"
	[ "$(grep -c "^dist-train: node3: $shared isn't staged.*no room" \
		"$d/err")" -eq 1 ] || fail "node3 isn't named once"
	try srun -N4 --dist-train=ddp,stage="$shared",stage-strict=yes true
	[ "$rc" -ne 0 ] || fail "it runs"
	grep -q "^dist-train: stage-strict=yes: node3: .*no room" "$d/err" ||
		fail "no line"
}

# Another user's folder or link in the place of ours is left alone, and nobody
# else comes to a copy
test_other_user() {
	local uid in

	make_shared
	make_disks
	uid=$(at id -u)
	in=/tmp/disk/dist-train-stage.$uid
	user=bob node=node1 at mkdir -m 777 "$in"
	user=bob node=node2 at sh -c "mkdir -m 777 /tmp/disk/planted
		ln -s /tmp/disk/planted $in"
	try srun -N4 --dist-train=ddp,stage="$shared" sh -c "$rank"
	ranks_are 2 "userns, first $shared"
	ranks_are 2 "no: $shared: $in isn't a folder.*, first $shared"
	[ -z "$(ls "$d/disk.node1"/*)" ] || fail "something is in bob's folder"
	[ -z "$(ls "$d/disk.node2/planted")" ] || fail "a link was followed"
	user=bob node=node3 at ls "$in" 2> /dev/null && fail "bob sees the copies"
	[ "$(whole node3)" = 1 ] || fail "no copy"
	# Neither is a copy that somebody has put there a copy
	rm -r "$d/disk.node1"/* "$d/disk.node2"/*
	user=bob node=node4 at mv "$in" /tmp/disk/mine 2> /dev/null &&
		fail "bob has renamed it"
	try srun -N4 --dist-train=ddp,stage="$shared" sh -c "$rank"
	ranks_are 4 "userns, first $shared"
}

has_part() {
	compgen -G "$d/disk.node1/dist-train-stage.*/*.part" > /dev/null
}

# The launcher is killed while it fills: the step ends, and the next one finds
# nothing half
test_killed() {
	local pid

	make_shared
	make_disks
	at truncate -s 4G "$shared/lib/large"
	background srun -w node1,node2 --dist-train=ddp,stage="$shared" true
	until_true 30 has_part || fail "it doesn't begin: $(< "$d/bg.out")"
	pid=$(as_root node1 'pgrep -o -x dist-train-laun')
	as_root node1 "kill -9 $pid"
	wait "$bg" && fail "it ends well: $(< "$d/bg.out")"
	at rm "$shared/lib/large"
	copies node1 | grep '^[0-9a-f]\{32\}$' && fail "half a copy"
	try srun -w node1,node2 --dist-train=ddp,stage="$shared" sh -c "$rank"
	ranks_are 2 "userns, first $shared"
	[ "$(whole node1)" = 1 ] || fail "no copy"
}

# A lost node's ranks are on a spare, which has a copy, too
test_spare() {
	make_shared
	make_disks
	try srun -N4 --dist-train=ddp,spares=1,stage="$shared" sh -c "
		[ \$DIST_TRAIN_RESTART = 1 ] || {
			[ \$RANK != 1 ] || kill -9 \$PPID
			exec sleep 300
		}
		$rank"
	ranks_are 3 "userns, first $shared"
	for node in $(nodes); do
		[ "$(whole "$node")" = 1 ] || fail "not one copy on $node"
	done
}

# Without the plugin; and in a /tmp in memory no copy stays
test_exec() {
	make_shared
	try srun -N2 --dist-train=none "$prefix/bin/dist-train" exec \
		"ddp,stage=$shared" -- sh -c "$rank"
	ranks_are 2 "userns, first $shared"
	[ -z "$(as_root node1 'find /tmp/dist-train-stage.* -mindepth 1')" ] ||
		fail "a copy is left in memory"
}

# Without mounts the program and Python's paths point to the copy
test_path() {
	make_shared
	make_disks stage=path
	try srun -N2 --dist-train=ddp,stage="$shared" "$shared/bin/python" -c '
import os, sys
print("rank", os.environ["RANK"], "on", os.environ["SLURMD_NODENAME"] + ":",
      os.environ["DIST_TRAIN_STAGED"].split(":")[0], sys.prefix)'
	ranks_are 2 'path /tmp/disk/dist-train-stage.[0-9]*/[0-9a-f]*/env'
	plugstack "optional $plugin stage=off"
	try srun -N2 --dist-train=ddp,stage="$shared" sh -c "$rank"
	ranks_are 2 "no: the administrator's stage=off, first $shared"
}

# Nothing to do, said once; a path that isn't there; and what is shown
test_words() {
	make_shared
	make_disks
	try srun -N4 --dist-train=ddp,stage=auto "$shared/bin/python" -c ''
	[ "$rc" -eq 0 ] || fail "status $rc"
	[ "$(grep -c "^dist-train: stage: the Python environment '" \
		"$d/err")" -eq 1 ] || fail "not said once"
	try srun -N4 --dist-train=ddp,stage="$d/none" true
	[ "$rc" -eq 0 ] || fail "status $rc"
	[ "$(grep -c "^dist-train: stage: '/.*': No such file" \
		"$d/err")" -eq 1 ] || fail "not said once"
	try srun -N4 --dist-train=ddp,stage="$d/none",stage-strict=yes true
	[ "$rc" -ne 0 ] || fail "status 0"
	try srun -N1 --dist-train=ddp,stage="$shared",explain=only true
	grep -q "^stage: $shared, [0-9]* files, [0-9.]* MB" "$d/out" ||
		fail "not shown"
}

# stage [ARGUMENT]...: the command on node1, into $d/out
stage() {
	rc=0
	node=node1 at "$prefix/bin/dist-train" stage "$@" --stagedir /tmp/disk \
		> "$d/out" 2> "$d/err" || rc=$?
}

# What is there, why, and away with it; not while a step uses it
test_command() {
	make_shared
	make_disks
	stage why "$shared"
	says 'this node has no copy of what it is now'
	rm -f "$d/go"
	background srun -w node1 --dist-train=ddp,stage="$shared" sh -c '
		touch "$1/at.0"; until [ -e "$1/go" ]; do sleep 0.1; done' - "$d"
	at chmod 777 "$d" 2> /dev/null
	until_true 30 test -e "$d/at.0" || fail "it doesn't start"
	stage
	says "in use  $shared\$"
	stage rm "$shared"
	[ "$rc" -eq 1 ] || fail "status $rc"
	says 'in use, it stays'
	touch "$d/go"
	wait "$bg" || fail "status $?: $(< "$d/bg.out")"
	stage why "$shared"
	says 'this content is here'
	at sh -c 'echo "word = \"second\"" > "$1/lib/mod_a.py"' - "$shared"
	stage why "$shared"
	says 'another content'
	stage rm "$shared"
	says 'MB: removed'
	[ -z "$(copies node1)" ] || fail "left: $(copies node1)"
	as_root node1 'mount -t tmpfs -o size=1m,mode=1777 x /tmp/disk'
	afterwards "as_root node1 'umount /tmp/disk'"
	try srun -w node1 --dist-train=ddp,stage="$shared" sh -c "$rank"
	stage why "$shared"
	says 'ran from the shared path: no room'
}

# What may stay: the user's own limit, and the administrator's
test_limit() {
	make_shared
	make_disks
	try srun -N2 --dist-train=ddp,stage="$shared" sh -c "$rank"
	ranks_are 2 "userns, first $shared"
	[ "$(whole node1)" = 1 ] || fail "no copy"
	try srun -N2 --ntasks-per-node=2 \
		--dist-train=ddp,stage="$shared",stage-keep=0 sh -c "$rank"
	ranks_are 4 "userns, first $shared"
	[ -z "$(copies node1)$(copies node2)" ] || fail "something stays"
	plugstack "optional $plugin stagedir=/tmp/disk stagekeep=1K"
	try srun -N2 --dist-train=ddp,stage="$shared",stage-keep=1T sh -c "$rank"
	ranks_are 2 "userns, first $shared"
	[ -z "$(copies node1)$(copies node2)" ] || fail "something stays"
}

# mount_slow MB_PER_S: $d/source is /run/slow on two nodes, far away
mount_slow() {
	local node

	compile_slow
	touch "$d/state"
	chmod 666 "$d/state"
	for node in node1 node2; do
		as_root "$node" 'mkdir -p /run/slow'
		user=root limit=300 background "$d/slow_fs" mount "$d/source" \
			/run/slow "$d/state" 2 "$1"
		until_true 20 grep -q mounted "$d/bg.out" ||
			skip "no FUSE: $(< "$d/bg.out")"
	done
}

compile_slow() {
	gcc -std=gnu11 -O2 -D_GNU_SOURCE -o "$d/slow_fs" \
		"$top/tests/clients/slow_fs.c" -lpthread > "$d/gcc.out" 2>&1 ||
		skip "no compiler: $(tail -n 1 "$d/gcc.out")"
}

# so_many WHAT: calls so far
so_many() {
	"$d/slow_fs" count "$d/state" | awk -v what="$1" '$1 == what { print $2 }'
}

shows_stage() {
	at "$prefix/bin/dist-train" status "$step" --json > "$d/status" 2> /dev/null &&
		python3 -c 'import json, sys
s = json.load(open(sys.argv[1]))["stage"]
assert s["path"] == "/run/slow" and s["nodes"] == 2 and not s["ready"]
assert 0 < s["bytes"] < s["of_bytes"] and s["remaining"] > 0' "$d/status" 2> /dev/null
}

# comes NODE: a part of the large file is there
comes() {
	[ -n "$(find "$d/disk.$1" -path '*.part/slow/large' -size +100k \
		2> /dev/null)" ]
}

# How far it is, for who watches and who asks; each file is read once, for all
# nodes, which have it while it is read, and none a second time; where the time went
test_progress() {
	local bytes progress_line

	progress_line='^dist-train: 0/2 processes up; /run/slow to the nodes: [0-9.]* of '
	progress_line+='12[.][0-9] MB, 0 of 2 nodes ready, [0-9]* s left$'
	at sh -ec 'mkdir "$1" && cd "$1" && truncate -s 6M large
		for i in $(seq 40); do echo $i > $i; done' - "$d/source"
	make_disks
	mount_slow 20
	"$d/slow_fs" hold "$d/state" 3000000
	background srun -N2 -w node1,node2 --dist-train=ddp,progress=yes,stage=/run/slow \
		sh -c 'cat /run/slow/* | md5sum; echo $SLURM_JOB_ID > "$1/job"' - "$d"
	at chmod 777 "$d" 2> /dev/null
	until_true 30 find_job || fail "no job: $(< "$d/bg.out")"
	until_true 30 comes node1 && until_true 30 comes node2 ||
		fail "it isn't passed on while it is read: $(< "$d/bg.out")"
	until_true 30 shows_stage || fail "status: $(cat "$d/status" "$d/bg.out")"
	at "$prefix/bin/dist-train" status "$step" > "$d/out"
	until_true 30 grep -q "$progress_line" "$d/bg.out" ||
		fail "no progress: $(< "$d/bg.out")"
	"$d/slow_fs" hold "$d/state" 0
	wait "$bg" || fail "status $?: $(< "$d/bg.out")"
	grep -Eq '/run/slow to the nodes: [0-9.]+ of 12[.][0-9] MB, 0 of 2 ready' \
		"$d/out" || fail "status: $(< "$d/out")"
	[ "$(so_many open)" -eq 41 ] || fail "not once"
	bytes=$(so_many bytes)
	[ "$bytes" -lt 6400000 ] || fail "more than it has"
	[ "$(grep -c "$(cd "$d/source" && cat -- * | md5sum)" "$d/bg.out")" -eq 2 ] ||
		fail "not as it is: $(< "$d/bg.out")"
	at "$prefix/bin/dist-train" goodput --json "$step" > "$d/goodput"
	python3 -c 'import json, sys
s = json.load(open(sys.argv[1]))["total"]["parts"]["staging_s"]
assert s > 1, s' "$d/goodput" || fail "goodput: $(< "$d/goodput")"
	try srun -N2 -w node1,node2 --dist-train=ddp,stage=/run/slow \
		sh -c 'cat /run/slow/* | md5sum'
	[ "$rc" -eq 0 ] || fail "status $rc"
	[ "$(so_many open) $(so_many bytes)" = "41 $bytes" ] || fail "read again"
}

find_job() {
	step=$(at squeue -h -o %A | tail -n 1)
	[ -n "$step" ]
}
