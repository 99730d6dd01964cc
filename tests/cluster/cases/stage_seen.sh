# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# The key stage: what a program finds in a staged environment, in the forms that
# environments have, and what it writes there.
# clusters: plain
# shellcheck disable=SC2016,SC2034,SC2154 # shared with lib.sh; of that shell
# shellcheck source-path=SCRIPTDIR source=stage.sh
. "$here/cases/stage.sh"

# spoil FILE [BY]: another content of the same size and time, so that who reads the
# shared file says "wrong", and the copy of before is still that of this content
spoil() {
	at sh -ec 'touch -r "$1" "$2.time"
		if [ -n "$3" ]; then cat "$3"; else sed s/first/wrong/ "$1"; fi > "$2.new"
		[ "$(stat -c %s "$1")" = "$(stat -c %s "$2.new")" ]
		cat "$2.new" > "$1"
		touch -r "$2.time" "$1"' - "$1" "$d/spoilt" "${2:-}" ||
		fail "can't spoil $1"
	rm -f "$d"/spoilt.*
}

# of_python KEYS CODE: each rank's Python of the environment prints it
of_python() {
	try srun -N2 --dist-train=ddp,"$1" "$shared/bin/python" -c "
import os, sys
def say(*words):
    print('rank', os.environ['RANK'], 'on', os.environ['SLURMD_NODENAME'] + ':',
          os.environ['DIST_TRAIN_STAGED'].split(':')[0], *words)
sys.path.insert(0, sys.prefix + '/lib')
$2"
}

# A package in development, of another folder; a .pth file that names a folder of
# the environment; a link that leaves it
test_editable() {
	local words='import pkg, inner, outer; say(pkg.word, inner.word, outer.word)'

	make_shared
	make_disks
	at sh -ec 'mkdir -p "$2/pkg" "$1/extra"
		site=$("$1/bin/python" -c "import sysconfig
print(sysconfig.get_path(\"purelib\"))")
		echo "word = \"first\"" > "$2/pkg/__init__.py"
		echo "word = \"first\"" > "$1/extra/inner.py"
		echo "$2" > "$site/__editable__.pkg.pth"
		echo "$1/extra" > "$site/inner.pth"
		ln -s ../../src/pkg/__init__.py "$1/lib/outer.py"' - "$shared" "$d/src"
	of_python "stage=$shared+$d/src" "$words"
	ranks_are 2 'userns first first first'
	spoil "$d/src/pkg/__init__.py"
	spoil "$shared/extra/inner.py"
	of_python "stage=$shared+$d/src" "$words"
	ranks_are 2 'userns first first first'
	# What isn't staged is what it is
	of_python "stage=$shared" "$words"
	ranks_are 2 'userns wrong first wrong'
}

# libraries KEYS: what programs say that find theirs by RPATH, by $ORIGIN, and by
# LD_LIBRARY_PATH
libraries() {
	try env "LD_LIBRARY_PATH=$shared/lib" "PATH=$shared/bin:$PATH" \
		srun -N2 --dist-train=ddp,"stage=$shared$1" sh -c \
		'echo "rank $RANK on $SLURMD_NODENAME: ${DIST_TRAIN_STAGED%%:*}," \
			"$(LD_LIBRARY_PATH= by_path) $(LD_LIBRARY_PATH= by_origin)" \
			"$(by_env)"'
}

test_libraries() {
	command -v gcc > /dev/null || skip "no gcc"
	make_shared
	make_disks
	at sh -ec 'cd "$1"
		printf "%s\n" "const char *word(void) { return WORD; }" > word.c
		printf "%s\n" "int puts(const char *); const char *word(void);" \
			"int main(void) { return puts(word()) < 0; }" > say.c
		for word in first wrong; do
			gcc -shared -fPIC "-DWORD=\"$word\"" -o "$word.so" word.c
		done
		cp first.so lib/libword.so
		link="say.c -Llib -lword"
		gcc $link "-Wl,-rpath,$1/lib,--disable-new-dtags" -o bin/by_path
		gcc $link "-Wl,-rpath,\$ORIGIN/../lib" -o bin/by_origin
		gcc $link -o bin/by_env' - "$shared" || fail "can't link"
	libraries ''
	ranks_are 2 'userns, first first first'
	spoil "$shared/lib/libword.so" "$shared/wrong.so"
	libraries ''
	ranks_are 2 'userns, first first first'
	# Without a mount a path inside a program is the shared one
	plugstack "optional $plugin stagedir=/tmp/disk stage=path"
	libraries ''
	ranks_are 2 'path, wrong first first'
}

# A console script whose first line is longer than kernels once took, as pip and uv
# write it; and one whose first line is long
test_shebang() {
	local deep

	deep=$d/$(printf 'x%.0s' {1..100})
	mkdir -m 777 "$deep"
	make_shared
	shared=$deep/env
	at mv "$d/env" "$shared"
	make_disks
	[ ${#shared} -gt 128 ] || fail "not longer than 128 bytes"
	at sh -ec 'cd "$1/bin"
		body="import os, sys
sys.path.insert(0, sys.prefix + \"/lib\")
import mod_a
print(\"rank\", os.environ[\"RANK\"], \"on\", os.environ[\"SLURMD_NODENAME\"] + \":\",
      os.environ[\"DIST_TRAIN_STAGED\"].split(\":\")[0], mod_a.word)"
		q="'"'''"'"
		printf "%s\n" "#!/bin/sh" "${q}exec'"'"' \"$1/bin/python\" \"\$0\" \"\$@\"" \
			"'"' '''"'" "$body" > by_sh
		printf "%s\n" "#!$1/bin/python" "$body" > by_line
		chmod 755 by_sh by_line' - "$shared"
	for script in by_sh by_line; do
		try srun -N2 --dist-train=ddp,stage="$shared" "$shared/bin/$script"
		ranks_are 2 'userns first'
	done
	spoil "$shared/lib/mod_a.py"
	for script in by_sh by_line; do
		try srun -N2 --dist-train=ddp,stage="$shared" "$shared/bin/$script"
		ranks_are 2 'userns first'
	done
	# Without a mount it is known whose script it is
	plugstack "optional $plugin stagedir=/tmp/disk stage=path"
	for script in by_sh by_line; do
		try srun -N2 --dist-train=ddp,stage="$shared" "$shared/bin/$script"
		ranks_are 2 'path first'
	done
}

# Compiled before other nodes get it, and nothing is written to the shared path
test_compiled() {
	make_shared
	make_disks
	try srun -N4 --dist-train=ddp,stage="$shared" "$shared/bin/python" -c '
import os, sys
sys.path.insert(0, sys.prefix + "/lib")
import mod_a
print("rank", os.environ["RANK"], "on", os.environ["SLURMD_NODENAME"] + ":",
      os.path.exists(mod_a.__cached__),
      (sys.prefix + "/lib/mod_a.py").encode() in open(mod_a.__cached__, "rb").read())'
	ranks_are 4 'True True'
	[ ! -e "$shared/lib/__pycache__" ] || fail "written to the shared path"
}

# A disk that executes nothing has no libraries to be loaded, either
test_noexec() {
	make_shared
	make_disks
	as_root node2 'mount -o remount,bind,noexec /tmp/disk'
	try srun -N2 --dist-train=ddp,stage="$shared" sh -c "$rank"
	ranks_are 1 "userns, first $shared"
	ranks_are 1 "no: $shared: /tmp/disk: no program can be executed there (noexec), first $shared"
}

# written KEYS: two ranks of each of two nodes write beside the code
written() {
	try srun -N2 --ntasks-per-node=2 --dist-train=ddp,"stage=$shared$1" sh -c '
		echo "word = \"mine\"" > "$1/lib/mod_a.py"
		touch "$1/lib/by.$RANK"
		until set -- "$1" "$1"/lib/by.* && [ $# -ge 3 ]; do sleep 0.1; done
		echo "rank $RANK on $SLURMD_NODENAME: $DIST_TRAIN_STAGED, $(($# - 1))" \
			"$(cat "$1/lib/mod_b.py")"' - "$shared"
}

is_as_it_was() {
	local host

	[ "$(< "$shared/lib/mod_a.py")" = 'word = "first"' ] ||
		fail "the shared path was written to"
	for host in node1 node2; do
		[ "$(whole "$host")" = 1 ] || fail "not one copy alone on $host"
	done
	! grep view "$d/copies" || fail "a view is left"
}

# Seen by the node's ranks, by nobody else, and gone with the step
test_overlay() {
	make_shared
	make_disks
	written ,stage-write=overlay
	ranks_are 4 'userns, 2 word = "mine"'
	is_as_it_was
	try srun -N2 --dist-train=ddp,stage="$shared",stage-write=overlay sh -c "$rank"
	ranks_are 2 "userns, first $shared"
	is_as_it_was
}

# A layer whose launcher was killed goes with the next content that comes
test_overlay_killed() {
	local pid

	make_shared
	make_disks
	background srun -w node1,node2 \
		--dist-train=ddp,stage="$shared",stage-write=overlay sh -c '
		echo "word = \"mine\"" > "$1/lib/mod_a.py"
		touch "$2/at.$RANK"
		exec sleep 300' - "$shared" "$d"
	until_true 30 test -e "$d/at.0" -a -e "$d/at.1" ||
		fail "they don't start: $(< "$d/bg.out")"
	pid=$(as_root node1 'pgrep -o -x dist-train-laun')
	as_root node1 "kill -9 $pid"
	wait "$bg" && fail "it ends well: $(< "$d/bg.out")"
	copies node1 | grep -q '[.]part$' || fail "no layer is left to be removed"
	at sh -c 'echo "word = \"second\"" > "$1/lib/mod_a.py"' - "$shared"
	try srun -w node1,node2 --dist-train=ddp,stage="$shared" sh -c "$rank"
	ranks_are 2 "userns, second $shared"
	[ "$(whole node1)" = 2 ] || fail "something is left: $(< "$d/copies")"
}

# explains TEXT: of how it is seen
explains() {
	grep -Fxq "stage: $1" "$d/out" || fail "it isn't said: $1"
}

# Where nothing can be mounted that node runs from the shared path, or not at all
test_overlay_without_mounts() {
	make_shared
	make_disks stage=path
	try srun -N2 --dist-train=ddp,stage="$shared",stage-write=overlay sh -c "$rank"
	ranks_are 2 "no: stage-write=overlay: the administrator's stage=path, first $shared"
	[ "$(grep -c "^dist-train: node[12]: its processes run from the shared path: stage-write=overlay: " \
		"$d/err")" -eq 2 ] || fail "not said once for each node"
	try srun -N2 --dist-train=ddp,stage="$shared",stage-write=overlay,stage-strict=yes \
		true
	[ "$rc" -ne 0 ] || fail "it runs"
	try srun -N1 --dist-train=ddp,stage="$shared",stage-write=overlay,explain=only true
	explains "seen nowhere, stage-write=overlay needs a mount: the administrator's stage=path"
}

# What explain says of how it is seen
test_explained() {
	make_shared
	make_disks
	try srun -N1 --dist-train=ddp,stage="$shared",explain=only true
	explains 'seen under its own path, read-only (userns)'
	plugstack "optional $plugin stage=path"
	try srun -N1 --dist-train=ddp,stage="$shared",explain=only true
	explains "seen by PATH and Python's search path (path): the administrator's stage=path"
	plugstack "optional $plugin stage=off"
	try srun -N1 --dist-train=ddp,stage="$shared",explain=only true
	explains "nothing: the administrator's stage=off"
}
