# shellcheck shell=bash
# `cluster up`: the namespaces, the network between them, the waiting. Sourced by contrib/cluster.
# shellcheck disable=SC2034,SC2154 # the variables are shared with it

parse_up() {
	while [ $# -gt 0 ]; do
		case $1 in
		--plugin | --plugstack | --conf | --topology | --naming | \
			--auth | --share | --root | --npu-gres | --shards)
			[ $# -gt 1 ] || usage_error "$1 needs a value"
			parse_up_value "$1" "$2"
			shift
			;;
		--*=*)
			parse_up_value "${1%%=*}" "${1#*=}"
			;;
		--cgroup) use_cgroup=yes ;;
		--configless) configless=yes ;;
		--private-tmp) private_tmp=yes ;;
		--npu) npu=a2 ;;
		*[!0-9]* | '') usage_error "up: unknown argument '$1'" ;;
		*) n_nodes=$((10#$1)) ;;
		esac
		shift
	done
	((n_nodes >= 1 && n_nodes <= 128)) ||
		usage_error "up: NODES is 1 to 128, not '$n_nodes'"
}

parse_up_value() {
	case $1 in
	--plugin) plugstack_lines+=("required $(plugin_path "$2")") ;;
	--plugstack) plugstack_lines+=("$2") ;;
	--conf) conf_lines+=("$2") ;;
	--topology) topology_lines+=("$2") ;;
	--share) shares+=("$(shared_folder "$2")") ;;
	--root) root=$(shared_folder "$2") ;;
	--npu)
		case $2 in
		a2 | a3) npu=$2 ;;
		*) usage_error "--npu is a2 or a3, not '$2'" ;;
		esac
		;;
	--shards)
		case $2 in
		*[!0-9]* | '') usage_error "--shards is a number, not '$2'" ;;
		esac
		shards=$2
		;;
	--npu-gres)
		case $2 in
		npu | gpu) npu_gres=$2 ;;
		*) usage_error "--npu-gres is npu or gpu, not '$2'" ;;
		esac
		;;
	--auth)
		case $2 in
		munge | slurm) auth=$2 ;;
		*) usage_error "--auth is munge or slurm, not '$2'" ;;
		esac
		;;
	--naming)
		case $2 in
		plain | odd) naming=$2 ;;
		*) usage_error "--naming is plain or odd, not '$2'" ;;
		esac
		;;
	*) usage_error "up: unknown option '$1'" ;;
	esac
}

# A path from here means nothing in plugstack.conf; a bare name is that of a
# file in Slurm's PluginDir, and stays.
plugin_path() {
	local file=${1%% *}

	case $file in
	*/*) echo "$(readlink -m "$file")${1#"$file"}" ;;
	*) echo "$1" ;;
	esac
}

shared_folder() {
	[ -d "$1" ] || usage_error "'$1' is no folder"
	readlink -f "$1"
}

# A folder of this cluster in the hierarchies that Slurm uses. It is named
# after the state folder, which no other cluster has.
name_cgroup() {
	local sum

	[ "$use_cgroup" = yes ] || return 0
	sum=$(printf %s "$state" | cksum)
	cgroup_dir=dist-train-$name-${sum%% *}
}

make_cgroups() {
	local controller

	[ "$use_cgroup" = yes ] || return 0
	for controller in freezer devices; do
		mkdir "$cgroup_top/$controller/$cgroup_dir" 2> /dev/null ||
			die "--cgroup needs a writable cgroup v1 hierarchy at" \
				"$cgroup_top/$controller"
	done
}

# The nodes' own /tmp, /home and so on would hide a source tree below them,
# and another root file system has none.
add_source_tree() {
	local dir hidden=no
	dir=$(dirname "$here")

	case $dir/ in
	/home/* | /run/* | /tmp/* | /var/log/* | /var/spool/* | /var/tmp/*)
		hidden=yes
		;;
	esac
	if [ "$hidden" = yes ] || [ -n "$root" ]; then
		shares+=("$dir")
	fi
}

# The folder appears with its first contents in one step: of two `up` at the
# same time one succeeds, and the other one's PID is in it.
make_state() {
	local new=$state.new-$$

	mkdir -p "$(dirname "$state")"
	mkdir -m 0755 "$new" "$new/pids"
	: > "$new/dist-train-cluster"
	echo "$$ $(start_time $$)" > "$new/pids/up.pid"
	if ! mv -T "$new" "$state" 2> /dev/null; then
		rm -r "$new"
		[ ! -e "$state/dist-train-cluster" ] ||
			die "another 'cluster up' is starting it"
		die "$state is in the way: not empty, and not a cluster's"
	fi
	trap 'remove_all || true' EXIT
	trap 'exit 130' INT
	trap 'trap "" TERM; exit 143' TERM
	trap 'exit 129' HUP
	add_source_tree
	name_cgroup
	# Before the first thing outside the folder, for `down` to find it
	save_settings
	make_cgroups
	write_config
	# In the state folder, since a node may not see the source tree
	cp "$here/cluster.d/node" "$state/node"
	"${CC:-cc}" -O1 -o "$state/enter" "$here/cluster.d/enter.c" ||
		die "can't compile enter.c"
	copy_standins
}

# The driver's stand-ins, for nodes that may not see the source tree
copy_standins() {
	[ "$npu" != no ] || return 0
	cp -r "$here/cluster.d/npu" "$state/npu"
	"${CC:-cc}" -shared -fPIC -o "$state/npu/libdcmi.so" \
		"$state/npu/dcmi.c" -ldl || die "can't compile a stand-in"
}

# Linux 6.18 numbers namespaces for each processor apart, and where the job's has a
# lower number than the node's, Slurm's mount of it is refused as a circle: all on
# one processor
one_processor() {
	local list

	[ "$private_tmp" = yes ] || return 0
	list=$(awk '/^Cpus_allowed_list/ { print $2 }' /proc/self/status)
	echo taskset -c "${list%%[,-]*}"
}

# start_node NODENAME HOSTNAME
start_node() {
	local init=("$state/node" "$state" "$1" "$2") fd

	(
		# A caller's pipe that a daemon holds open never ends
		for fd in "/proc/$BASHPID/fd"/*; do
			fd=${fd##*/}
			[ "$fd" -le 2 ] || eval "exec $fd>&-"
		done
		cd /
		# shellcheck disable=SC2046 # words they are
		exec setsid $(one_processor) unshare --net --uts --ipc --mount --pid --fork \
			--kill-child --propagation private \
			env -i PATH="$PATH" LANG=C.UTF-8 \
			SLURM_CONF="$state/etc/slurm.conf" \
			bash "${init[@]}"
	) < /dev/null > "$state/log/$1.init.log" 2>&1 &
	echo "$! $(start_time $!)" > "$state/pids/$1.outer.pid"
	disown $!
}

# fail WHAT [NODE]...: the end of `up`, with the last lines of their logs
fail() {
	local node daemon

	echo "cluster $name: $1" >&2
	shift
	for node; do
		daemon=slurmd.$node
		[ "$node" != login ] || daemon=slurmctld
		show_log "$node.init.log" || true
		# Slurm's daemons start after munged
		show_log "$daemon.stderr.log" || show_log "munged.$node.log" ||
			true
	done
	exit 1
}

show_log() {
	[ -s "$state/log/$1" ] || return 1
	echo "--- the end of $1:" >&2
	tail -n 8 "$state/log/$1" >&2
}

# Fails if a node has ended
check_nodes() {
	local node

	for node in $(all_nodes); do
		live_pid "$state/pids/$node.outer.pid" > /dev/null ||
			fail "$node ended while starting" "$node"
	done
}

# until_or_fail WHAT COMMAND...: poll, for a minute and a second for each node
# from the start of `up`
until_or_fail() {
	local what=$1 limit=$((60 + n_nodes))
	shift

	until "$@"; do
		check_nodes
		((SECONDS < limit)) || fail "$what: not within $limit s" \
			login "$(node_name 1)"
		sleep 0.05
	done
}

all_recorded() {
	local node

	for node in $(all_nodes); do
		[ -e "$state/pids/$node.pid" ] || return 1
	done
}

nodes_idle() {
	local idle

	[ -e "$state/pids/controller" ] || return 1
	idle=$( (enter login root /tmp timeout 10 sinfo -h -N -p all -o %T) \
		2> /dev/null | grep -cx idle) || return 1
	[ "$idle" -eq "$n_nodes" ]
}

# ip_in NODE: run the commands of stdin in its network namespace. ip is this
# machine's, also with --root.
ip_in() {
	local pid

	pid=$(node_pid "$1") || fail "$1 ended while starting" "$1"
	nsenter --target "$pid" --net -- ip -batch - ||
		fail "can't make the network of $1" "$1"
}

# docker0 has the same address everywhere, and a carrier: whoever picks an
# interface by its order, or by being up, picks a useless one.
trap_interface() {
	cat <<-END
	link add name docker0 type bridge
	link add name veth0 type veth peer name veth1
	link set veth0 master docker0 up
	link set veth1 up
	addr add 172.17.0.1/16 dev docker0
	link set docker0 up
	link set lo up
	END
}

connect_nodes() {
	local i node

	{
		trap_interface
		echo "link add name cluster0 type bridge"
		echo "addr add $(subnet).1/24 dev cluster0"
		echo "link set cluster0 up"
		for ((i = 1; i <= n_nodes; i++)); do
			echo "link add name port$i type veth" \
				"peer name eth0 netns $(node_pid "$(node_name "$i")")"
			echo "link set port$i master cluster0 up"
		done
	} | ip_in login
	for ((i = 1; i <= n_nodes; i++)); do
		{
			trap_interface
			echo "addr add $(node_addr "$i")/24 dev eth0"
			echo "link set eth0 up"
		} | ip_in "$(node_name "$i")"
	done
	: > "$state/pids/network"
}

# already_up: true if there is nothing to do. The rest of a cluster that has
# ended (a reboot), or of an `up` that was killed, is in the way of none.
already_up() {
	local wanted=$n_nodes

	[ -e "$state/dist-train-cluster" ] || return 1
	if [ ! -e "$state/ready" ]; then
		! live_pid "$state/pids/up.pid" > /dev/null ||
			die "another 'cluster up' is starting it"
	fi
	if [ ! -e "$state/ready" ] || [ -z "$(live_records)" ]; then
		say "removing what one that has ended left"
		(load_cgroup_dir && remove_all) || exit 1
		return 1
	fi
	load_settings
	[ "$n_nodes" -eq "$wanted" ] ||
		die "is up with $n_nodes nodes, not $wanted: cluster down first"
	say "is already up, $n_nodes nodes"
}

cmd_up() {
	local i start=$EPOCHREALTIME

	parse_up "$@"
	check_machine
	! already_up || return 0
	make_state
	say "$n_nodes nodes, Slurm $slurm_version, in $state"
	start_node login login
	for ((i = 1; i <= n_nodes; i++)); do
		start_node "$(node_name "$i")" "$(host_name "$i")"
	done
	until_or_fail "the namespaces" all_recorded
	say "network"
	connect_nodes
	say "$([ "$auth" = slurm ] || echo "munged, ")slurmctld, slurmd"
	until_or_fail "all nodes idle" nodes_idle
	: > "$state/ready"
	check_nodes
	rm "$state/pids/up.pid"
	trap - EXIT INT TERM HUP
	say "ready after $(awk "BEGIN { printf \"%.1f\",
		$EPOCHREALTIME - $start }") s. Next:"
	echo "  $0 shell -u alice"
	echo "  $0 exec -u alice -- srun -N$n_nodes hostname"
	echo "  $0 down"
}
