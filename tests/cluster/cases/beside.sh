# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# The step's controller is beside srun: srun stands still, as after Ctrl-Z; nodes
# can't reach its host; commands look for it there.
# clusters: plain
# takes: 0.25
# shellcheck disable=SC2016,SC2034,SC2154 # shared with lib.sh and steps.sh

# shellcheck source-path=SCRIPTDIR source=../steps.sh
. "$here/steps.sh"

look="$prefix/bin/dist-train"
keys=procs=2,grace=$grace,lease=$lease,timeout=$((20 * slow))

# --- srun stands still ---------------------------------------------------------

# signal_srun SIGNAL: to both of its processes, as a terminal does it
signal_srun() {
	root login sh -c 'kill "-$0" "$1" $(pgrep -x -P "$1" srun)' \
		"$1" "$(< "$s/srun")"
}

# has_ranks N: whoever looks sees all of the first round
has_ranks() {
	succeed "$look" status --json "$job"
	[ "$(grep -o '"rank":' "$d/out" | wc -l)" -eq "$1" ] ||
		fail "not $1 ranks"
	says '"round":0,'
}

# stands_still SIGNAL RANKS: for longer than the lease
stands_still() {
	find_job
	signal_srun "$1"
	has_ranks "$2"
	sleep $((lease + 2))
	has_ranks "$2"
	signal_srun CONT
	may_go
	step_ends 0
	[ -z "$(step_says)" ] || fail "unexpected: $(step_says)"
	[ "$(grep -c '^done ' "$s/out")" -eq "$2" ] ||
		fail "not $2 ranks have ended well"
	nothing_left_of_step
}

test_ctrl_z() {
	launch plain --dist-train="ddp,$keys,supervise=yes"
	all_up
	stands_still TSTP 6
}

test_ctrl_z_spares() {
	launch spares --dist-train="ddp,$keys,spares=1"
	wait_for "all ranks" up.0 up.1 up.2 up.3
	stands_still STOP 4
}

# --- its folder ------------------------------------------------------------------

# Files whose names begin in the step's folder, wherever srun has begun
test_folder() {
	mkdir -m 777 "$d/there"
	dir=/ succeed srun --chdir="$d/there" -N2 --ntasks-per-node=1 \
		--dist-train=ddp,procs=2,record=kept,timeline=line sh -c \
		'[ "$RANK" != 3 ] || pwd'
	says "^$d/there$"
	[ -z "$(ours)" ] || fail "unexpected: $(ours)"
	[ -n "$(ls "$d/there/kept")" ] || fail "no record"
	grep -q '"event":"end"' "$d/there/line" || fail "no end in the timeline"
}

# --- its host can't be reached -------------------------------------------------

address() {
	root login getent ahostsv4 "$1" | sed 's/ .*//;q'
}

# blocked_step NAME NODE...: from there nobody reaches the controller beside srun.
# Slurm's own connections to srun, without which there is no step, are other ports
blocked_step() {
	local node

	hold_plugin
	new_step "$1"
	touch "$s"/task.node{1,2,3}
	begin_step --dist-train="ddp,$keys"
	wait_for "held tasks" task.node{1,2,3}.here
	find_controller
	for node in "${@:2}"; do
		block "$node" "$(controller_ports)"
	done
	rm "$s"/task.node{1,2,3}
	all_up
}

controller_ports() {
	root login ss -Hltnp | sed -n \
		"s/.*:\([0-9]*\) .*pid=$(< "$s/pid"),.*/\1/p" | paste -sd ,
}

# block NODE PORTS: of srun's host
block() {
	root "$1" nft "add table inet beside
		add chain inet beside o { type filter hook output priority 0; }
		add rule inet beside o ip daddr $(address login) tcp dport { $2 } drop" ||
		skip "no nft on the nodes"
	afterwards "root $1 nft delete table inet beside 2> /dev/null"
}

# talks_to NODE OTHER: its launcher comes to the controller there
talks_to() {
	until_true 30 is_in_touch "$1" "$(address "$2")" ||
		fail "$1 doesn't talk to $2: $(root "$1" ss -Hntp)"
}

is_in_touch() {
	root "$1" ss -Hntp state established dst "$2" | grep -q dist-train-laun
}

ends_well() {
	find_job
	has_ranks 6
	may_go
	step_ends 0
	[ -z "$(step_says)" ] || fail "unexpected: $(step_says)"
	nothing_left_of_step
}

# node1 passes on what node3 says
test_one_node_blocked() {
	blocked_step relay node3
	talks_to node3 node1
	ends_well
}

# A node behind it is lost: the kernel of node1 would answer for it for ever
test_blocked_node_is_lost() {
	blocked_step lost node3
	talks_to node3 node1
	afterwards "'$here/node_fault' '$cluster' back node3 > /dev/null"
	"$here/node_fault" "$cluster" cut node3
	step_ends 137 $((lease + lease / 3 + 2 + grace + 20))
	step_says | grep -q 'task 2 on node3 .*(first failure)' ||
		fail "not told: $(step_says)"
}

# The controller is beside task 0's launcher then
test_all_nodes_blocked() {
	blocked_step fallback node1 node2 node3
	find_controller node1
	talks_to node3 node1
	may_go
	step_ends 0
	[ "$(step_says | grep -c .)" -eq 1 ] &&
		step_says | grep -q "node1 can't reach the step's controller on srun's host .*: it runs on node1" ||
		fail "not that line alone: $(step_says)"
}

is_told() {
	step_says |
		grep -q 'task 0 on node1 has ended or lost its connection'
}

# all_are_known: to the controller, which names those alone whose launchers have said
# who they are; a connection that is open hasn't
all_are_known() {
	[ "$(node=node2 at "$look" status --json "$job" | grep -o '"rank":' |
		wc -l)" -eq 6 ]
}

# And all of the step there is killed, of which Slurm doesn't hear: another node says so.
# The controller first: one that still hears of its launcher's end tells all others to
# end, and who says why is gone with it.
test_fallback_is_lost() {
	blocked_step fallback node1 node2 node3
	find_job
	find_controller node1
	until_true 30 all_are_known || fail "not all are known: $(step_says)"
	# shellcheck disable=SC2016 # of that shell
	as_root node1 'kill -KILL $(pgrep -x dist-train-step; pgrep -f ^slurmstepd; pgrep -u alice) || true'
	until_true 30 is_told || fail "not told: $(< "$s/err")"
	root login scancel "$job" # srun waits for node1, as without the plugin
	until_true 60 has status || fail "scancel doesn't end it"
	# slurmstepd, which removes it, was killed
	as_root node1 "rm -rf /tmp/dist-train-$job.*"
}

# --- who looks ------------------------------------------------------------------

# seen_from_all PORT: a pattern; from srun's host, from a node that isn't the step's, and from
# there by way of node1
seen_from_all() {
	local ports

	launch seen --dist-train="ddp,$keys"
	all_up
	find_job
	has_ranks 6
	node=node4 has_ranks 6
	find_controller
	ports=$(controller_ports)
	# shellcheck disable=SC2053 # a pattern
	[[ $ports == $1 ]] || fail "the controller listens at $ports"
	block node4 "$ports"
	node=node4 has_ranks 6
	may_go
	step_ends 0
}

test_seen() {
	seen_from_all '2[0-8]???'
}

# Where Slurm keeps srun's ports in a range, the controller's are in it
test_seen_in_range() {
	local conf=/run/dist-train-cluster/$cluster/etc/slurm.conf

	cp "$conf" "$d/slurm.conf"
	afterwards "cp '$d/slurm.conf' '$conf'; root login scontrol reconfigure"
	echo SrunPortRange=60001-60999 >> "$conf"
	root login scontrol reconfigure
	seen_from_all '60???'
}

# --- the job's time limit -------------------------------------------------------

# Slurm signals all of the batch step, the controller, too, and ends after KillWait
# what hasn't ended: all of it at once
test_time_limit() {
	cat > "$d/job.sh" <<-END
		#!/bin/bash
		srun --dist-train=ddp,$keys,supervise=yes sh -c '
			trap "" TERM
			touch "$d/up.\$RANK"
			while :; do sleep 0.2; done'
	END
	succeed sbatch --parsable -N2 -o "$d/job" "$d/job.sh"
	job=$out
	until_true 30 test -e "$d/up.0" -a -e "$d/up.1" -a -e "$d/up.2" \
		-a -e "$d/up.3" || fail "not four ranks: $(cat "$d/job")"
	root login scontrol update "jobid=$job" EndTime=now+1 ||
		fail "can't change the job's limit"
	until_true 60 job_ended "$job" || fail "job $job doesn't end"
	grep -q 'DUE TO TIME LIMIT' "$d/job" || fail "Slurm says no reason"
	! grep -E '^dist-train: ' "$d/job" || fail "unexpected: $(cat "$d/job")"
	nothing_left
}
