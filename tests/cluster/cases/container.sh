# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# Tasks in a container that pyxis, or its stand-in, enters: another root directory
# in a user namespace, without Slurm, Python, glibc or anything of ours, and over
# the task's environment the image's, with what enroot's hook for PyTorch adds.
# clusters: inside
# shellcheck disable=SC2016,SC2034,SC2154 # shared with lib.sh
# shellcheck source-path=SCRIPTDIR/.. source=../container.sh
. "$here/container.sh"

test_environment() {
	enter_behind
	inside 4 -N2 -n4 --dist-train=ddp
	inside 6 -N2 -n6 -m cyclic --dist-train=ddp
	inside 3 -N3 --dist-train=ddp --export=NONE
	# Nothing changes in a step without the option: the hook and pyxis decide
	succeed srun "${into[@]}" -n2 -w node1 /bin/sh -c \
		'echo "$RANK $WORLD_SIZE $MASTER_ADDR"'
	says "^0 2 node1$"
	says "^1 2 node1$"
}

# Not the step's: a choice of the image's stays; so does what the user has set
test_image_and_user() {
	enter_behind
	try env MASTER_PORT=12345 srun "${into[@]}" -n2 --dist-train=ddp,nic=off /bin/sh -c \
		'echo "$RANK $MASTER_PORT $OMP_NUM_THREADS $PYTORCH_VERSION"'
	one_line "^dist-train: your MASTER_PORT='12345' is kept"
	says '^0 12345 7 2\.6$'
	says '^1 12345 7 2\.6$'
	succeed srun "${into[@]}" -n2 --dist-train=ddp,overwrite=yes,nic=off /bin/sh -c \
		'echo "$RANK $OMP_NUM_THREADS"'
	says_not ' 7$'
}

# The first failure is named, and the program's exit code is the step's
fails_as_on_a_node() {
	try srun "${into[@]}" -N2 -w node1 --dist-train=ddp,procs=2,grace=0 \
		/bin/program 3
	[ "$rc" -eq 3 ] || fail "status $rc"
	grep -q '^dist-train: rank 1 (worker) on node1, .*: exit code 3 after .*(first failure)' \
		"$d/err" || fail "the first failure isn't named"
}

test_launcher() {
	enter_behind
	inside 4 -N2 --dist-train=ddp,procs=2
	inside 4 -N2 -n4 --dist-train=ddp,supervise=yes
	succeed srun "${into[@]}" -N2 --dist-train=ddp,procs=2 /bin/program
	[ "$(grep -c '^libc=another rank=[0-3]$' "$d/out")" -eq 4 ] ||
		fail "not four programs of another libc"
	# The launchers of two nodes have the step's secret
	fails_as_on_a_node
	grep -q '^dist-train: 3 other processes were ended' "$d/err" ||
		fail "the others aren't counted"
}

# The program that takes reports isn't there; the file is
test_metrics_in_a_container() {
	enter_behind
	try srun "${into[@]}" -N1 --dist-train=ddp,procs=1,metrics=on /bin/sh -c '
		echo 5 > "$DIST_TRAIN_PROGRESS_FILE"
		read -r percent < "$DIST_TRAIN_PROGRESS_FILE"
		echo "file $percent ${KUBEFLOW_TRAINER_SERVER_URL-none}"'
	[ "$rc" -eq 0 ] || fail "status $rc"
	says '^file 5 none$'
	one_line 'metrics: no reports over HTTPS on node1 \(.*\); those in DIST_TRAIN_PROGRESS_FILE are taken'
}

test_restart_in_a_container() {
	enter_behind
	try srun "${into[@]}" -N2 --dist-train=ddp,procs=1,restarts=1,restart-on=any,grace=0 \
		/bin/sh -c '[ $DIST_TRAIN_RESTART = 1 ] || exit 5
			echo "round $DIST_TRAIN_RESTART rank $RANK"'
	[ "$rc" -eq 0 ] || fail "status $rc"
	says '^round 1 rank 0$'
	says '^round 1 rank 1$'
}

# Past what the container begins with, and with a stop file inside
test_end_signal_in_a_container() {
	enter_behind
	background srun -J "${d##*/}" "${into[@]}" -N2 \
		--dist-train=ddp,procs=2,end-signal=60 /bin/sh -c '
		trap "came=1" USR1
		echo "ready rank=$RANK"
		while [ -z "$came" ]; do sleep 0.1; done
		[ -e "$DIST_TRAIN_STOP_FILE" ] && echo "saved rank=$RANK"'
	afterwards "at scancel -n '${d##*/}'"
	until_true 20 eval '[ "$(grep -c "^ready " "$d/bg.out")" -eq 4 ]' ||
		fail "not four ranks are ready"
	at scancel --signal=TERM "$(at squeue -h -n "${d##*/}" -o %A).0"
	until_true 20 eval '[ "$(grep -c "^saved " "$d/bg.out")" -eq 4 ]' || {
		cat "$d/bg.out"
		fail "not four ranks have saved"
	}
}

# The launcher looks from inside; the image has no tool
test_stack_in_a_container() {
	enter_behind
	background srun -J "${d##*/}" "${into[@]}" -N2 \
		--dist-train=ddp,procs=2 /bin/sh -c 'sleep 300; :'
	afterwards "at scancel -n '${d##*/}'"
	until_true 20 stack_of_four || {
		cat "$d/bg.out" "$d/stack" "$d/stack.err"
		fail "no stack of four ranks"
	}
	grep -q '^note: .*no stack without eu-stack' "$d/stack" ||
		fail "it isn't said what is missing"
}

# The shell waits for sleep, which is the program
stack_of_four() {
	at sh -c '"$0" stack "$(squeue -h -n "$1" -o %A)" --all' \
		"$prefix/bin/dist-train" "${d##*/}" \
		> "$d/stack" 2> "$d/stack.err" &&
		grep -q '^4 ranks (0-3): in the kernel' "$d/stack" &&
		grep -q '^    rank 0, node[12], pid [0-9]*, sleep, by proc:$' \
			"$d/stack"
}

test_no_proc() {
	[ -z "$pyxis" ] || skip "enroot always mounts /proc"
	enter_behind noproc
	refuse "^dist-train: the launcher can't run in this container on node node1: the container has no /proc" \
		srun "${into[@]}" -w node1 --dist-train=ddp,procs=2 /bin/show
	succeed srun "${into[@]}" -w node1 -n2 --dist-train=ddp,nic=off \
		/bin/sh -c 'echo "rank $RANK"'
	says '^rank 1$'
}

# long: tests/spank/scenarios/container-launcher-missing; container.environment
# (task mode needs none)
test_static_launcher_missing() {
	enter_behind
	as_root node1 "mount -t tmpfs tmpfs $(dirname "$launcher")"
	afterwards "as_root node1 'umount $(dirname "$launcher")'"
	refuse "^dist-train: the launcher can't run in a container on node node1: there is no $launcher-static; install it" \
		srun "${into[@]}" -w node1 --dist-train=ddp,procs=2 /bin/show
	succeed srun "${into[@]}" -w node1 --dist-train=ddp,procs=task /bin/show
	layout 1
}

no_network='^dist-train: the container on node node[1-4] has no network but loopback, and the step has other nodes; leave out --container-unshare=net$'

# refused_everywhere SRUN-ARGUMENT...: before a process runs
refused_everywhere() {
	try srun "${into[@]}" -N2 "$@" /bin/show
	[ "$rc" -ne 0 ] || fail "not refused"
	one_of_ours "$no_network"
	says_not '^show '
}

test_no_network() {
	if [ -n "$pyxis" ]; then
		enter_behind
		into+=(--container-unshare=net)
	else
		enter_behind nonet
	fi
	refused_everywhere --dist-train=ddp
	refused_everywhere --dist-train=ddp,procs=2
	inside 2 -N1 --dist-train=ddp,procs=2
	within 4
	use_lines "$plug_line" "$other"
	refused_everywhere --dist-train=ddp
	refused_everywhere --dist-train=ddp,procs=2
	inside 2 -n2 --dist-train=ddp
}

# --- our line stands before that of the container's ---

test_before() {
	enter_before
	inside 4 -N2 -n4 --dist-train=ddp
	inside 6 -N2 -n6 -m cyclic --dist-train=ddp
	inside 3 -N3 --dist-train=ddp --export=NONE
	inside 4 -N2 --dist-train=ddp,procs=2
	inside 4 -N2 -n4 --dist-train=ddp,supervise=yes
	fails_as_on_a_node
	# A program that isn't there is said as Slurm says it
	try srun "${into[@]}" -n1 --dist-train=ddp nosuchprogram
	[ "$rc" -eq 2 ] || fail "status $rc"
	one_line '^dist-train: nosuchprogram: No such file or directory$'
}

# The other plugin enters nothing
test_no_container_before() {
	enter_before
	[ -n "$pyxis" ] || use_lines "$plug_line" "required $d/container.so"
	into=()
	step 4 -N2 -n4
	succeed srun "${into[@]}" -N2 --dist-train=ddp,procs=2 "$show"
	layout 4 device
	succeed srun "${into[@]}" -N2 --dist-train=ddp,procs=2 sh -c \
		'tr "\0" " " < /proc/$PPID/cmdline'
	says "^$launcher "
}

# --- Slurm's own containers ---

# oci: srun --container=$d/bundle uses a stand-in for a runtime, which starts
# the program as the bundle says. Slurm reads oci.conf beside slurm.conf.
oci() {
	local conf=/run/dist-train-cluster/$cluster/etc/oci.conf

	mkdir -p "$d/bundle/rootfs"
	cat > "$d/bundle/config.json" <<-'END'
	{"ociVersion": "1.0.0", "root": {"path": "rootfs"}, "process": {
	"user": {"uid": 0, "gid": 0}, "args": ["sh"], "cwd": "/", "env":
	["PATH=/usr/bin:/bin", "IMAGE=1"]}}
	END
	cat > "$d/runtime" <<-END
	#!$PYTHON
	import json, os, sys
	process = json.load(open(sys.argv[1] + "/config.json"))["process"]
	env = dict(pair.split("=", 1) for pair in process["env"])
	os.execvpe(process["args"][0], process["args"], env)
	END
	chmod 755 "$d/runtime"
	printf '%s\n' "RunTimeRun=\"$d/runtime %b\"" 'RunTimeQuery="true"' \
		'RunTimeKill="true"' 'RunTimeDelete="true"' > "$d/oci.conf"
	cp "$d/oci.conf" "$conf"
	afterwards "rm -f $conf"
	program='echo "image=$IMAGE rank=$RANK world=$WORLD_SIZE $MASTER_ADDR"'
	succeed srun -N2 "--container=$d/bundle" sh -c "$program"
	[ "$(grep -c '^image=1 rank= world= $' "$d/out")" -eq 2 ] ||
		fail "no container without the option"
}

# before_23_11: is the Slurm on the nodes older?
before_23_11() {
	[ "$(printf '%s\n' 23.11 "$(at srun -V | cut -d' ' -f2)" | sort -V |
		head -n 1)" != 23.11 ]
}

test_oci() {
	oci
	refuse "^dist-train: (the launcher can't run in an OCI container|srun --container: )" \
		srun -N1 "--container=$d/bundle" --dist-train=ddp,procs=2 true
	refuse "^dist-train: (the launcher can't run in an OCI container .*stage|srun --container: )" \
		srun -N1 "--container=$d/bundle" --dist-train=ddp,stage=/usr/share/python3 true
	if before_23_11; then
		refuse '^dist-train: srun --container: before version 23\.11 Slurm doesn.t pass' \
			srun -N1 "--container=$d/bundle" --dist-train=ddp \
			sh -c "$program"
		says_not '^image='
		return
	fi
	succeed srun -N2 -n3 "--container=$d/bundle" --dist-train=ddp \
		sh -c "$program"
	[ "$(grep -c '^image=1 rank=[0-2] world=3 10\.' "$d/out")" -eq 3 ] ||
		fail "not the step's values"
	[ "$(sort -u "$d/out" | wc -l)" -eq 3 ] || fail "not three ranks"
	# What the bundle says is the user's word
	sed -i 's/"IMAGE=1"/&, "RANK=7"/' "$d/bundle/config.json"
	refuse "^dist-train: your RANK='7', but the step has '0'" \
		srun -N1 "--container=$d/bundle" --dist-train=ddp sh -c "$program"
}

# Since 26.11 a plugin of Slurm's own starts the tasks; two come with it
test_runtime() {
	need_srun_option --runtime
	step 4 -N2 -n4 --runtime=none
	succeed srun -N2 --runtime=none --dist-train=ddp,procs=2 "$show"
	layout 4 device
	oci
	succeed srun -N2 --runtime=oci --dist-train=ddp,procs=2 "$show"
	layout 4 device
	succeed srun -N2 -n3 --runtime=none "--container=$d/bundle" \
		--dist-train=ddp sh -c "$program"
	[ "$(grep -c '^image= rank=[0-2] world=3 10\.' "$d/out")" -eq 3 ] ||
		fail "--runtime=none doesn't ignore the container"
	succeed srun -N2 -n3 --runtime=oci "--container=$d/bundle" \
		--dist-train=ddp sh -c "$program"
	[ "$(grep -c '^image=1 rank=[0-2] world=3 10\.' "$d/out")" -eq 3 ] ||
		fail "not the step's values"
	refuse "^dist-train: the launcher can't run in an OCI container" \
		srun -N1 --runtime=oci "--container=$d/bundle" \
		--dist-train=ddp,procs=2 true
}
