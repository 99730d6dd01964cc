# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# dist-train goodput of jobs with several lives: their parts are the wall time.
# clusters: plain
# shellcheck disable=SC2034,SC2154 # shared with lib.sh

tool=$prefix/bin/dist-train

# A program that trains until there is "$d/go": a step each tenth of a second, of
# which rank 0 saves each tenth
write_program() {
	mkdir -m 777 "$d/records" "$d/steps"
	cat > "$d/train.sh" <<-END
		#!/bin/sh
		step=0
		while [ ! -e $d/go ]; do
			step=\$((step + 1))
			echo step=\$step > \$DIST_TRAIN_PROGRESS_FILE.new
			mv \$DIST_TRAIN_PROGRESS_FILE.new \$DIST_TRAIN_PROGRESS_FILE
			echo \$step > $d/steps/\${SLURM_RESTART_COUNT:-0}.\$RANK
			if [ \$RANK = 0 ] && [ \$((step % 10)) = 0 ]; then
				echo \$step > $d/steps/saved.new
				mv $d/steps/saved.new $d/steps/saved
				cp $d/steps/saved $d/steps/\${SLURM_RESTART_COUNT:-0}.saved
			fi
			sleep 0.1
		done
	END
	chmod 755 "$d/train.sh"
}

# submit ARGUMENT...: a batch job of two nodes that trains; its number in $job
submit() {
	cat > "$d/job.sh" <<-END
		#!/bin/sh
		srun --dist-train=ddp,procs=2,grace=2,metrics=on,record=$d/records,requeue=time-limit,progress-file=$d/steps/saved \
			$d/train.sh
	END
	try sbatch --parsable --requeue --open-mode=append -N2 \
		--ntasks-per-node=1 -o "$d/job.%a.out" "$@" "$d/job.sh"
	[ "$rc" -eq 0 ] || fail "status $rc"
	job=$out
	afterwards "at scancel -f $job; until_true 20 job_ended $job"
}

# has_record REQUEUE: of a life that trains
has_record() {
	grep -qs '"event":"runs"' "$d/records"/*".0.$1."*jsonl &&
		[ -s "$d/steps/$1.saved" ]
}

# again REQUEUE: the job is requeued, and its next life trains
again() {
	user=root at scontrol requeue "$job"
	next_life "$job"
	until_true 60 has_record "$1" ||
		fail "life $1: $(root login scontrol show job "$job")"
}

# json EXPRESSION: what it prints of the job that `goodput --json` has shown
json() {
	python3 -c '
import json, sys
o = json.load(sys.stdin)
job = o["jobs"][0]
parts = job["parts"]
print('"$1"')' < "$d/goodput"
}

# goodput WORD...: as JSON in $d/goodput; its sums are right
goodput() {
	at "$tool" goodput --json --record "$d/records" "$@" > "$d/goodput" ||
		fail "status $?: $(cat "$d/goodput")"
	[ "$(json '[round(1000 * j["wall_s"]) for j in o["jobs"]] == [
		sum(round(1000 * p) for p in j["parts"].values())
		for j in o["jobs"]]')" = True ] ||
		fail "the parts aren't the wall time: $(cat "$d/goodput")"
}

# Three lives by two requeues: all of them are there, the last one to its end
# takes: 0.25
test_lives() {
	local begin end

	write_program
	begin=$(date +%s)
	submit
	until_true 60 has_record 0 || fail "no record: $(cat "$d"/job.*)"
	again 1
	goodput "$job"
	[ "$(json 'job["ended"]')" = False ] || fail "it runs: $(cat "$d/goodput")"
	again 2
	touch "$d/go"
	until_true 60 job_ended "$job" || fail "the job doesn't end"
	end=$(date +%s)
	goodput "$job"
	[ "$(json 'job["ended"], [l["requeue"] for l in job["lives"]]')" = \
		'True [0, 1, 2]' ] || fail "lives: $(cat "$d/goodput")"
	[ "$(json "$end - $begin + 2 >= job['wall_s'] >= $end - $begin - 12")" = \
		True ] || fail "not $((end - begin)) s: $(cat "$d/goodput")"
	[ "$(json 'len(job["events"]), job["lost_unknown"],
		job["events"][0]["life"], job["events"][1]["life"]')" = \
		'2 0 0 1' ] || fail "requeues: $(cat "$d/goodput")"
	# The last life's submission is known, for Slurm still has the job
	[ "$(json 'job["lives"][2]["parts"]["queue_s"] > 0')" = True ] ||
		fail "queue: $(cat "$d/goodput")"
	[ "$(json '0 < job["ettr"]["least"] <= job["ettr"]["most"] < 1')" = \
		True ] || fail "ratio: $(cat "$d/goodput")"
	succeed "$tool" goodput --record "$d/records" "$job"
	says '^  wall time '
	succeed "$tool" goodput --record "$d/records" "$job" -o -
	says '"part":"training"'
	steps_are_logged
	lost_are_logged 0
	lost_are_logged 1
}

# last_step REQUEUE: of the slowest rank, as the record has it
last_step() {
	sed -n 's/.*"event":"progress".*"last_step":\([0-9]*\).*/\1/p' \
		"$d/records/$job.0.$1."*jsonl | sort -n | head -n 1
}

# What the record has is what the program has logged: at the end of a life no
# report is later than the last look at the file
steps_are_logged() {
	local logged said

	logged=$(sort -n "$d"/steps/2.[0-3] | head -n 1)
	said=$(last_step 2)
	[ "$said" -eq "$logged" ] ||
		fail "last step $said, and the log has $logged"
}

# lost_are_logged REQUEUE: what the life has lost, as its log has it; the program
# may have been ended between a report and its log, or before the launcher has
# looked
lost_are_logged() {
	local logged lost

	logged=$(($(cat "$d/steps/$1".[0-3] | sort -n | head -n 1) - \
		$(< "$d/steps/$1.saved")))
	lost=$(json "int(job['events'][$1]['lost_steps'])")
	((lost >= logged - 1 && lost <= logged + 1)) ||
		fail "lost $lost, and the log has $logged: $(cat "$d/goodput")"
	[ "$(json "abs(job['events'][$1]['parts']['lost_s'] - $lost / 8) < 1.5")" = \
		True ] || fail "lost $lost steps: $(cat "$d/goodput")"
}

# The elements of an array are jobs of their own, with a total
# long: tests/helpers/cli/report/test_goodput (several, refused); why.array
test_array() {
	write_program
	touch "$d/go"
	submit --array=1-2
	until_true 60 job_ended "$job" || fail "the job doesn't end"
	goodput "$job"
	[ "$(json 'sorted(j["job"] for j in o["jobs"])')" = \
		"['${job}_1', '${job}_2']" ] || fail "$(cat "$d/goodput")"
	goodput "${job}_2"
	[ "$(json '[j["job"] for j in o["jobs"]]')" = "['${job}_2']" ] ||
		fail "$(cat "$d/goodput")"
	# A job of which no step keeps a record
	try "$tool" goodput --record "$d" 999999
	[ "$rc" -eq 1 ] || fail "status $rc"
	one_line "no record of job 999999 in"
}
