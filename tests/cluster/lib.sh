# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# What the cases have in common. Sourced by tests/cluster/run.
# shellcheck disable=SC2034,SC2154 # shared with it and with the cases

PYTHON=${PYTHON:-/usr/bin/python3}
plugin=		# the .so
launcher=	# its helper
plug_line=	# of plugstack.conf
work=		# a folder that all nodes of all clusters see
cluster=	# name of the one in use
etc=		# where its configuration is
seen=		# what comes before these paths here, outside of the nodes
bundle=		# of dist-train exec, or empty
wheel=		# the same for pip, or empty
sruns_path=	# PATH with another srun, or empty
counted=	# the cluster's control group, or empty
# How many times as long as on an idle machine all takes here: limits of real
# seconds, of a case and of what it gives the product, are multiplied by it
slow=1
defaults=	# keys of the option that a group has where it names none
workers=()	# processes that run groups of cases side by side
kept=${TMPDIR:-/tmp}/dist-train-suite.kept	# what --reuse leaves

die() {
	echo "tests/cluster/run: $*" >&2
	exit 2
}

# --- the outcome of a case --------------------------------------------------

fail() {
	printf '%s\n' "$*" | tee "$d/why"
	exit 1
}

skip() {
	printf '%s\n' "$*" | tee "$d/why"
	exit 77
}

# need_venv NAME: $venv is the python of contrib/venv's environment
need_venv() {
	[ -z "${CLUSTER_ROOT:-}" ] ||
		skip "the environment $1 is for another Debian than the nodes'"
	[ -n "${LONG:-}" ] || ! "$top/contrib/venv" --is-large "$1" ||
		skip "the environment $1 is large: for tests/run --long"
	venv=$("$top/contrib/venv" --quick "$1") ||
		skip "no environment $1: $(tail -n 1 "$d/log")"
}

need_pmix() {
	at srun --mpi=list 2>&1 | grep -qw pmix || skip "this Slurm has no PMIx"
}

# need_program NAME: on the nodes
need_program() {
	at sh -c "command -v $1" > /dev/null || skip "the nodes have no $1"
}

# need_stacks [NAME]...: $stacks is a folder with these tools of it, and no other
# program
need_stacks() {
	local name

	need_venv stacks
	stacks=$d/stacks
	mkdir -p "$stacks"
	for name; do
		ln -sf "${venv%/*}/$name" "$stacks/"
	done
}

# need_module NAME: of the nodes' Python
need_module() {
	[ -n "$(at "$PYTHON" -c "import importlib.util as u
print(u.find_spec('$1') and 1 or '')")" ] || skip "$PYTHON has no $1"
}

need_wheel() {
	[ -n "$wheel" ] || skip "no wheel: make wheel"
}

# make_env FOLDER: an environment that has only pip; another one's, since to install
# one takes four seconds of a processor
make_env() {
	need_venv wheel
	# shellcheck disable=SC2016 # of that shell
	at sh -ec 'tool=$1 folder=$2
		python3 -m venv --without-pip "$folder"
		printf "#!/bin/sh\nexec %s -m pip --python %s \"\$@\"\n" \
			"$tool" "$folder/bin/python" > "$folder/bin/pip"
		chmod +x "$folder/bin/pip"' - "$venv" "$1" ||
		fail "no environment"
}

need_mpi() {
	need_program mpirun.openmpi
	need_module mpi4py
}

# need_ring: $ring is tests/clients/ring.c, compiled once for all cases. Static: the
# nodes may have another libc, and no compiler.
need_ring() {
	local source=$top/tests/clients/ring.c

	ring=$work/ring
	(
		flock 9
		cmp -s "$source" "$ring.c" || {
			"${CC:-cc}" -O1 -D_GNU_SOURCE -static -o "$ring.new" \
				"$source" && mv "$ring.new" "$ring" &&
				cp "$source" "$ring.c"
		}
	) 9> "$ring.lock" || fail "can't compile ring"
}

# compile_mpi COMPILER: tests/clients/mpi_sum.c as $d/sum, with the nodes' MPI
compile_mpi() {
	need_program "$1"
	at "$1" -O1 -o "$d/sum" "$top/tests/clients/mpi_sum.c" ||
		fail "$1 failed"
}

# mpirun_on_all: Open MPI's, on the first node, starts two ranks on each
mpirun_on_all() {
	local node

	compile_mpi mpicc.openmpi
	try_mpi srun -N4 --dist-train=mpi,run-on=first,procs=2 \
		mpirun.openmpi "$d/sum"
	ranks_trained 8
	for node in $(nodes); do
		[ "$(grep -c "^trained .* node=$node$" "$d/out")" -eq 2 ] ||
			fail "not two ranks on $node"
	done
}

# compile_plugin NAME FILE: as $d/NAME.so, for the nodes' Slurm
compile_plugin() {
	at test -e /usr/include/slurm/spank.h || skip "no slurm/spank.h"
	need_program gcc
	at gcc -D_GNU_SOURCE -shared -fPIC -o "$d/$1.so" "$2" ||
		fail "can't compile $2"
}

# be_slow SECONDS: a plugin lets node2's tasks wait
be_slow() {
	printf '%s\n' '#include <slurm/spank.h>' '#include <string.h>' \
		'#include <unistd.h>' 'SPANK_PLUGIN(slow, 1)' \
		'int slurm_spank_task_init(spank_t sp, int c, char **v)' \
		'{ char n[64]; (void)sp; (void)c; (void)v;' \
		'if (!gethostname(n, 64) && !strcmp(n, "node2"))' \
		"sleep($1);" \
		'return 0; }' > "$d/slow.c"
	compile_plugin slow "$d/slow.c"
	plugstack "$plug_line" "required $d/slow.so"
	afterwards "plugstack '$plug_line'"
}

# ranks_trained N: all N ranks, each once, in the last output
ranks_trained() {
	[ "$rc" -eq 0 ] || fail "status $rc"
	[ "$(grep -o "^trained rank=[0-9]* world=$1 " "$d/out" |
		sort -u | wc -l)" -eq "$1" ] || fail "not $1 ranks have trained"
}

# --- the plugin and the clusters --------------------------------------------

find_plugin() {
	local fragment

	# Packages are installed in the nodes' root, and their prefix is /usr
	etc=$prefix/etc
	[ "$prefix" != /usr ] || etc=/etc seen=${CLUSTER_ROOT:-}
	fragment=$etc/dist-train/plugstack.conf
	if [ -e "$seen$fragment" ]; then
		plug_line="include $fragment"
		plugin=$(awk '$1 == "optional" || $1 == "required" {
			print $2; exit }' "$seen$fragment")
	else
		plugin=${PLUGIN:-$prefix/dist_train.so}
		plug_line="optional $plugin"
	fi
	[ -e "$seen$plugin" ] || die "no plugin: $seen$plugin"
	launcher=$(strings -n 8 "$seen$plugin" |
		grep -m 1 '^/.*/dist-train-launch$')
	[ -x "$seen$launcher" ] || die "no helper: '$seen$launcher'"
	bundle=$(find "$prefix" -maxdepth 1 -name '*-linux.tar.gz')
	wheel=$(find "$prefix" -maxdepth 1 -name "*_$(uname -m).whl")
}

# Clusters are files in `free` or, while cases run there, in `busy`
make_work() {
	if [ $reuse = yes ]; then
		work=$kept
		lock_kept
		[ "$(cat "$work/made_of" 2> /dev/null)" = "$(made_of)" ] ||
			end_kept
		mkdir -p "$work"
		made_of > "$work/made_of"
		# What a run that was killed has left may be in any state
		end_clusters "$work"/busy/*
		rm -rf "$work"/{case,queue,files.*,torch.*}
	else
		work=$(mktemp -d /tmp/dist-train-suite.XXXXXX)
	fi
	chmod 755 "$work"
	# Another run's tests/traces sees by it whose folder this is
	exec 7< "$work"
	mkdir -p "$work/free" "$work/busy"
	: > "$work/results"
}

# What a cluster that is taken over must have in common with a new one
made_of() {
	echo "$prefix, $plug_line, ${CLUSTER_ROOT:-/}, ${DIST_TRAIN_PYXIS:-}," \
		"${CLUSTER_AUTH:-}" \
		"$(chroot "${CLUSTER_ROOT:-/}" slurmd -V)"
	cat "$top"/contrib/cluster "$top"/contrib/cluster.d/* 2> /dev/null |
		cksum
}

# One run at a time
lock_kept() {
	exec 8> "$kept.lock"
	flock -n 8 || die "another run with --reuse is under way"
}

end_kept() {
	end_clusters "$kept"/{free,busy}/*
	rm -rf "$kept"
}

on_cluster() {
	DIST_TRAIN_CLUSTER=$cluster "$top/contrib/cluster" "$@"
}

# --- what a cluster takes of the processors ------------------------------------

# count_in FOLDER: this process, and the cluster that it starts, in a control
# group of the cluster's name, where the kernel counts for both
count_in() {
	local top

	top=$(findmnt -n -f -t cgroup2 -o TARGET) || return 0
	counted=$top/dist-train-${1:-}
	[ -n "${1:-}" ] || counted=$top
	mkdir -p "$counted" && echo "$BASHPID" > "$counted/cgroup.procs" ||
		counted=
} 2> /dev/null

# In milliseconds since the cluster's start; 0 where the kernel doesn't count
processor_ms() {
	awk '$1 == "usage_usec" { ms = $2 / 1000 } END { printf "%d", ms }' \
		"${counted:-/nonexistent}/cpu.stat" 2> /dev/null || echo 0
}

# take_cluster KIND: one that is free and works, or a new one
take_cluster() {
	local file

	sruns_path=
	[[ $1 != exec* ]] ||
		sruns_path=$here/exec:/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin
	for file in "$work/free"/*-"$1"; do
		cluster=${file##*/}
		mv "$file" "$work/busy" 2> /dev/null || continue
		count_in "$cluster"
		if works; then
			use_cluster
			return
		fi
		end_cluster "$cluster"
	done
	start_cluster "$1" || {
		count_in
		until_gone "$counted/dist-train-$cluster"
		return 1
	}
	use_cluster
}

use_cluster() {
	[ -e "$work/slow" ] || measure_slow
	remember_files
}

works() {
	{ without_plugin || on_cluster plugstack "$plug_line"; } &&
		user=alice dir=/tmp limit=20 at srun -N4 --immediate=10 true
} > /dev/null 2>&1

# Whether the cluster is one for dist-train exec
without_plugin() {
	[[ $cluster = *-exec* ]]
}

start_cluster() {
	local options=(--share "$work") conf

	[ "$prefix" = /usr ] || options+=(--share "$prefix")
	# Nodes don't see all folders of this machine
	[ -z "${DIST_TRAIN_PYXIS:-}" ] ||
		options+=(--share "$(readlink -m "$DIST_TRAIN_PYXIS")")
	cluster=$(basename "$(mktemp --suffix="-$1" "$work/busy/suite-XXXXXX")")
	count_in "$cluster"
	[ -z "${CLUSTER_ROOT:-}" ] ||
		options+=(--root "$CLUSTER_ROOT")
	[ -z "${CLUSTER_AUTH:-}" ] || options+=(--auth "$CLUSTER_AUTH")
	without_plugin || options+=(--plugstack "$plug_line")
	case $1 in
	execnpu) options+=(--npu) ;;
	odd) options+=(--naming odd) ;;
	six) options+=(6) ;;
	cgroup) options+=(--cgroup) ;;
	configless) options+=(--configless) ;;
	interactive)
		options+=(--conf LaunchParameters=use_interactive_step)
		;;
	npu) options+=(--npu) ;;
	private) options+=(--npu --private-tmp) ;;
	superpod) options+=(--npu=a3) ;;
	tree) tree_options ;;
	block) block_options || return ;;
	ring) ring_options || return ;;
	torus) torus_options || return ;;
	shards) options+=(--shards 4) ;;
	auth) auth_options || return ;;
	sackd) auth_options && options+=(--configless) || return ;;
	stepmgr) stepmgr_options || return ;;
	treenpu) tree_options && options+=(--npu) ;;
	preempt) preempt_options ;;
	npugpu) options+=(--npu --npu-gres gpu) ;;
	npucgroup) options+=(--npu --npu-gres gpu --cgroup) ;;
	esac
	on_cluster up "${options[@]}" > "$work/up.$cluster" 2>&1 || {
		rm "$work/busy/$cluster"
		return 1
	}
	[ "$1" != selfloop ] || make_selfloop
	! without_plugin || unpack_bundle
}

# measure_slow: once in a run, with all that runs beside it: three starts of
# Python and a step on four nodes take 0.4 s on two idle processors. It is the
# factor of every limit in real seconds.
measure_slow() {
	local start=${EPOCHREALTIME/./} tenths

	"$PYTHON" -c '' && "$PYTHON" -c '' && "$PYTHON" -c '' &&
		at srun -N4 true > /dev/null 2>&1
	tenths=$(((${EPOCHREALTIME/./} - start) / 100000))
	slow=$((tenths < 10 ? 1 : tenths < 80 ? (tenths + 4) / 5 : 16))
	echo $slow > "$work/slow.$BASHPID"
	mv "$work/slow.$BASHPID" "$work/slow"
}

# needs_plugin TYPE NAME: of Slurm's own
needs_plugin() {
	compgen -G "${CLUSTER_ROOT:-}/usr/lib*/*/slurm*/$1_$2.so" \
		> "$work/up.$cluster" || {
		echo "this Slurm has no $1/$2" > "$work/up.$cluster"
		rm "$work/busy/$cluster"
		return 1
	}
}

# The same with blocks, which Slurm has since 23.11
block_options() {
	needs_plugin topology block || return
	options+=(6)
	for conf in 'BlockName=b1 Nodes=node[1,3,5]' \
		'BlockName=b2 Nodes=node[2,4,6]' BlockSizes=3; do
		options+=(--topology "$conf")
	done
}

# A ring, which Slurm has since 26.05
ring_options() {
	needs_plugin topology ring || return
	options+=(--topology 'RingName=r1 Nodes=node[3,1,4,2]')
}

# A torus, which Slurm has since 26.05, and which topology.yaml alone can describe
torus_options() {
	needs_plugin topology torus3d || return
	options+=(--topology --- --topology '[{"topology": "t", "cluster_default": true,
		"torus3d": {"toruses": [{"name": "t1", "dims": {"x": 2, "y": 2, "z": 1},
		"nodes": "node[3,1,4,2]", "placements": [
		{"dims": {"x": 2, "y": 2, "z": 1}}, {"dims": {"x": 2, "y": 1, "z": 1}},
		{"dims": {"x": 1, "y": 1, "z": 1}}]}]}}]')
}

# Slurm vouches for users itself, which it can since 23.11; its tokens live 5 s
auth_options() {
	needs_plugin auth slurm || return
	options+=(--auth slurm --conf AuthInfo=ttl=5)
}

# Steps of a job are made by its stepmgr, which starts those of srun --async itself;
# since 26.05
stepmgr_options() {
	grep -q -- --async "${CLUSTER_ROOT:-}/usr/bin/srun" || {
		echo "this Slurm has no srun --async" > "$work/up.$cluster"
		rm "$work/busy/$cluster"
		return 1
	}
	options+=(--conf SlurmctldParameters=enable_stepmgr
		--conf PrologFlags=contain)
}

# Neighbours by number are on different switches
tree_options() {
	for conf in 'SwitchName=s1 Nodes=node[1,3]' \
		'SwitchName=s2 Nodes=node[2,4]' \
		'SwitchName=top Switches=s[1-2]'; do
		options+=(--topology "$conf")
	done
}

# Jobs of the partition urgent preempt those of the others, each in its way. A
# job that is requeued waits for the life of credentials.
preempt_options() {
	local more='MaxTime=INFINITE State=UP'

	for conf in AuthInfo=cred_expire=15 PreemptMode=REQUEUE \
		SlurmctldParameters=enable_expedited_requeue \
		PreemptType=preempt/partition_prio \
		"PartitionName=grace PreemptMode=CANCEL GraceTime=15 $more" \
		"PartitionName=requeue PreemptMode=REQUEUE $more" \
		"PartitionName=urgent PriorityTier=9 PreemptMode=OFF $more"; do
		[[ $conf != Part* ]] || conf+=' Nodes=ALL'
		options+=(--conf "$conf")
	done
}

# As alice does it, who has a home of her own on each node
unpack_bundle() {
	local node

	for node in login $(nodes); do
		dir=/home/alice node=$node at mkdir -p /home/alice
		if [ -z "$bundle" ] ||
			! dir=/home/alice node=$node at tar -xzf "$bundle"; then
			echo "no bundle on $node: make static-bundle" \
				>> "$work/up.$cluster"
			end_cluster "$cluster"
			return 1
		fi
	done
}

remember_files() {
	local node

	for node in login $(nodes); do
		list_files "$node" > "$work/files.$cluster.$node"
	done
}

# Every node finds its own name at a loopback address, as Debian's installer
# writes it; the other names as ever.
make_selfloop() {
	local node

	for node in $(nodes); do
		# shellcheck disable=SC2016
		on_cluster exec "$node" -- sh -c '
			all=$(grep -vw "$0" /etc/hosts)
			printf "%s\n127.0.1.1 %s\n" "$all" "$0" > /etc/hosts' \
			"$node" || die "can't write the hosts file of $node"
	done
}

nodes() {
	case $cluster in
	*-odd) echo n1 n2 n3 n4 ;;
	*-six | *-block) echo node1 node2 node3 node4 node5 node6 ;;
	*) echo node1 node2 node3 node4 ;;
	esac
}

plugstack() {
	on_cluster plugstack "$@" || fail "can't write plugstack.conf"
}

# end_clusters FILE...: of `free` or `busy`, all at a time
end_clusters() {
	local file pids=()

	for file; do
		[ -e "$file" ] || continue
		end_cluster "${file##*/}" &
		pids+=($!)
	done
	[ ${#pids[@]} -eq 0 ] || wait "${pids[@]}"
}

# until_gone GROUP: the kernel has it until the last process is reaped
until_gone() {
	local tries=50

	while [ -d "$1" ] && ! rmdir "$1" 2> /dev/null && ((tries--)); do
		sleep 0.1
	done
}

end_cluster() {
	count_in
	DIST_TRAIN_CLUSTER=$1 "$top/contrib/cluster" down > /dev/null 2>&1 ||
		echo "tests/cluster/run: can't end cluster $1" >&2
	rm -f "$work/busy/$1" "$work/free/$1"
	until_gone "$counted/dist-train-$1"
}

clean_all() {
	local worker

	trap '' INT TERM HUP
	for worker in ${workers[@]+"${workers[@]}"}; do
		kill -KILL -- "-$worker" && wait "$worker"
	done 2> /dev/null
	queue_close
	end_clusters "$work"/busy/*
	if [ $reuse = no ]; then
		end_clusters "$work"/free/*
		rm -rf "$work"
	fi
}

# --- running things ---------------------------------------------------------

# at COMMAND...: as $user on $node in $dir, for at most $limit * $slow seconds;
# never with the standard input of the suite, nor its locks: a daemon would keep
# them
at() {
	local state=/run/dist-train-cluster/$cluster

	"$state/enter" "$state" "${node:-login}" "${user:-alice}" "${dir:-/tmp}" \
		${sruns_path:+env "PATH=$sruns_path"} \
		${defaults:+env "SLURM_DIST_TRAIN_DEFAULTS=$defaults"} \
		timeout -k 5 $((${limit:-40} * slow)) "$@" \
		< /dev/null 7<&- 8>&-
}

# try COMMAND...: at, with $out, $err, $rc, $took (ms) of it. All is in the log.
try() {
	local start=${EPOCHREALTIME/./}

	printf '$'
	printf ' %.200s' "$@"
	echo
	at "$@" > "$d/out" 2> "$d/err"
	rc=$?
	took=$(((${EPOCHREALTIME/./} - start) / 1000))
	out=$(tr -d '\0' < "$d/out") err=$(tr -d '\0' < "$d/err")
	head -c 6000 "$d/out"
	head -c 3000 "$d/err" | cat -v | sed 's/^/! /'
	echo "-> $rc, $took ms"
	[ $rc -ne 124 ] || fail "no end within $((${limit:-40} * slow)) s: $*"
}

# within SECONDS: what was tried last took less than SECONDS * $slow. That is no
# measure: without what the case asserts, it would take much longer.
within() {
	[ "$took" -lt $(($1 * 1000 * slow)) ] ||
		fail "it took $took ms, over $(($1 * slow)) s"
}

# try_mpi COMMAND...: try, and skip the case where a fault of Open MPI's own has
# ended it, on a loaded machine with the plugin and without. Of 5.0: a rank's
# first message may reach another before that one's MPI_Init knows
# MPI_COMM_WORLD, in one of eight steps. Of 4.1: a rank calls no function, in 2
# of 124 steps of bare srun --mpi=pmix with five ranks on four nodes
try_mpi() {
	try "$@"
	! is_fault_of_ompi mca_pml_ob1_recv_frag_callback_match 5.0 ||
		skip 'Open MPI 5.0.x fault, ompi issue 12495'
	! is_fault_of_ompi 'Failing at address: (nil)' 4.1 ||
		skip 'Open MPI 4.1.x fault, a call of address 0'
}

# is_fault_of_ompi WORDS VERSION: does it say that, and is it that version? Not where
# it misses what it is told to start: that is ours
is_fault_of_ompi() {
	[ "$rc" -ne 0 ] && grep -qF "$1" "$d/out" "$d/err" &&
		! grep -q 'check that the path is correct' "$d/out" "$d/err" &&
		at mpirun.openmpi --version | grep -qF " $2."
}

# For cases that are about munged itself
need_munge() {
	[ "${CLUSTER_AUTH:-munge}" = munge ] || skip "no munged here"
}

# need_srun_option NAME: newer releases have it
need_srun_option() {
	# shellcheck disable=SC2016
	at sh -c 'grep -q -e "$0=" "$(command -v srun)"' "$1" ||
		skip "this Slurm has no srun $1"
}

# What srun says about waiting for nodes is none of ours.
ours() {
	grep '^dist-train: ' "$d/err" || true
}

# succeed COMMAND...: try, with status 0 and not a word from us
succeed() {
	try "$@"
	has_succeeded "$@"
}

succeed_mpi() {
	try_mpi "$@"
	has_succeeded "$@"
}

# Slurm 26.05 follows the topology itself, which order=topology says
# (order.who_orders)
has_succeeded() {
	local more

	[ "$rc" -eq 0 ] || fail "status $rc: $*"
	more=$(ours | grep -v '^dist-train: order=topology changes no rank: ')
	[ -z "$more" ] || fail "unexpected: $more"
}

# refuse REGEX COMMAND...: try, with another status and exactly one line
# of ours, which matches
refuse() {
	local regex=$1
	shift

	try "$@"
	[ "$rc" -ne 0 ] || fail "status 0, not a refusal: $*"
	one_line "$regex"
}

one_line() {
	[ "$(ours | wc -l)" -eq 1 ] || fail "not one line of ours: '$(ours)'"
	ours | grep -Eq -- "$1" || fail "the line isn't '$1': $(ours)"
}

# one_of_ours REGEX: one of our lines matches
one_of_ours() {
	ours | grep -Eq -- "$1" || fail "no line '$1' in: $(ours)"
}

# says REGEX: a line of the last output
says() {
	grep -Eq -- "$1" "$d/out" || fail "no line '$1' in the output"
}

says_not() {
	! grep -E -- "$1" "$d/out" || fail "a line '$1' in the output"
}

# with_rate: all lines between nodes have the same rate, whatever this machine
# can do beside
with_rate() {
	local node

	for node in $(nodes); do
		as_root "$node" 'tc qdisc add dev eth0 root tbf rate 400mbit \
			burst 256kb latency 50ms' || skip "no tc on the nodes"
		afterwards "as_root $node 'tc qdisc del dev eth0 root'"
	done
}

# until_true SECONDS COMMAND...: poll for SECONDS * $slow, with pauses twice as
# long as COMMAND takes, and a tenth of the time so far, up to half a second: it may
# be the start of a program on a node, and other cases need the processors
until_true() {
	local end=$((SECONDS + $1 * slow)) first=${EPOCHREALTIME/./} began now pause
	shift

	while began=${EPOCHREALTIME/./}; ! "$@"; do
		[ $SECONDS -lt $end ] || return 1
		now=${EPOCHREALTIME/./}
		pause=$(((now - first) / 10))
		pause=$(((pause < 500000 ? pause : 500000) + 2 * (now - began) +
			20000))
		printf -v pause '%d.%06d' $((pause / 1000000)) \
			$((pause % 1000000))
		read -rt "$pause" <> <(:) || :
	done
}

# background COMMAND...: at, to be ended with the case. Its PID is in $bg.
background() {
	local state=/run/dist-train-cluster/$cluster

	# Not what the one before has said, until this one begins
	: > "$d/bg.out"
	"$state/enter" "$state" "${node:-login}" "${user:-alice}" /tmp \
		${sruns_path:+env "PATH=$sruns_path"} \
		${defaults:+env "SLURM_DIST_TRAIN_DEFAULTS=$defaults"} \
		timeout -k 5 $((${limit:-40} * slow)) "$@" \
		< /dev/null > "$d/bg.out" 2>&1 &
	bg=$!
	echo "$bg" >> "$d/pids"
}

# clean_case: whatever a case has left running or changed. What has ended by itself
# isn't ended again: its number may be another program's by now.
clean_case() {
	local pid command running
	running=" $(jobs -pr | xargs) "

	if [ -e "$d/pids" ]; then
		while read -r pid; do
			[[ $running = *" $pid "* ]] || continue
			# A shell's command goes on without it
			pkill -P "$pid"
			kill "$pid" 2> /dev/null
			wait "$pid" 2> /dev/null
		done < "$d/pids"
	fi
	if [ -e "$d/undo" ]; then
		tac "$d/undo" | while read -r command; do
			eval "$command"
		done
	fi
	[ ! -e "$d/why" ] || end_jobs
}

# What a failed case has left must not make the next ones fail
end_jobs() {
	local job

	user=root at squeue -h -a -o %A | while read -r job; do
		user=root at scancel "$job"
	done
	all_idle 20 ||
		echo "the nodes aren't idle after the failed case"
}

# afterwards COMMAND: run it when the case ends, the last one first
afterwards() {
	echo "$*" >> "$d/undo"
}

# --- the stand-ins of an Ascend driver (contrib/cluster.d/npu) ---------------

# as_root NODE COMMAND: in its shell
as_root() {
	user=root node=$1 at sh -c "$2" || fail "on $1: $2"
}

# mode NODE FILE TEXT: how a stand-in behaves until the case ends
mode() {
	as_root "$1" "echo '$3' > /etc/npu-standin/$2"
	afterwards "as_root $1 'echo ok > /etc/npu-standin/$2'"
}

# --- batch jobs -------------------------------------------------------------

# batch [OPTION]... < SCRIPT: submit, wait for its end; output in $out
batch() {
	{
		echo '#!/bin/bash'
		cat
	} > "$d/job.sh"
	try sbatch --parsable -o "$d/job.%a" -e "$d/job.%a" "$@" "$d/job.sh"
	[ "$rc" -eq 0 ] || return 0
	job=$out
	until_true $((${limit:-0} > 60 ? limit : 60)) job_ended "$job" ||
		fail "job $job doesn't end"
	cat "$d"/job.[0-9]* > "$d/out"
	grep '^dist-train: ' "$d/out" > "$d/err"
	sed 's/^/| /' "$d/out"
	out=$(< "$d/out")
}

# ports_of JOB: where the launchers of its first step try to meet, in this order
# (core/facts/port.h; ports=20000-28999, without Slurm's own of MpiParams)
ports_of() {
	local k port n=0

	for ((k = $1 % 9000 * 61 % 9000 + 4500; n < 8; k += 17)); do
		port=$((20000 + k % 9000))
		((port >= 21000 && port <= 21999)) && continue
		echo "$port"
		n=$((n + 1))
	done
}

job_ended() {
	[ -z "$(user=root at squeue -h -j "$1" 2> /dev/null)" ]
}

# --- PyTorch ------------------------------------------------------------------

# What the nodes' torch is: none, no-libuv (some builds are without, and want
# that said), libuv. Asked once for each cluster; no answer isn't kept.
torch_kind() {
	local file=$work/torch.$cluster

	[ -s "$file" ] || at "$PYTHON" -c '
import importlib.util as u, sys
if not u.find_spec("torch"):
    print("none"); sys.exit()
import torch.distributed as d
try:
    d.TCPStore("127.0.0.1", 0, 1, True, wait_for_workers=False)
    print("libuv")
except RuntimeError as e:
    print("no-libuv" if "libuv" in str(e) else e)' > "$file"
	cat "$file"
}

# need_strace: or skip
need_strace() {
	[ -x "$(command -v strace)" ] || skip "no strace"
	user=root at strace -o /dev/null true || skip "strace may not trace"
}

# need_torch: or skip. $torch is the Python for it, with what it wants to be
# told; $reduce is the client's command line.
need_torch() {
	torch=$PYTHON
	case $(torch_kind) in
	none) skip "$PYTHON has no torch" ;;
	no-libuv) torch="/usr/bin/env USE_LIBUV=0 $PYTHON" ;;
	libuv) ;;
	'') fail "$PYTHON didn't say which torch it has" ;;
	*) fail "torch: $(torch_kind)" ;;
	esac
	reduce="$torch $top/tests/clients/allreduce.py"
}

# need_plain_torch: $torch is a Python with a stand-in for PyTorch, for what is to be
# seen in stacks and isn't PyTorch's own
need_plain_torch() {
	torch="/usr/bin/env PYTHONPATH=$top/tests/clients/plain/site-packages $PYTHON"
}

# PyTorch's own launcher
need_torchrun() {
	need_torch
	[ "$(torch_kind)" = libuv ] ||
		skip "this torch's torchrun asks for libuv, which it lacks"
}

# --- layouts ----------------------------------------------------------------

show=$here/show.sh

# layout N [task|device]: are the lines of show.sh in the last output those of
# a step of N processes?
layout() {
	grep '^show ' "$d/out" | awk -v n="$1" -v mode="${2:-task}" \
		-f "$here/layout.awk" > "$d/layout" 2>&1 ||
		fail "$(head -n 1 "$d/layout")"
}

# step N SRUN-ARGUMENT...: a ddp step that shows itself, and the check
step() {
	local n=$1
	shift

	succeed srun --dist-train=ddp "$@" "$show"
	layout "$n"
}

# --- afterwards -------------------------------------------------------------

list_files() {
	root "$1" find /tmp /dev/shm /home /run -xdev \
		-not -path '*/munge/*' -type f -not -name 'munge*' \
		-not -path '*/state/dist-train/*' \
		-not -path '/tmp/torchelastic_*' \
		-not -path '/tmp/pytorch-errorfile-*' \
		-not -name '_remote_module_non_scriptable*' -not -name '*.pid' 2> /dev/null |
		sort
}

list_processes() {
	root "$1" ps -eo args= |
		grep -E 'dist-train-launch|tests/c[l]|/ring |slurmstepd' |
		grep -v 'slurmd' || true
}

no_processes() {
	local node

	for node in $(nodes); do
		[ -z "$(list_processes "$node")" ] || return 1
	done
}

# all_idle SECONDS: wait for it, in one process there
all_idle() {
	user=root limit=$1 at sh -c 'until
		[ "$(sinfo -h -N -p all -o %T | grep -cx idle)" -eq "$0" ]
		do sleep 0.05; done' "$(nodes | wc -w)"
}

# is_requeued JOB: it waits for its next life, and no node ends its last one
is_requeued() {
	[ "$(at squeue -h -j "$1" -o '%T %r' 2> /dev/null)" = \
		'PENDING BeginTime' ]
}

# next_life JOB: Slurm would let it wait for two minutes, the case doesn't; but what
# begins in the second in which the life before has ended, slurmd refuses
next_life() {
	until_true 60 is_requeued "$1" ||
		fail "not requeued: $(root login scontrol show job "$1")"
	user=root at scontrol update "JobId=$1" StartTime=now+2 ||
		fail "job $1 can't begin"
}

# root NODE COMMAND...
root() {
	user=root node=$1 at "${@:2}"
}

# stop_slurmd NODE: running steps go on
# shellcheck disable=SC2016 # of that shell
stop_slurmd() {
	root "$1" sh -c 'pid=$(cat /run/slurmd.pid) && kill "$pid" &&
		while kill -0 "$pid" 2> /dev/null; do sleep 0.05; done' ||
		fail "slurmd of $1 stays"
}

# net NODE up|down: its network
net() {
	root "$1" ip link set eth0 "$2"
}

node_returns() {
	until_true 30 all_respond || fail "a node doesn't come back"
}

all_respond() {
	! root login sinfo -h -N -o %T | grep -Eq '\*|down|drain|unk'
}

# all_nodes_well: idle, and nobody complains of one. A node that didn't hear of a job's
# end, since its network was off, hears it a minute later: slurmctld's agent
# (RPC_RETRY_INTERVAL)
all_nodes_well() {
	local reasons

	all_idle 150 || {
		user=root at sinfo -N -o '%N %T'
		user=root at squeue -a
		fail "not all nodes are idle"
	}
	reasons=$(user=root at sinfo -h -R -o '%n %E')
	[ -z "$reasons" ] || fail "sinfo -R: $reasons"
}

# nothing_left: no job, no process, no file, no complaint about a node
nothing_left() {
	local node

	all_nodes_well
	until_true 10 no_processes || {
		for node in $(nodes); do
			list_processes "$node" | sed "s/^/$node: /"
		done
		fail "a process is left"
	}
	for node in $(nodes); do
		diff "$work/files.$cluster.$node" <(list_files "$node") ||
			fail "$node: other files than at first"
	done
}

# --- what each framework has to do ------------------------------------------

# steps_at_once A B BATCH-ARGUMENT...: two steps of a job at the same time, of
# these words for srun, end with 0; what they say is in $d/a and $d/b
steps_at_once() {
	batch "${@:3}" <<-END
	srun --overlap $1 > "$d/a" 2>&1 &
	srun --overlap $2 > "$d/b" 2>&1
	echo "b ended with \$?"
	wait \$!
	echo "a ended with \$?"
	END
	says '^a ended with 0$'
	says '^b ended with 0$'
}

# two_at_once FRAMEWORK WORDS REGEX: on the same two nodes; each rank of both says
# REGEX once
two_at_once() {
	steps_at_once "$2" "$2" -N2 -n2 --dist-train="$1"
	[ "$(cat "$d/a" "$d/b" | grep -c "$3")" -eq 4 ] ||
		fail "not two ranks twice: $(cat "$d/a" "$d/b")"
}

# rank_1_fails FRAMEWORK WORDS: with 7, where FAIL=1 says so
rank_1_fails() {
	# shellcheck disable=SC2086 # words they are
	try srun -N2 -n2 --dist-train="$1,grace=2" env FAIL=1 $2
	[ "$rc" -eq 7 ] || fail "status $rc"
	one_of_ours '^dist-train: rank 1 \(worker\) on node2, .*: exit code 7 '
}
