# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# What the user has set, what an outer step left, where the option may come
# from, which step it is.
# clusters: plain
# shellcheck disable=SC2016,SC2034,SC2154 # shared with lib.sh

env_option=SLURM_SPANK__SLURM_SPANK_OPTION_dist_train_dist_train
say_framework='echo "framework=${DIST_TRAIN_FRAMEWORK-unset}"'

# long: tests/spank/scenarios/users-value; tests/helpers/launch/test_launch
# (users_value); container.image_and_user (the line)
test_users_address_is_kept() {
	try env MASTER_ADDR=x srun -N2 -n4 --dist-train=ddp "$show"
	[ "$rc" -eq 0 ] || fail "status $rc"
	one_line "^dist-train: your MASTER_ADDR='x' is kept, but the step has '[0-9.]*' .*overwrite=yes"
	[ "$(grep -c ' MASTER_ADDR=x ' "$d/out")" -eq 4 ] || fail "not kept"
}

# long: tests/spank/scenarios/users-value
test_overwrite() {
	succeed env MASTER_ADDR=x RANK=7 \
		srun -N2 -n4 --dist-train=ddp,overwrite=yes "$show"
	layout 4
}

# Right for one rank, wrong for the others
# long: tests/spank/scenarios/users-rank
test_users_rank_zero() {
	refuse "^dist-train: your RANK='0', but the step has '[1-3]' \(SLURM_PROCID\); unset it" \
		env RANK=0 srun -N2 -n4 --dist-train=ddp "$show"
}

# long: tests/spank/scenarios/users-right-value
test_users_right_value_in_silence() {
	succeed env WORLD_SIZE=4 srun -N2 -n4 --dist-train=ddp "$show"
	layout 4
}

# long: tests/helpers/launch/test_launch: users_value
test_users_value_in_device_mode() {
	try env MASTER_ADDR=x srun -N2 --gres=gpu:2 --dist-train=ddp "$show"
	[ "$rc" -eq 0 ] || fail "status $rc"
	one_line "^dist-train: your MASTER_ADDR='x' is kept"
	[ "$(grep -c ' MASTER_ADDR=x ' "$d/out")" -eq 4 ] || fail "not kept"
}

# long: tests/spank/scenarios/users-value
test_users_interface_in_silence() {
	succeed env GLOO_SOCKET_IFNAME=docker0 \
		srun -N2 -n4 --dist-train=ddp "$show"
	[ "$(grep -c ' GLOO=docker0 NCCL==eth0 ' "$d/out")" -eq 4 ] ||
		fail "GLOO_SOCKET_IFNAME isn't the user's"
}

# long: tests/core/plan/test_nic: the_key; interfaces.site_default
test_nic() {
	succeed srun -N4 -n4 --dist-train=ddp,nic=off "$show"
	[ "$(grep -c ' GLOO= NCCL= ' "$d/out")" -eq 4 ] || fail "nic=off"
	succeed srun -N4 -n4 --dist-train=ddp,nic=docker0 "$show"
	[ "$(grep -c ' GLOO=docker0 NCCL==docker0 ' "$d/out")" -eq 4 ] ||
		fail "nic=docker0"
}

# long: tests/spank/scenarios/address-keys; tests/frameworks/ddp/addr-name,
# addr-nic
test_addr() {
	succeed srun -N2 -n2 --dist-train=ddp,addr=ip "$show"
	layout 2
	succeed srun -N2 -n2 --dist-train=ddp,addr=name "$show"
	[ "$(grep -c ' MASTER_ADDR=node1 ' "$d/out")" -eq 2 ] ||
		fail "addr=name"
	succeed srun -N1 -n2 --dist-train=ddp,addr=nic:eth0 "$show"
	says ' MASTER_ADDR=10\.77\.[0-9]*\.11 '
	refuse '^dist-train: addr=nic:eth9: node node1 has no address' \
		srun -N1 -n2 --dist-train=ddp,addr=nic:eth9 "$show"
}

# add_network: a second one between the nodes, on an interface that the login
# node hasn't
add_network() {
	local node i=0

	for node in $(nodes); do
		i=$((i + 1))
		as_root "$node" "ip link add link eth0 name fast0 type macvlan \
			mode bridge && ip addr add 10.99.0.$i/24 dev fast0 &&
			ip link set fast0 up"
		afterwards "as_root $node 'ip link del fast0'"
	done
}

# What only rank 0's node knows, in task mode and device mode
test_addr_of_an_interface() {
	add_network
	succeed srun -N3 -n5 --dist-train=ddp,addr=nic:fast0 "$show"
	[ "$(grep -c ' MASTER_ADDR=10\.99\.0\.1 .*GLOO=fast0 ' "$d/out")" -eq 5 ] ||
		fail "not the address of fast0 on node1"
	succeed srun -w node[2-3] --dist-train=ddp,procs=2,addr=nic:fast0 "$show"
	[ "$(grep -c ' MASTER_ADDR=10\.99\.0\.2 ' "$d/out")" -eq 4 ] ||
		fail "not the address of fast0 on node2"
	refuse '^dist-train: addr=nic:eth9: node node1 has no address' \
		srun -N2 -n2 --dist-train=ddp,addr=nic:eth9 "$show"
	says_not '^show'
	refuse 'supervise=no: addr=nic in a step of several nodes needs' srun -N2 \
		--dist-train=ddp,addr=nic:fast0,supervise=no "$show"
	refuse 'tf needs the addresses of all processes' srun -N2 \
		--dist-train=tf,addr=nic:fast0 "$show"
}

# shellcheck disable=SC2086 # $reduce is several words
# long: PyTorch trains; addr_of_an_interface has the address
# takes: 1
test_training_by_an_interface() {
	need_torch
	add_network
	succeed srun -N2 --dist-train=ddp,addr=nic:fast0 $reduce
	ranks_trained 2
}

# A step that a task starts is a step of its own
# long: environment.step_in_a_step_inherits_nothing;
# tests/spank/scenarios/stale-outer-step, option-of-outer-job
test_step_in_a_step() {
	succeed srun -N2 -n2 -c2 --dist-train=ddp sh -c '
		[ "$RANK" = 0 ] || exit 0
		srun --overlap -c1 -N2 -n4 --dist-train=ddp "$0"' "$show"
	layout 4
	succeed srun -N2 -n2 -c2 --dist-train=ddp sh -c '
		[ "$RANK" = 1 ] || exit 0
		srun --overlap -c1 -N2 -n4 -m cyclic --dist-train=env sh -c \
		"echo f=\$DIST_TRAIN_FRAMEWORK w=\$DIST_TRAIN_WORLD_SIZE \
		s=\$DIST_TRAIN_STEP"'
	[ "$(grep -c '^f=env w=4 s=[0-9]*\.1\.0$' "$d/out")" -eq 4 ] ||
		fail "the inner step has the outer one's values"
}

# The second number of DIST_TRAIN_STEP is the step
# long: tests/spank/scenarios/stale-outer-step; as step_in_a_step and requeue
test_step_number() {
	succeed salloc -Q -N2 bash -c \
		"for i in 1 2 3; do srun -n2 --dist-train=ddp $show; done"
	[ "$(sed -n 's/.* D_STEP=[0-9]*\.\([0-9.]*\) .*/\1/p' "$d/out" |
		sort -u | xargs)" = '0.0 1.0 2.0' ] || fail "DIST_TRAIN_STEP"
}

test_batch_inherits() {
	cat > "$d/script" <<-END
	srun sh -c '$say_framework'
	srun --dist-train=env sh -c '$say_framework'
	srun --dist-train=none sh -c '$say_framework'
	srun -N1 -n1 sh -c '$say_framework'
	$say_framework
	END
	batch -N2 -n2 --dist-train=ddp < "$d/script"
	sed -i '/^srun: /d' "$d/out" # of waiting for the step before
	[ "$(xargs < "$d/out")" = "framework=ddp framework=ddp framework=env \
framework=env framework=unset framework=unset framework=ddp \
framework=unset" ] || fail "srun's option doesn't win: $(xargs < "$d/out")"
}

# What an outer step's program had is no sign of the option
say_own='case ${DIST_TRAIN_STEP-} in
"$SLURM_JOB_ID.$SLURM_STEP_ID".*) echo "framework=$DIST_TRAIN_FRAMEWORK" ;;
*) echo framework=unset ;; esac'

# inner_job [LINE]: a script, and in $submit the command that runs it
inner_job() {
	printf '#!/bin/bash\n%s\nsrun -n1 sh -c '\''%s'\''\n' "${1-}" \
		"$say_own" > "$d/inner.sh"
	printf 'sbatch -Q --wait -N1 -n1 -o %s %s\ncat %s\n' "$d/inner" \
		"$d/inner.sh" "$d/inner" > "$d/submit"
	chmod 755 "$d/submit"
}

# A job that is submitted in one with the option: by its script, by a program of
# it, in a step without it, in salloc's shell, in a step there. It has what it asks
# for.
test_job_in_a_job() {
	local words

	inner_job
	batch -N1 -n1 --dist-train=ddp <<-END
	sh $d/submit
	srun sh $d/submit
	srun --dist-train=none sh $d/submit
	END
	[ "$(grep -c '^framework=unset$' "$d/out")" -eq 3 ] || fail "in a job"
	for words in '' srun; do
		# shellcheck disable=SC2086 # nothing or a word
		succeed salloc -Q -N1 -n1 --dist-train=ddp $words sh "$d/submit"
		says '^framework=unset$'
	done
	inner_job '#SBATCH --dist-train=env'
	batch -N1 -n1 --dist-train=ddp <<< "sh $d/submit"
	says '^framework=env$'
}

# An srun in a step that has inherited the option has it by its own words alone
test_step_in_a_step_inherits_nothing() {
	printf 'srun --overlap -n1 "$@" sh -c '\''%s'\''\n' "$say_own" \
		> "$d/step.sh"
	batch -N1 -n1 --dist-train=ddp <<-END
	srun sh $d/step.sh
	srun sh $d/step.sh --dist-train=env
	srun --dist-train=none sh $d/step.sh
	srun sh -c '$say_own'
	END
	sed -i '/^srun: /d' "$d/out"
	[ "$(xargs < "$d/out")" = "framework=unset framework=env \
framework=unset framework=ddp" ] || fail "$(xargs < "$d/out")"
}

# long: as precedence, which begins with it
test_batch_line() {
	batch -N2 -n4 <<-END
	#SBATCH --dist-train=ddp
	srun $show
	END
	layout 4
}

# script < environment < command line; a path keeps its comma in each of them
test_precedence() {
	printf '#SBATCH --dist-train=env,timeline=%s\nsrun -n1 sh -c '\''%s'\''\n' \
		"$d/t,,1" "$say_framework" > "$d/script"
	batch < "$d/script"
	says '^framework=env$'
	[ -s "$d/t,1" ] || fail "no $d/t,1"
	export_option=ddp batch_with_option < "$d/script"
	says '^framework=ddp$'
	batch --dist-train=torchrun < "$d/script"
	says '^framework=torchrun$'
	batch --dist-train=none < "$d/script"
	says '^framework=unset$'
	succeed env $env_option=env \
		srun -n1 --dist-train=ddp sh -c "$say_framework"
	says '^framework=ddp$'
}

batch_with_option() {
	{
		echo '#!/bin/bash'
		cat
	} > "$d/job.sh"
	try env "$env_option=$export_option" sbatch --parsable \
		-o "$d/job.4" "$d/job.sh"
	until_true 30 job_ended "$out" || fail "job $out doesn't end"
	cp "$d/job.4" "$d/out"
}

# long: interactive.shell, no_kill.salloc (last line)
test_salloc() {
	succeed salloc -Q -N2 -n4 --dist-train=ddp srun -n4 "$show"
	layout 4
	succeed salloc -Q -N2 -n4 --dist-train=ddp srun -n4 --dist-train=none \
		sh -c "$say_framework"
	says_not 'framework=ddp'
}

# long: tests/spank/scenarios/option-srun; as precedence
test_option_in_the_environment() {
	succeed env $env_option=ddp srun -N2 -n4 "$show"
	layout 4
	succeed env $env_option=ddp srun -n1 --dist-train=none \
		sh -c "$say_framework"
	says '^framework=unset$'
}

# long: examples.array (two elements train), why.array (each has its record, by
# that name)
test_array() {
	batch --array=1-3 -N2 -n4 --dist-train=ddp <<-END
	srun $show
	END
	cp "$d/out" "$d/all"
	[ "$(sed -n 's/.* D_STEP=\([0-9.]*\) .*/\1/p' "$d/all" | sort -u |
		wc -l)" -eq 3 ] || fail "DIST_TRAIN_STEP isn't one per task"
	for step in $(sed -n 's/.* D_STEP=\([0-9.]*\) .*/\1/p' "$d/all" |
		sort -u); do
		grep " D_STEP=$step " "$d/all" > "$d/out"
		layout 4
	done
}

# The last number of DIST_TRAIN_STEP is how often the job was requeued
# long: tests/core/facts/test_port (jobs_and_requeues_differ); goodput.lives
# (records of three requeues, by that name)
# takes: 0.25
test_requeue() {
	cat > "$d/job.sh" <<-END
	#!/bin/bash
	srun -n2 --dist-train=ddp,port=auto $show
	[ -n "\$SLURM_RESTART_COUNT" ] || { touch $d/first; exec sleep 60; }
	touch $d/second
	END
	try sbatch --parsable --requeue --open-mode=append -N1 -n2 \
		-o "$d/job.5" "$d/job.sh"
	until_true 20 test -e "$d/first" || fail "the job doesn't start"
	user=root at scontrol requeue "$out"
	next_life "$out"
	until_true 40 test -e "$d/second" || {
		user=root at scontrol show job "$out"
		fail "the job doesn't run again"
	}
	until_true 40 job_ended "$out" || fail "the job doesn't end"
	cp "$d/job.5" "$d/out"
	cat "$d/out"
	[ "$(sed -n "s/.* D_STEP=$out\.\([0-9.]*\) .*/\1/p" "$d/out" |
		sort -u | xargs)" = '0.0 0.1' ] || fail "DIST_TRAIN_STEP"
	[ "$(sed -n 's/.* MASTER_PORT=\([0-9]*\) .*/\1/p' "$d/out" |
		sort -u | wc -l)" -eq 2 ] || fail "the same port again"
}

# users_libraries FOLDER: an empty file for each library that our programs need
# beside libc's, as conda has some of them
users_libraries() {
	local program lib

	mkdir "$1"
	for program in "$prefix/bin/dist-train" \
		"$prefix"/libexec/slurm-dist-train/dist-train-{launch,kv,metrics}; do
		for lib in $(ldd "$program" | awk '$2 == "=>" {print $1}'); do
			case $lib in
			libc.*|libm.*|libdl.*|libpthread.*) ;;
			*) : > "$1/$lib" ;;
			esac
		done
	done
	[ -e "$1/libz.so.1" ] || fail "no libraries"
}

# Our programs start, and the user's finds his variable as it was: the launcher in
# both modes, the servers that it starts, the commands
test_users_libraries() {
	local own="LD_LIBRARY_PATH=$d/lib:/nowhere"

	[ "${CLUSTER_AUTH:-}" != slurm ] ||
		skip "Slurm's own auth_slurm.so needs some of these libraries"
	users_libraries "$d/lib"
	succeed env "$own" srun -N2 --dist-train=ddp,procs=2,metrics=on \
		sh -c 'echo "p=$LD_LIBRARY_PATH"'
	[ "$(grep -c "^p=$d/lib:/nowhere\$" "$d/out")" -eq 4 ] || fail "device mode"
	succeed env "$own" srun -n2 --dist-train=horovod,controller=gloo \
		sh -c 'echo "p=$LD_LIBRARY_PATH"'
	[ "$(grep -c "^p=$d/lib:/nowhere\$" "$d/out")" -eq 2 ] || fail "horovod"
	succeed env "$own" srun -N1 "$prefix/bin/dist-train" \
		exec ddp,procs=2 -- \
		sh -c 'echo "p=$LD_LIBRARY_PATH"'
	[ "$(grep -c "^p=$d/lib:/nowhere\$" "$d/out")" -eq 2 ] || fail "exec"
	succeed env "$own" "$prefix/bin/dist-train" frameworks
}

# As many lines about a missing library as without the option: srun's own, and
# one for each process of the user's
# shellcheck disable=SC2086 # $options are several words
test_users_preload() {
	local own=LD_PRELOAD=/nowhere/x.so options lines

	succeed env "$own" srun -n2 sh -c 'echo "p=$LD_PRELOAD"'
	lines=$(grep -c 'ld\.so:.*LD_PRELOAD' "$d/err")
	for options in '-n2 --dist-train=ddp,label=yes' \
		'-N1 --dist-train=ddp,procs=2,metrics=on' \
		'-n2 --dist-train=horovod,controller=gloo'; do
		succeed env "$own" srun $options sh -c 'echo "p=$LD_PRELOAD"'
		[ "$(grep -c 'p=/nowhere/x.so$' "$d/out")" -eq 2 ] ||
			fail "not given back: $options"
		[ "$(grep -c 'ld\.so:.*LD_PRELOAD' "$d/err")" -eq "$lines" ] ||
			fail "not $lines lines: $options"
	done
}
