# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# Two users on one node: what bob puts into the folder where launchers have
# theirs, while alice's step ends there, removes nothing of alice's.
# clusters: plain
# shellcheck disable=SC2016,SC2034,SC2154 # shared with lib.sh

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
	own=/tmp/dist-train-$job.0.0-n0
	afterwards "by root 'rm -rf $own* /tmp/neighbour-$job'"
}

# end_a_step: its launcher is killed; slurmstepd has removed a folder that is
# alice's own, and nothing of it runs any more
end_a_step() {
	by alice "umask 077 && mkdir $own-alices && touch $own-alices/f"
	# a launcher that ends by itself removes its own folder
	try srun --jobid="$job" -n1 --dist-train=ddp,supervise=yes \
		sh -c 'kill -KILL $PPID'
	until_true 60 gone "$own-alices" || fail "$own-alices stays"
	until_true 60 no_processes || fail "a process is left"
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

# A link with such a name, and links in a folder of alice's own
test_links() {
	local data

	job_on_node1
	data=/tmp/neighbour-$job
	by alice "umask 077 && mkdir -p $data/d $own-with &&
		touch $data/f $data/d/f &&
		ln -s $data $own-with/link && ln -s $data/f $own-with/file"
	by bob "ln -s $data $own-bobs"
	end_a_step
	gone "$own-with" || fail "$own-with stays"
	stays "$data/f" "$data/d/f"
}
