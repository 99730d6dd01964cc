# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# All that our code opens, connects to, listens on or starts as root on a node
# is on a list, which SECURITY.md explains.
# clusters: npu
# shellcheck disable=SC2016,SC2034,SC2154 # shared with lib.sh

limit=200

need_strace() {
	[ -x "$(command -v strace)" ] || skip "no strace"
	user=root node=node1 at strace -k -o /dev/null true ||
		skip "strace may not trace, or doesn't know stacks"
}

# What root may do; with stacks, which cost most of it
calls=open,openat,openat2,creat,connect,bind,listen,socket,socketpair
calls+=,memfd_create,execve,execveat,clone,clone3,fork,vfork
calls+=,setuid,setreuid,setresuid,setfsuid

# trace_slurmd CALLS [-k]: and all that it starts on node1, into $d/trace/t.TID
trace_slurmd() {
	local pid

	mkdir "$d/trace"
	pid=$(user=root node=node1 at pgrep -o -x slurmd)
	user=root node=node1 background strace -ff -o "$d/trace/t" \
		-e trace="$1" ${2:+"$2"} -p "$pid"
	until_true 20 grep -q attached "$d/bg.out" || fail "no strace of slurmd"
}

traced_step() {
	try srun -w node1,node2 "$@"
	[ "$rc" -eq 0 ] || fail "status $rc: $*"
}

# What a trace can't see: variables that are read, copies that are kept. What
# root's hooks call in our own code is on the list, too. They are in
# spank/plugin.c; in task_init and in a client nobody is root.
hooks_are_listed() {
	awk '/^[a-z].*\(/ {
			hook = $0
			sub(/\(.*/, "", hook)
			sub(/.*[ *]/, "", hook)
		}
		/^}/ { hook = "" }
		hook ~ /^(begin_step|begin_task|slurm_spank_(task_)?exit)$/ {
			while (match($0, /[a-z_0-9]+\(/)) {
				print "calls " substr($0, RSTART, RLENGTH - 1)
				$0 = substr($0, RSTART + RLENGTH)
			}
		}' "$here/../../spank/plugin.c" |
		grep -vx -E 'calls (begin_.*|slurm_.*|if|fail|free|close)' |
		sort -u > "$d/hooks"
	grep '^calls ' "$here/root_opens.list" | sort -u > "$d/calls"
	diff "$d/calls" "$d/hooks" > "$d/diff" ||
		fail "the list isn't what root's hooks call: $(cat "$d/diff")"
}

# The steps in which the plugin does something as root: a launcher, profiles,
# addresses of NPUs, tasks alone, folders to remove
test_list() {
	local new

	hooks_are_listed
	need_strace
	mkdir "$d/profiles"
	echo 'NCCL_IB_TC=106' > "$d/profiles/mine.conf"
	chmod -R u=rwX,go=rX "$d/profiles"
	plugstack "optional $plugin profiledir=$d/profiles"
	afterwards "plugstack '$plug_line'"
	trace_slurmd "$calls" -k
	traced_step --dist-train=ddp,procs=2,label=yes,profile=mine true
	traced_step --ntasks-per-node=2 --dist-train=env true
	traced_step --ntasks-per-node=1 --gres=npu:8 --dist-train=ascend true
	until_true 60 no_processes || fail "a step doesn't end"
	user=root node=node1 at pkill -o -x strace
	wait "$bg"
	awk -v prefix="$prefix" -v own="$d" -f "$here/root_opens.awk" \
		"$d/trace"/t.* | sort -u > "$d/opens"
	grep -v -e '^#' -e '^calls ' "$here/root_opens.list" |
		sort -u > "$d/list"
	new=$(comm -23 "$d/opens" "$d/list")
	[ -z "$new" ] || fail "root does what isn't on the list: $new"
	[ -z "$(comm -13 "$d/opens" "$d/list")" ] ||
		fail "on the list, but not seen: $(comm -13 "$d/opens" "$d/list")"
}

# Without srun's mark of this very step no credential is opened: another step's,
# none, and none that is one
test_forged_credential() {
	local step

	need_strace
	mkdir -m 777 "$d/conf"
	trace_slurmd connect,setuid,setreuid,setresuid -k
	for step in 7 '' 0x; do
		try salloc -Q -w node1 env "STEP=$step" OPTION=ddp,procs=task \
			SLURM_DIST_TRAIN_CREDENTIAL=MUNGE:AAAA: \
			"$here/forged.sh" "$d/conf" features true
		[ "$rc" -eq 0 ] || fail "status $rc"
	done
	until_true 60 no_processes || fail "a step doesn't end"
	user=root node=node1 at pkill -o -x strace
	wait "$bg"
	grep -q '^connect' "$d/trace"/t.* || fail "nothing was traced"
	awk -f "$here/root_opens.awk" "$d/trace"/t.* > "$d/opens"
	! grep -q munge "$d/opens" || fail "munged was asked"
}

# What slurmstepd has found out its tasks don't ask again, on one node or more
test_tasks_ask_nothing() {
	local tasks

	need_strace
	trace_slurmd socket,execve
	traced_step --ntasks-per-node=2 --dist-train=ddp true
	try srun -w node1 -n 2 --dist-train=ddp true
	[ "$rc" -eq 0 ] || fail "status $rc"
	until_true 60 no_processes || fail "a step doesn't end"
	user=root node=node1 at pkill -o -x strace
	wait "$bg"
	tasks=$(grep -l '^execve("[^"]*/true"' "$d/trace"/t.*)
	[ "$(wc -w <<< "$tasks")" -eq 4 ] || fail "not four tasks: $tasks"
	grep -q 'socket(AF_NETLINK' "$d/trace"/t.* || fail "nobody asks at all"
	# shellcheck disable=SC2086 # files they are
	! grep -h 'socket(AF_NETLINK' $tasks || fail "a task asks the kernel"
}
