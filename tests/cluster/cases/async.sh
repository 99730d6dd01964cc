# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# srun --async in a batch script whose steps are started by stepmgr (Slurm 26.05):
# srun has left when its step exists, so the launchers meet by themselves.
# clusters: stepmgr
# takes: 0.25
# shellcheck disable=SC2016,SC2034,SC2086,SC2154 # words; shared with lib.sh

limit=120
async='srun --async --parsable --ntasks-per-node=1'

# script NODES [OPTION]... < SCRIPT: a job that waits for its steps, whose output is
# in $d/NAME.STEP; what srun says is the job's
script() {
	{
		echo "cd $d"
		cat
		echo swait
	} > "$d/script"
	batch --stepmgr -c8 --gres=gpu:4,npu:2 -N "$@" < "$d/script"
}

# shown N FILE: so many lines of show.sh, in the order of ranks
shown() {
	grep -h '^show ' "$d/$2" | sed 's/.* RANK=/RANK=/' | sort > "$d/shown"
	[ "$(wc -l < "$d/shown")" -eq "$1" ] || fail "not $1 ranks: $(cat "$d/$2")"
}

# One process per device, as srun starts them, and nothing to be said
test_devices() {
	script 3 <<- END
		$async --gres=gpu:2 -N3 -o devices.%s --dist-train=ddp "$show"
	END
	shown 6 devices.0
	[ "$(sed 's/ LOCAL_WORLD_SIZE.*//' "$d/shown" | xargs)" = \
		"$(for rank in 0 1 2 3 4 5; do
			echo "RANK=$rank WORLD_SIZE=6 LOCAL_RANK=$((rank % 2))"
		done | xargs)" ] || fail "other ranks: $(< "$d/shown")"
	! grep '^dist-train: ' "$d/devices.0" "$d/out" || fail "unexpected"
}

# A rank that fails ends the others on all nodes, and is named; and the step's
# status is its own
test_first_failure() {
	script 3 <<- END
		$async --gres=gpu:2 -N3 -o failure.%s --dist-train=ddp,grace=1 sh -c '
			[ \$RANK = 3 ] && exit 7; exec sleep 300'
	END
	grep -q '^dist-train: rank 3 (worker) on node2, device 1, pid [0-9]*: exit code 7 after .* (first failure)' \
		"$d/failure.0" || fail "no first failure: $(cat "$d/failure.0")"
	grep -q '^dist-train: 5 other processes were ended' "$d/failure.0" ||
		fail "the others: $(cat "$d/failure.0")"
}

# Restarts in place, tasks that are processes, and two such steps at once
test_two_at_once() {
	script 3 <<- END
		$async --gres=gpu:2 -N3 -o restart.%s --exact -n3 -c1 --dist-train=ddp,restarts=1 sh -c '
			[ "\$RANK \$DIST_TRAIN_RESTART" != "4 0" ] || exit 7
			[ \$DIST_TRAIN_RESTART = 1 ] && exec "$show"; exec sleep 300'
		srun --async --parsable --gres=gpu:2 -N3 -n6 -c1 --exact -o tasks.%s \
			--dist-train=ddp,supervise=yes "$show"
	END
	shown 6 restart.0
	grep -q '^dist-train: restart 1 of 1 of the step' "$d/restart.0" ||
		fail "no restart: $(cat "$d/restart.0")"
	shown 6 tasks.1
}

# A utility runs as without the option; what needs srun is refused by it, before
# there is a step; what doesn't fit ends its step with a line
test_refused() {
	script 2 --dist-train=ddp <<- END
		$async -N1 -o utility.%s sh -c hostname
		for keys in spares=1 requeue=failure on-node-loss=requeue; do
			$async -N2 --dist-train=ddp,\$keys true
			echo "status \$?"
		done
		$async -N2 --gres=npu:1 --dist-train=ascend true
		echo "status \$?"
		$async -N2 --gres=gpu:2 -o torchrun.%s torchrun --nproc-per-node 2 x.py
	END
	grep -qx 'node[1-4]' "$d/utility.0" || fail "not as without the option"
	[ "$(grep -c '^dist-train: .* needs srun to stay beside the step' "$d/out")" -eq 3 ] ||
		fail "not three refusals"
	[ "$(grep -c '^status 1$' "$d/out")" -eq 4 ] || fail "not four times status 1"
	grep -q '^dist-train: torchrun ' "$d/torchrun.1" ||
		fail "torchrun: $(cat "$d/torchrun.1")"
}

# The same launchers where srun stays, and stepmgr makes the step
test_with_srun() {
	script 3 <<- END
		srun -N3 --ntasks-per-node=1 --gres=gpu:2 --dist-train=ddp "$show"
		echo "status \$?"
		srun -N3 --ntasks-per-node=1 --gres=gpu:2 --dist-train=ddp,grace=1 sh -c '
			[ \$RANK = 3 ] && exit 7; exec sleep 300'
		echo "status \$?"
	END
	grep -h '^show ' "$d/out" > "$d/plain"
	shown 6 plain
	[ "$(grep '^status ' "$d/out" | xargs)" = "status 0 status 7" ] ||
		fail "other statuses"
	grep -q '^dist-train: rank 3 (worker) on node2, device 1, ' "$d/out" ||
		fail "no first failure"
}

# The job's end ends the step, and nothing of it is left
test_job_ends() {
	script 2 <<- END
		$async --gres=gpu:2 -N2 -o ends.%s --dist-train=ddp sh -c '
			touch up.\$RANK; exec sleep 300'
		until [ -e up.0 ] && [ -e up.1 ] && [ -e up.2 ] && [ -e up.3 ]; do
			sleep 0.1
		done
		exit
	END
	[ "$rc" -eq 0 ] || fail "status $rc"
	for node in node1 node2; do
		until_true 30 all_ended "$node" || fail "processes are left on $node"
	done
}

all_ended() {
	! root "$1" pgrep -f 'dist-train-(launc[h]|ste[p])|sleep 30[0]'
}
