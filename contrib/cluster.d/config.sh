# shellcheck shell=bash
# The configuration files of a test cluster. Sourced by contrib/cluster.
#
# Reads: state name slurm_version n_nodes naming configless use_cgroup npu
#        npu_gres auth private_tmp shards root
#        conf_lines topology_lines plugstack_lines
# shellcheck disable=SC2154 # they are set there

# The third byte of the addresses comes from the cluster's name, so that a
# log line tells which of two clusters it is from.
subnet() {
	local sum
	sum=$(printf %s "$name" | cksum)
	echo "10.77.$((${sum%% *} % 250 + 1))"
}

node_name() {
	case $naming in
	plain) echo "node$1" ;;
	odd) echo "n$1" ;;
	esac
}

host_name() {
	case $naming in
	plain) echo "node$1" ;;
	odd) echo "host-a$1" ;;
	esac
}

node_addr() {
	echo "$(subnet).$(($1 + 10))"
}

# version_at_least 24.11: is the Slurm that runs that new?
version_at_least() {
	[ "$(printf '%s\n' "$1" "$slurm_version" | sort -V | head -n 1)" = "$1" ]
}

# An A3 node has two dies on each of its cards
npu_count() {
	if [ "$npu" = a3 ]; then echo 16; else echo 8; fi
}

# of_shards TEXT: where GPUs have parts
of_shards() {
	[ "$shards" -eq 0 ] || echo "$1"
}

node_gres() {
	if [ "$npu_gres" = gpu ]; then
		echo "gpu:ascend:$(npu_count)"
	else
		echo "gpu:8,npu:$(npu_count)$(of_shards ",shard:$((8 * shards))")"
	fi
}

# slurmctld sends files that have their usual place alone
plugstack_or_configless() {
	if [ "$configless" = yes ]; then
		echo SlurmctldParameters=enable_configless
	else
		echo "PlugStackConfig=$state/etc/plugstack.conf"
	fi
}

# Configless, slurmd puts what it gets there before it knows its name
spool_dir() {
	if [ "$configless" = yes ]; then
		echo /var/spool/slurmd
	else
		echo "$state/spool/%n"
	fi
}

private_tmp_type() {
	[ "$private_tmp" = yes ] || return 0
	echo PrologFlags=Contain
	if version_at_least 26.05; then
		echo NamespaceType=namespace/linux
	else
		echo JobContainerType=job_container/tmpfs
	fi
}

# Of each node: /var/spool is its own
write_private_tmp_conf() {
	local base=/var/spool/private

	if version_at_least 26.05; then
		printf '%s\n' defaults: '  auto_base_path: true' \
			"  base_path: $base" > "$state/etc/namespace.yaml"
	else
		printf '%s\n' AutoBasePath=true "BasePath=$base" \
			> "$state/etc/job_container.conf"
	fi
}

write_slurm_conf() {
	local proctrack=proctrack/linuxproc task=task/none several='' i

	# Of a job's parts of GPUs, all on a node had to be one GPU's before
	! version_at_least 23.11 || several=,MULTIPLE_SHARING_GRES_PJ

	if [ "$use_cgroup" = yes ]; then
		proctrack=proctrack/cgroup
		task=task/cgroup
	fi
	cat <<-END
	ClusterName=$name
	SlurmctldHost=$([ "$naming" = odd ] && echo "login($(subnet).1)" || echo login)
	SlurmUser=root
	AuthType=auth/$auth
	CredType=cred/$auth
	ProctrackType=$proctrack
	TaskPlugin=$task
	MpiDefault=none
	MpiParams=ports=21000-21999
	GresTypes=gpu,npu$(of_shards ,shard)
	SelectType=select/cons_tres
	SelectTypeParameters=CR_Core$(of_shards "$several")
	ReturnToService=2
	JobRequeue=1
	MailProg=/bin/true
	PropagateResourceLimitsExcept=MEMLOCK
	$(plugstack_or_configless)
	$(private_tmp_type)

	# Quick starts and quick ends
	SchedulerParameters=batch_sched_delay=0,sched_interval=1,bf_interval=1
	InactiveLimit=0
	KillWait=5
	MessageTimeout=20

	# /run belongs to each node alone, the state folder to all
	SlurmctldPidFile=/run/slurmctld.pid
	SlurmdPidFile=/run/slurmd.pid
	StateSaveLocation=$state/spool/slurmctld
	SlurmdSpoolDir=$(spool_dir)
	SlurmctldLogFile=$state/log/slurmctld.log
	SlurmdLogFile=$state/log/slurmd.%n.log
	SlurmctldDebug=info
	SlurmdDebug=info

	# Nodes larger than the machine: no task is ever short of a CPU
	SlurmdParameters=config_overrides
	NodeName=DEFAULT CPUs=16 SocketsPerBoard=2 CoresPerSocket=8 RealMemory=64000 Gres=$(node_gres) State=UNKNOWN
	END
	if [ "$naming" = odd ]; then
		for ((i = 1; i <= n_nodes; i++)); do
			echo "NodeName=$(node_name "$i")" \
				"NodeHostname=$(host_name "$i")" \
				"NodeAddr=$(node_addr "$i")"
		done
	else
		echo "NodeName=node[1-$n_nodes]"
	fi
	echo "PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE OverSubscribe=YES State=UP"
	[ ${#conf_lines[@]} -eq 0 ] || printf '%s\n' "${conf_lines[@]}"
	case ${topology_lines[*]-} in
	'' | ---*) ;; # topology.yaml names its plugins
	Ring*) echo "TopologyPlugin=topology/ring" ;;
	Block*) echo "TopologyPlugin=topology/block" ;;
	*) echo "TopologyPlugin=topology/tree" ;;
	esac
}

write_cgroup_conf() {
	# slurmd reads this file even if nothing uses cgroups. "disabled" came
	# with 24.11; before that, v1 is the plugin whose start touches no file.
	if [ "$use_cgroup" = yes ]; then
		echo "CgroupPlugin=cgroup/v1"
		echo "ConstrainDevices=yes"
		echo "ConstrainCores=no"
	elif version_at_least 24.11; then
		echo "CgroupPlugin=disabled"
	else
		echo "CgroupPlugin=cgroup/v1"
	fi
}

write_gres_conf() {
	local files="/dev/davinci[0-$(($(npu_count) - 1))]"

	if [ "$npu_gres" = gpu ]; then
		echo "Name=gpu Type=ascend File=$files Flags=no_gpu_env"
		return
	fi
	echo "Name=gpu File=/dev/nvidia[0-7]"
	echo "Name=npu File=$files"
	of_shards "Name=shard Count=$((8 * shards))"
}

# Written under a temporary name: srun and slurmstepd read it at each step,
# also while `cluster plugstack` replaces it.
write_plugstack_conf() {
	{
		echo "# Replaced by: cluster plugstack 'LINE'..."
		[ $# -eq 0 ] || printf '%s\n' "$@"
	} > "$state/etc/plugstack.conf.new"
	mv "$state/etc/plugstack.conf.new" "$state/etc/plugstack.conf"
}

# One hosts file per host. plain: every name is in it. odd: what a Debian
# host without a name server knows, itself at a loopback address.
write_hosts() {
	local i

	if [ "$naming" = odd ]; then
		write_odd_hosts login login
		for ((i = 1; i <= n_nodes; i++)); do
			write_odd_hosts "$(node_name "$i")" "$(host_name "$i")"
		done
		return
	fi
	{
		echo "127.0.0.1 localhost"
		echo "$(subnet).1 login"
		for ((i = 1; i <= n_nodes; i++)); do
			echo "$(node_addr "$i") $(host_name "$i")"
		done
	} > "$state/hosts/login"
	for ((i = 1; i <= n_nodes; i++)); do
		cp "$state/hosts/login" "$state/hosts/$(node_name "$i")"
	done
}

write_odd_hosts() {
	printf '%s\n' "127.0.0.1 localhost" "127.0.1.1 $2" > "$state/hosts/$1"
}

# The machine's accounts and two users, whatever else had their names or ids.
write_accounts() {
	{
		awk -F: '$1 != "alice" && $1 != "bob" &&
			$3 != 10001 && $3 != 10002' "$root/etc/passwd"
		echo "alice:*:10001:10001:Alice:/home/alice:/bin/bash"
		echo "bob:*:10002:10002:Bob:/home/bob:/bin/bash"
	} > "$state/passwd"
	{
		awk -F: '$1 != "alice" && $1 != "bob" &&
			$3 != 10001 && $3 != 10002' "$root/etc/group"
		echo "alice:x:10001:"
		echo "bob:x:10002:"
	} > "$state/group"
}

# A name that nobody knows fails at once instead of after 10 s.
write_resolver() {
	printf '%s: files\n' passwd group shadow hosts networks protocols \
		services > "$state/nsswitch.conf"
	echo "options timeout:1 attempts:1" > "$state/resolv.conf"
}

# Slurm 25.05 reads topology.yaml, too, and torus3d from nothing else
write_topology() {
	local file=topology.conf

	[ ${#topology_lines[@]} -gt 0 ] || return 0
	[[ ${topology_lines[0]} != ---* ]] || file=topology.yaml
	printf '%s\n' "${topology_lines[@]}" > "$state/etc/$file"
}

write_config() {
	(
		umask 022
		mkdir "$state"/{etc,hosts,log,spool,spool/slurmctld,tmp,mnt}
		write_slurm_conf > "$state/etc/slurm.conf"
		write_cgroup_conf > "$state/etc/cgroup.conf"
		write_gres_conf > "$state/etc/gres.conf"
		[ "$private_tmp" = no ] || write_private_tmp_conf
		write_topology
		write_plugstack_conf ${plugstack_lines[@]+"${plugstack_lines[@]}"}
		write_hosts
		write_accounts
		write_resolver
		umask 077
		head -c 1024 /dev/urandom > "$state/etc/$auth.key"
		chmod 0400 "$state/etc/$auth.key"
	)
}
