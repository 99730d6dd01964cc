# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# Replica groups: each fails and restarts alone, beside a stand-in of TorchFT's
# lighthouse; and TorchFT itself, over Gloo.
# clusters: plain
# shellcheck disable=SC2016,SC2034,SC2086,SC2154 # shared with lib.sh

# shellcheck source-path=SCRIPTDIR source=../training.sh
. "$here/training.sh"

limit=120

# A lighthouse that serves nobody; its pid in $d/lighthouse
standin() {
	mkdir -p "$d/python/torchft" "$d/say"
	: > "$d/python/torchft/__init__.py"
	chmod 777 "$d/say"
	cat > "$d/python/torchft/coordination.py" <<-END
		import os
		class LighthouseServer:
		    def __init__(self, **options):
		        with open("$d/say/lighthouse", "w") as f:
		            print(os.getpid(), options["min_replicas"], file=f)
		    def shutdown(self):
		        os.unlink("$d/say/lighthouse")
	END
}

# groups KEYS SRUN-ARGUMENT...: begin a step of tests/clients/replica.sh
groups() {
	local keys=$1
	shift

	standin
	background env PYTHONPATH="$d/python" srun "$@" \
		--dist-train="torchft,grace=1,lease=5,$keys" \
		"$top/tests/clients/replica.sh" "$d/say"
}

# tell GROUP.RANK.RESTART|all CODE|kill
tell() {
	echo "$2" > "$d/say/$1.new"
	mv "$d/say/$1.new" "$d/say/$1"
}

# has N PATTERN: so many lines
has() {
	[ "$(grep -Ec -- "$2" "$d/bg.out")" -eq "$1" ]
}

wait_for() {
	until_true 60 has "$1" "$2" || {
		cat "$d/bg.out"
		fail "not $1 lines '$2'"
	}
}

# ends_with STATUS
ends_with() {
	wait "$bg"
	rc=$?
	cat "$d/bg.out"
	[ "$rc" -eq "$1" ] || fail "status $rc, not $1"
	[ ! -e "$d/say/lighthouse" ] || fail "the lighthouse didn't end well"
	until_true 20 nothing_left || fail "something is left"
}

nothing_left() {
	local node

	for node in $(nodes); do
		! user=root node=$node at pgrep -f \
			'[r]eplica.sh|[d]ist-train-lighthouse|[s]leep 3600' ||
			return 1
	done
}

# Two groups of two nodes: one process is killed, and its group alone starts
# again, all of it, with another port
test_groups_restart_alone() {
	groups replicas=2,procs=2 -N4 --ntasks-per-node=1
	wait_for 8 '^start [01]\.[0-3]\.0 of 4 in 2 at '
	has 4 '^start 1\.[0-3]\.0 .* at node3:' || fail "not at node3"
	tell 1.2.0 kill
	wait_for 4 '^start 1\.[0-3]\.1 of 4 in 2 at node3:'
	has 1 '^dist-train: rank 2 of replica group 1 \(worker\) on node4, pid [0-9]*: signal 9 \(SIGKILL\) ' ||
		fail "not blamed"
	has 1 "restart 1 of 1000 of replica group 1's processes" ||
		fail "not said"
	[ "$(grep -o '^start 1.* at [^ ]*' "$d/bg.out" | sed 's/.* //' |
		sort -u | wc -l)" -eq 2 ] || fail "the port is the same"
	tell all 0
	wait_for 8 '^end [01]\.[0-3]\.[01] 0$'
	ends_with 0
	has 4 '^start 0' || fail "group 0 started again"
}

# The group of the lighthouse: that goes on, and what its processes have left
# behind is gone before they start again
test_lighthouse_goes_on() {
	groups restarts=2 -N2 --ntasks-per-node=1
	wait_for 2 '^start [01]\.0\.0 of 1 in 2 '
	was=$(< "$d/say/lighthouse")
	tell 0.0.0 3
	wait_for 1 '^start 0\.0\.1 '
	[ "$(user=root node=node1 at pgrep -fc '[s]leep 3600')" -eq 1 ] ||
		fail "of the first round something is left"
	tell 0.0.1 kill
	wait_for 1 '^start 0\.0\.2 '
	[ "$(< "$d/say/lighthouse")" = "$was" ] || fail "another lighthouse"
	tell all 0
	ends_with 0
	has 1 '^start 1' || fail "group 1 started again"
}

# Restarts are used up: it stays down, and the others' end is the step's
# long: tests/helpers/channel/test_arbiter_groups (stays_down)
test_group_stays_down() {
	groups restarts=1 -N3 --ntasks-per-node=2
	wait_for 6 '^start '
	tell 2.1.0 5
	wait_for 2 '^start 2\.[01]\.1 of 2 '
	tell 2.0.1 6
	wait_for 1 "dist-train: replica group 2 stays down: its restarts are used up; 2 of 3 groups go on$"
	tell 0.0.0 0
	wait_for 1 '^end 0\.0\.0 0'
	tell all 0
	ends_with 0
	has 4 '^start [01]' || fail "another group started again"
}

# Too few are left: the step fails as the last one did
# long: tests/helpers/channel/test_arbiter_groups (too_few)
test_too_few_groups() {
	groups min-replicas=2,restarts=0 -N3 --ntasks-per-node=1
	wait_for 3 '^start '
	tell 1.0.0 5
	wait_for 1 'replica group 1 stays down: its restarts are used up; 2 of 3 groups go on$'
	tell 2.0.0 7
	ends_with 7
	has 1 'replica group 2 stays down: its restarts are used up; the step ends, because 1 of 3 groups are fewer than min-replicas=2$' ||
		fail "not said"
}

# A lost node takes its group, and no other; who has the node of the lighthouse
# isn't asked here
# takes: 0.25
test_group_loses_its_node() {
	groups replicas=2 -N4 --ntasks-per-node=1 --no-kill
	wait_for 4 '^start '
	afterwards "restart_node node4; node_returns"
	lose_node node4
	wait_for 1 'no sign of life from node4 for [0-9]+ s: node or network lost'
	wait_for 1 'replica group 1 stays down: one of its launchers is gone; 1 of 2 groups go on$'
	has 4 '^start ' || fail "something started again"
	tell all 0
	wait_for 2 '^end 0\.[01]\.0 0$'
	wait "$bg"
	rc=$?
	cat "$d/bg.out"
	[ "$rc" -eq 0 ] || fail "status $rc"
}

# scancel, and the lighthouse's end, are the whole step's
test_step_ends_with_groups() {
	groups restarts=9 -N2 --ntasks-per-node=1
	wait_for 2 '^start '
	at scancel -s TERM "$(at squeue -h -o %A).0"
	ends_with 143
	has 0 'stays down|first failure' || fail "somebody is blamed"
	groups restarts=9 -w node1,node2 -N2 --ntasks-per-node=1
	wait_for 2 '^start '
	until_true 60 test -s "$d/say/lighthouse" || fail "no lighthouse"
	read -r pid _ < "$d/say/lighthouse"
	rm "$d/say/lighthouse"
	user=root node=node1 at pkill -KILL -f '[d]ist-train-lighthouse'
	wait_for 1 "dist-train: service lighthouse on node1, pid $pid, ended with exit code 137 while replica groups needed it"
	ends_with 1
}

test_no_torchft() {
	try srun -N1 --dist-train=torchft true
	[ "$rc" -eq 1 ] || fail "status $rc"
	ours | grep -q "lighthouse on node1: .* has no torchft: .*install torchft there$" ||
		fail "no reason: $(ours)"
	! ours | grep -q restart || fail "it was tried again"
}

# begin_real N: TorchFT itself, a group on each of N nodes; what each has done
# is in $d/say/GROUP.log
begin_real() {
	need_venv torchft
	mkdir -p "$d/say"
	chmod 777 "$d/say"
	background env OMP_NUM_THREADS=1 srun -N"$1" --ntasks-per-node=1 \
		--dist-train=torchft,timeout=120,grace=1 "$venv" -W ignore \
		"$top/tests/clients/torchft_replica.py" "$d/say"
	for ((group = 0; group < $1; group++)); do
		until_true 120 steps_of $group 5 "$1" || {
			tail -n 50 "$d/bg.out"
			fail "group $group doesn't train with all"
		}
	done
}

# steps_of GROUP N PARTS: it has done N steps in which PARTS groups took part
steps_of() {
	[ -e "$d/say/$1.log" ] && [ "$(awk -v p="$3" '$2 == p' \
		"$d/say/$1.log" | wc -l)" -ge "$2" ]
}

# kill_replica GROUP: its process
kill_replica() {
	local pid

	pid=$(sed -n "s/^up $1\\.0 pid=\\([0-9]*\\) restart=.*/\\1/p" "$d/bg.out" |
		tail -n 1)
	user=root node=node$(($1 + 1)) at kill -KILL "$pid" ||
		fail "group $1 has no process $pid"
}

# lives N GROUP: it is in its N-th life, and trains with all
lives() {
	wait_for 1 "^up $2\\.0 pid=[0-9]* restart=$(($1 - 1))$"
	until_true 120 trains_in "$2" $(($1 - 1)) ||
		fail "group $2 isn't back: $(tail -n 3 "$d/say/$2.log")"
}

trains_in() {
	awk -v life="$2" '$4 == life && $2 == 3 { n++ } END { exit n < 5 }' \
		"$d/say/$1.log"
}

# The longest time between two steps of a life of the group, in milliseconds;
# fails when steps go back
longest_pause() {
	awk 'NR > 1 && $4 == life && $1 < step { exit 1 }
		NR > 1 && $4 == life && $3 - last > most { most = $3 - last }
		{ step = $1; last = $3; life = $4 }
		END { printf "%.0f\n", most * 1000 }' "$d/say/$1.log"
}

# no_stop GROUP MS: nobody has waited longer than TorchFT needs for a quorum
no_stop() {
	local pause

	pause=$(longest_pause "$1") || fail "group $1 went back"
	echo "group $1: $(wc -l < "$d/say/$1.log") steps, longest pause $pause ms"
	[ "$pause" -lt "$2" ] || fail "group $1 stood still for $pause ms"
}

# end_real: all end with the same model
end_real() {
	local steps

	steps=$(tail -n 1 "$d/say/0.log" | cut -d' ' -f1)
	echo $((steps + 100)) > "$d/say/end.new"
	mv "$d/say/end.new" "$d/say/end"
	wait "$bg"
	rc=$?
	grep -E '^(up|trained|dist-train:|srun:)' "$d/bg.out"
	[ "$rc" -eq 0 ] || fail "status $rc"
	[ "$(grep -c '^trained ' "$d/bg.out")" -eq 3 ] || fail "not all trained"
	[ "$(sed -n 's/^trained .* sum=//p' "$d/bg.out" | sort -u | wc -l)" -eq 1 ] ||
		fail "the models differ"
}

# Three replicas over Gloo: of those that are killed only their own group starts
# again, and the others wait for as long as TorchFT needs for a new quorum (its
# process group gives a peer up after 5 s)
# takes: 1
test_real_replicas() {
	limit=500 begin_real 3
	kill_replica 1
	lives 2 1
	kill_replica 2
	lives 2 2
	kill_replica 1
	lives 3 1
	end_real
	has 1 '^up 0\.' || fail "group 0 started again"
	for group in 0 1 2; do
		no_stop $group 60000
	done
}

# The same for ten minutes, in which one of them is killed each 30 seconds
# takes: 1
# long: ten minutes of what torchft.real_replicas does in one
test_real_replicas_for_ten_minutes() {
	local kill

	limit=1000 begin_real 3
	for ((kill = 0; kill < 20; kill++)); do
		kill_replica $((kill % 3))
		sleep 30
	done
	for group in 0 1 2; do
		lives $((group < 2 ? 8 : 7)) $group
	done
	end_real
	for group in 0 1 2; do
		no_stop $group 60000
	done
}
