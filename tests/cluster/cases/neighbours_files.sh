# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# Two users on one node: what bob puts into the folder where launchers have
# theirs, while alice's step ends there, removes nothing of alice's.
# clusters: plain
# shellcheck disable=SC2016,SC2034,SC2086,SC2154 # shared with lib.sh

# shellcheck source-path=SCRIPTDIR source=../ray.sh
. "$here/ray.sh"

limit=120

# by USER COMMAND: in its shell, on node1
by() {
	user=$1 node=node1 at sh -c "$2" || fail "as $1 on node1: $2"
}

# job_on_node1: $job is alice's, and $own begins the names of the folders of its
# next step there
job_on_node1() {
	try salloc --no-shell --no-kill -w node1
	job=$(sed -n 's/^salloc: Granted job allocation //p' "$d/err")
	[ -n "$job" ] || fail "no job"
	afterwards "at scancel -f $job; until_true 20 job_ended $job"
	own=/tmp/dist-train-$job.0.0
	afterwards "by root 'rm -rf $own* /tmp/neighbour-$job'"
}

# end_a_step: its launcher is killed; slurmstepd has removed a folder that is
# alice's own, and nothing of it runs any more
end_a_step() {
	by alice "umask 077 && mkdir $own-alices && touch $own-alices/f"
	mark "$own-alices"
	# a launcher that ends by itself removes its own folder
	try srun --jobid="$job" -n1 --dist-train=ddp,supervise=yes \
		sh -c 'kill -KILL $PPID'
	until_true 60 gone "$own-alices" || fail "$own-alices stays"
	until_true 60 no_processes || fail "a process is left"
}

# mark FOLDER: as a launcher marks one that it makes
mark() {
	by alice "ln -s \$(stat -c %i $1)@\$(uname -n) $1/.made"
}

gone() {
	node=node1 at test ! -e "$1"
}

# stays FILE...
stays() {
	local file

	for file; do
		! gone "$file" || fail "$file of alice's is removed"
	done
}

# alice may leave files in a folder of bob's; he can't remove what is in her
# folders there, but he can rename his own.
test_renamed_folder() {
	local at=/tmp/neighbour

	job_on_node1
	at+=-$job
	by bob "umask 0 && mkdir $at"
	by alice "umask 022 && mkdir -p $at/r/deep && touch $at/r/deep/f $at/f"
	by bob "! rm -rf $at/r 2> /dev/null && mv $at $own-bobs"
	end_a_step
	stays "$own-bobs/f" "$own-bobs/r/deep/f"
}

# folder_of_hers: $at, in a folder where all may do all
folder_of_hers() {
	at=/tmp/neighbour-$job/data
	by alice "umask 022 && mkdir -p $at/r/deep && touch $at/r/deep/f $at/f &&
		chmod 777 ${at%/*}"
}

# moved_folder MODE GROUP: bob may write to a folder of alice's own; he can't remove
# what is in her folders there, but he can move it
moved_folder() {
	local at

	job_on_node1
	folder_of_hers
	by root "chgrp $2 $at && chmod $1 $at"
	by bob "! rm -rf $at/r 2> /dev/null && mv $at $own-hers"
	end_a_step
	stays "$own-hers/r/deep/f"
}

test_moved_folder() {
	moved_folder 777 alice
	moved_folder 775 bob
}

# Her step runs already, when he moves it beside its own folder; it is hers alone
# again before the step ends
test_moved_while_it_runs() {
	local at

	job_on_node1
	folder_of_hers
	by alice "chmod 777 $at"
	background srun --jobid="$job" -n1 --dist-train=ddp,supervise=yes \
		sh -c 'echo up; until [ -e "$0" ]; do sleep 0.1; done
			kill -KILL $PPID' "$d/go"
	up '^up'
	by bob "mv $at $own-hers"
	by alice "chmod 700 $own-hers"
	root node1 sh -c "ls -d $own* | grep -v hers" > "$d/its"
	[ "$(wc -l < "$d/its")" -eq 1 ] || fail "no folder of the step"
	: > "$d/go"
	! wait "$bg" || fail "status 0"
	until_true 60 gone "$(< "$d/its")" || fail "$(< "$d/its") stays"
	until_true 60 no_processes || fail "a process is left"
	stays "$own-hers/r/deep/f"
}

resume_stopped() {
	local pid

	sed -n 's/^stopped //p' "$d/bg.out" | while read -r pid; do
		root node1 kill -CONT "$pid"
	done
}

# alice stops each process that is slurmstepd's, as soon as it may be hers: the one
# that removes her folder does it nevertheless, and nothing stays. She begins when
# the program runs: until then her task is one of them.
# takes: 1
test_stopped_cleaner() {
	job_on_node1
	by alice "umask 077 && mkdir $own-large"
	mark "$own-large"
	by alice "cd $own-large && for i in 1 2 3 4 5 6 7 8; do
			mkdir \$i && (cd \$i && seq 5000 | xargs touch); done"
	user=alice node=node1 background "$PYTHON" -c '
import glob, os, signal, sys
stopped = set()
print("up", flush=True)
while not os.path.exists(sys.argv[2]):
    pass
while not os.path.exists(sys.argv[1]):
    for path in glob.glob("/proc/[0-9]*/comm"):
        try:
            with open(path) as f:
                if not f.read().startswith("slurmstepd"):
                    continue
            pid = int(path.split("/")[2])
            os.kill(pid, signal.SIGSTOP)
            if pid not in stopped:
                print("stopped", pid, flush=True)
            stopped.add(pid)
        except OSError:
            pass' "$d/over" "$d/runs"
	until_true 20 said '^up' || fail "nobody stops"
	afterwards resume_stopped
	try srun --jobid="$job" -n1 --dist-train=ddp,supervise=yes \
		sh -c ': > "$0"; kill -KILL $PPID' "$d/runs"
	until_true 60 gone "$own-large" || fail "$own-large stays"
	: > "$d/over"
	wait "$bg"
	cat "$d/bg.out"
	until_true 60 no_processes || fail "a process is left"
}

# A link with such a name, and links in a folder of alice's own
test_links() {
	local data

	job_on_node1
	data=/tmp/neighbour-$job
	by alice "umask 077 && mkdir -p $data/d $own-with &&
		touch $data/f $data/d/f &&
		ln -s $data $own-with/link && ln -s $data/f $own-with/file"
	mark "$own-with"
	by bob "ln -s $data $own-bobs"
	end_a_step
	gone "$own-with" || fail "$own-with stays"
	stays "$data/f" "$data/d/f"
}

# --- folders of steps that run ----------------------------------------------

# up PATTERN: the step beside the case has said it
up() {
	until_true 100 said "$1" || fail "no $1: $(< "$d/bg.out")"
	! grep '^dist-train: ' "$d/bg.out" || fail "unexpected"
}

said() {
	grep -q "$1" "$d/bg.out" || ! kill -0 "$bg" 2> /dev/null
}

# kept_out: each run folder on node1 is its owner's alone, and there is one; bob
# can't do anything with it
kept_out() {
	local folder folders

	folders=$(root node1 find /tmp -maxdepth 1 -name 'dist-train-[0-9]*')
	[ -n "$folders" ] || fail "no folder"
	for folder in $folders; do
		[ "$(root node1 stat -c %a "$folder")" = 700 ] ||
			fail "$folder: $(root node1 stat -c '%A %U' "$folder")"
		by bob "for i in 'ls $folder' 'ls $folder/s' \
			'touch $folder/x' 'touch $folder/s/x' \
			'mv $folder/s $folder/t' 'mv $folder /tmp/x-$folder'; do
			! \$i 2> /dev/null || { echo \$i; exit 1; }
		done"
	done
}

# of_ray [VARIABLE]: a step of Ray, until kept_out has seen it; the stand-in's, with
# --long Ray's own
of_ray() {
	rm -rf "$d/ray" "$d/go"
	standin ''
	if [ -n "${LONG:-}" ]; then
		need_venv ray
		with='' place="$venv -W ignore $2"
	fi
	background srun $with -w node1,node2 -N2 -c1 --dist-train=ray \
		env RAY_DEDUP_LOGS=0 WAIT="$d/go" ${1:+"$1"} $place
	up '^placed '
	kept_out
	: > "$d/go"
	wait "$bg" || fail "status $?: $(< "$d/bg.out")"
}

# Ray opens its folder to everybody, not the launcher's; each of its workers does
# it again
test_ray() {
	printf '%s\n' 'import os, time' 'print("placed ", flush=True)' \
		'while not os.path.exists(os.environ["WAIT"]):' \
		'    time.sleep(0.1)' > "$d/wait.py"
	of_ray '' "$d/wait.py"
	of_ray WORKS=yes "$top/tests/clients/ray_place.py"
}
