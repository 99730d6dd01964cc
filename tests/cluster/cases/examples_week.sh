# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# contrib/examples of a training in many lives. In the first cases this file tells
# the ranks that the end is near, and queues the job again; in the chains Slurm's
# time limit is the end.
# clusters: plain
# takes: 1
# long: lives of a job are requeue's, signals and restarts supervision's, and the
# commands of the page pages.week's
# shellcheck disable=SC2034,SC2154 # shared with lib.sh
# shellcheck source-path=SCRIPTDIR source=../examples.sh
. "$here/examples.sh"

steps=150

# small: so many steps, with a pause in each, from weights that are always the
# same
small() {
	examples_folder
	sed -i -E "s/\b10000\b/$steps/
		s/^told, .*/&\ntorch.manual_seed(0)/
		s/^( *)(step \+= 1|end = torch.tensor|step, all_ranks =)/\1__import__('time').sleep(0.1)\n&/" \
		"$d"/clean/week_*.py
	# Where no launcher sets it
	sed -i "s|^exec srun|DIST_TRAIN_STOP_FILE=\${DIST_TRAIN_STOP_FILE:-$d/clean/stop} &|" \
		"$d/clean/week_jax.sbatch"
}

# submit FILE: as $job, whose output is $log
submit() {
	example "$1"
	job=$(sed -n 's/^Submitted batch job //p' "$d/out")
	[ -n "$job" ] || fail "no job"
	afterwards "at scancel $job; until_true 20 job_ended $job"
	log=$(sed -n "s/^#SBATCH --output=\(.*\)-%j.out/\1/p" \
		"$d/clean/$(grep -o '[a-z_]*\.sbatch' <<< "$words")")
	log=$d/clean/$log-$job.out
}

# saved_steps: a line each
saved_steps() {
	sed -n 's/.*saved step \([0-9]*\)$/\1/p' "$log" 2> /dev/null
}

# has_saved N: what torchrun passes on may come at its end
has_saved() {
	grep -qsx "$1" "$d/clean/week-$job/week.step"
}

# tell_here TIME: when it is that late, on this node
# shellcheck disable=SC2016 # expanded there
tell_here='
	told= files=
	for p in /proc/[0-9]*; do
		case $(readlink $p/exe) in
		*/python*) ;;
		*) continue ;;
		esac
		grep -q week_ $p/cmdline || continue
		handled=$(sed -n "s/^SigCgt:\t//p" $p/status)
		if [ $((0x${handled:-0} & 0x200)) -ne 0 ]; then
			told="$told ${p#/proc/}"
		else
			files="$files $(tr "\0" "\n" < $p/environ |
				sed -n s/^DIST_TRAIN_STOP_FILE=//p)"
		fi
	done
	until [ "$(date +%s)" -ge $0 ]; do
		sleep 0.05
	done
	[ -z "$told" ] || kill -USR1 $told
	[ -z "${files# }" ] || touch $files
'

# tell: each rank once, all at the same moment: who ends because others were told
# has no handler any more. Those without one look at the file.
tell() {
	local at=$(($(date +%s) + 3))

	node=node1 at sh -c "$tell_here" $at 2> /dev/null &
	node=node2 at sh -c "$tell_here" $at 2> /dev/null
	wait $!
}

# ends_well: the job, and with COMPLETED
ends_well() {
	until_true "$limit" job_ended "$job" || fail "job $job doesn't end"
	cat "$log"
	user=root at scontrol show job "$job" > "$d/job"
	grep -q JobState=COMPLETED "$d/job" || {
		cat "$d/job"
		fail "job $job isn't completed"
	}
}

# weights: those of all ranks in the last life
weights() {
	tail -n 12 "$log" | grep 'rank [0-9]* of 4 on ' | tail -n 4 > "$d/out"
	rc=0 together 4
	sed -n 's/.* weights //p' "$d/out" | sort -u
}

# as_unbroken FILE: another job, which nobody disturbs, ends with these weights
as_unbroken() {
	local broken

	broken=$(weights) || fail "no weights"
	submit "$1"
	ends_well
	[ "$(weights)" = "$broken" ] || fail "$broken, not $(weights)"
}

state_is() {
	[ "$(at squeue -h -j "$job" -o "$1" 2> /dev/null)" = "$2" ]
}

runs_again() {
	next_life "$job"
	until_true 30 state_is %T RUNNING || fail "job $job doesn't begin"
}

# week FILE: told once, it saves once, ends, and goes on there
week() {
	local saved

	small
	submit "$1"
	until_true 120 has_saved 10 || fail "no step 10"
	tell
	ends_well
	saved=$(saved_steps | sed 1d)
	[ "${saved:-$steps}" -lt "$steps" ] ||
		fail "not saved once: $(saved_steps | xargs)"
	[ "$(cat "$d/clean/week-$job/week.step")" = "$saved" ] ||
		fail "week.step isn't $saved"
	rm -f "$d/clean/stop"
	user=root at scontrol requeue "$job" || fail "not requeued"
	runs_again
	ends_well
	[ "$(saved_steps | xargs)" = "10 $saved $steps" ] ||
		fail "saved: $(saved_steps | xargs)"
	as_unbroken "$1"
}

test_ddp() {
	debian_torch
	week week_ddp.py
}

test_torchrun() {
	need_torchrun
	debian_torch
	week week_torchrun.sbatch
}

test_lightning() {
	venv torch_users
	week week_lightning.py
}

test_hf() {
	venv torch_users
	week week_hf.py
}

test_jax() {
	venv jax
	week week_jax.sbatch
}

comes_back_or_ends() {
	is_requeued "$job" || job_ended "$job"
}

# chain FILE [MINUTES]: of lives of one minute each, or so many
chain() {
	local lives

	steps=$((400 * ${2:-1})) limit=400
	small
	sed -i "s/^#SBATCH --time=.*/#SBATCH --time=${2:-1}/
		s/end-signal=10m/end-signal=25/" "$d"/clean/week*.sbatch
	submit "$1"
	until_true 180 comes_back_or_ends
	while is_requeued "$job"; do
		runs_again
		until_true 180 comes_back_or_ends
	done
	ends_well
	lives=$(grep -c 'rank 0 of 4 on ' "$log")
	[ "$lives" -ge 2 ] || fail "$lives lives"
	[ "$(grep -c '^dist-train: .* is requeued: its time limit' "$log")" \
		-eq $((lives - 1)) ] ||
		fail "not requeued once for each life but the last"
	saved_steps | sort -nuc || fail "saved: $(saved_steps | xargs)"
	[ "$(saved_steps | tail -n 1)" -eq "$steps" ] || fail "no step $steps"
	sed -i 's/^#SBATCH --time=.*/#SBATCH --time=10/' "$d"/clean/week*.sbatch
	as_unbroken "$1"
}

test_chain_ddp() {
	debian_torch
	chain week_ddp.py
}

# long: chain_ddp
test_chain_torchrun() {
	need_torchrun
	debian_torch
	chain week_torchrun.sbatch
}

# long: chain_ddp
test_chain_lightning() {
	venv torch_users
	chain week_lightning.py 2
}

# long: chain_ddp
test_chain_hf() {
	venv torch_users
	chain week_hf.py 2
}

# long: chain_ddp
test_chain_jax() {
	venv jax
	chain week_jax.sbatch
}
