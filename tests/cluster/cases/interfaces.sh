# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# The key nic on nodes with several interfaces. Each node has a bridge docker0
# with the same address and veth with link-local ones; these cases add rails.
# clusters: plain
# shellcheck disable=SC2016,SC2034,SC2154 # shared with lib.sh

limit=90
show_nic='echo "one=$GLOO_SOCKET_IFNAME,$TP_SOCKET_IFNAME hccl=$HCCL_SOCKET_IFNAME nccl=$NCCL_SOCKET_IFNAME"'
show_mpi='echo "btl=$OMPI_MCA_btl_tcp_if_include oob=$OMPI_MCA_oob_tcp_if_include ucx=$UCX_NET_DEVICES fi=$FI_TCP_IFACE"'
nccl="$top/tests/clients/nccl_order.py"

# rail NAME SUBNET: one more network between the nodes, which leads to them all
rail() {
	local node i=0

	for node in $(nodes); do
		i=$((i + 1))
		as_root "$node" "ip link add link eth0 name $1 type macvlan \
			mode bridge && ip addr add $2.$i/24 dev $1 &&
			ip link set $1 up"
		afterwards "as_root $node 'ip link del $1'"
	done
}

# dead NAME ADDRESS: an interface without anybody behind it
dead() {
	local node

	for node in $(nodes); do
		as_root "$node" "ip link add $1 type veth peer name peer0 &&
			ip link set peer0 up && ip addr add $2 dev $1 &&
			ip link set $1 up"
		afterwards "as_root $node 'ip link del $1'"
	done
}

# two_say REGEX: both ranks
two_say() {
	[ "$(grep -cE -- "$1" "$d/out")" -eq 2 ] || fail "not '$1' twice"
}

# Only one interface has others behind it
test_one_rail() {
	local i

	for i in no yes; do
		succeed srun -N2 --dist-train=ddp,supervise=$i sh -c "$show_nic"
		two_say '^one=eth0,eth0 hccl==eth0 nccl==eth0$'
	done
	succeed srun -N2 --dist-train=ddp,nic=all sh -c "$show_nic"
	two_say '^one=eth0,eth0 hccl==eth0 nccl=$'
	succeed srun -N1 -n2 --dist-train=ddp sh -c "$show_nic"
	two_say '^one=lo,lo hccl==lo nccl=$'
	succeed srun -N2 --dist-train=ddp,explain=only true
	says 'NCCL_SOCKET_IFNAME .* =eth0 .*without interfaces that'
	refuse "nic=eth9: node node1 has no such interface .*; it has .*eth0" \
		srun -N1 --dist-train=ddp,nic=eth9 true
}

# NCCL's first group is ib; all of it leads, so that it keeps its choice
test_rails() {
	rail ib0 10.98.0
	rail ib1 10.98.1
	succeed srun -N2 --dist-train=ddp sh -c "$show_nic"
	two_say '^one=eth0,eth0 hccl==eth0 nccl=$'
	succeed srun -N2 --dist-train=ddp,explain=only true
	says 'NCCL_SOCKET_IFNAME .*unset.* not set: the library.s own choice$'
	succeed srun -N2 --dist-train=ddp python3 "$nccl"
	two_say ' by ib0,ib1: all reached$'
	need_pmix
	succeed srun -N2 --dist-train=mpi,supervise=yes sh -c "$show_mpi"
	two_say '^btl=eth0,ib0,ib1 oob=eth0 ucx=eth0,ib0,ib1 fi=eth0$'
}

# A rail without an address of its own, and rails whose list is the user's
# long: tests/core/plan/test_nic: automatic, the_key; as rails
test_rail_without_address() {
	rail ib0 10.98.0
	dead ib1 169.254.7.7/16
	succeed srun -N2 --dist-train=ddp sh -c "$show_nic"
	two_say '^one=eth0,eth0 hccl==eth0 nccl==ib0$'
	succeed srun -N2 --dist-train=ddp,nic=ib9,ib0,label=no sh -c "$show_nic"
	two_say '^one=ib0,ib0 hccl==ib9,ib0 nccl==ib9,ib0$'
	succeed srun -N2 --dist-train=ddp python3 "$nccl"
	two_say ' by ib0: all reached$'
	succeed srun -N2 --dist-train=ddp,nic=off python3 "$nccl"
	two_say ' by ib0,ib1: not reached: '
}

# long: tests/core/plan/test_nic: a docker network
test_docker_network() {
	local node

	for node in $(nodes); do
		as_root "$node" 'ip link add br-4711 type bridge &&
			ip link add veth8 type veth peer name veth9 &&
			ip link set veth8 master br-4711 up &&
			ip link set veth9 up && ip link set br-4711 up &&
			ip addr add 172.18.0.1/16 dev br-4711'
		afterwards "as_root $node 'ip link del br-4711; ip link del veth8'"
	done
	succeed srun -N2 --dist-train=ddp python3 "$nccl"
	two_say ' by eth0: all reached$'
	succeed srun -N2 --dist-train=ddp,nic=all python3 "$nccl"
	two_say ' by .*br-4711.*: not reached: '
}

# What NCCL reads in files is weaker than a variable
test_nccl_conf() {
	local file i node home=$d/home

	mkdir -p "$home"
	chmod 755 "$home"
	echo 'NCCL_SOCKET_IFNAME=ib' > "$home/.nccl.conf"
	echo 'NCCL_SOCKET_IFNAME=eth' > "$home/other"
	printf '# NCCL_SOCKET_IFNAME=x\nNCCL_DEBUG=WARN\n' > "$home/without"
	mkfifo "$home/fifo"
	for i in no yes; do
		succeed env HOME="$home" srun -N2 \
			--dist-train=ddp,supervise=$i sh -c "$show_nic"
		two_say '^one=eth0,eth0 hccl==eth0 nccl=$'
		for file in without fifo missing; do
			succeed env HOME="$home" NCCL_CONF_FILE="$home/$file" \
				srun -N2 --dist-train=ddp sh -c "$show_nic"
			two_say ' nccl==eth0$'
		done
	done
	succeed env NCCL_CONF_FILE="$home/other" \
		srun -N2 --dist-train=ddp,explain=only true
	says "NCCL_SOCKET_IFNAME .*unset.* $home/other\$"
	# A copy, because the nodes see this machine's folder
	for node in node1 node2; do
		as_root $node 'cp -a /etc /run/etc && echo \
			NCCL_SOCKET_IFNAME==bond0 > /run/etc/nccl.conf &&
			mount --bind /run/etc /etc'
		afterwards "as_root $node 'umount /etc; rm -r /run/etc'"
	done
	succeed srun -w node1,node2 --dist-train=ddp,procs=1 sh -c "$show_nic"
	two_say ' nccl=$'
	succeed srun -w node1,node2 --dist-train=ddp,nic=eth0 sh -c "$show_nic"
	two_say ' nccl==eth0$'
}

# shellcheck disable=SC2086 # $reduce is several words
# long: PyTorch trains three times; the variables are in rails and test_nic
# takes: 1
test_gloo() {
	local i

	need_torch
	rail ib0 10.98.0
	dead ib1 169.254.7.7/16
	for i in auto all ib9,ib0; do
		succeed srun -N2 --dist-train=ddp,nic=$i $reduce
		ranks_trained 2
	done
}

# long: mpi.* and tests/core/plan/test_nic
test_open_mpi() {
	local i

	need_pmix
	compile_mpi mpicc.openmpi
	rail ib0 10.98.0
	dead ib1 169.254.7.7/16
	for i in auto ib0,eth0; do
		succeed_mpi srun -N2 -n4 --dist-train=mpi,nic=$i "$d/sum"
		ranks_trained 4
	done
}

# MPICH over UCX's TCP
# long: mpi.* and tests/core/plan/test_nic
test_mpich() {
	compile_mpi mpicc.mpich
	rail ib0 10.98.0
	dead ib1 169.254.7.7/16
	succeed srun -N2 --mpi=pmi2 --dist-train=mpi "$d/sum"
	ranks_trained 2
}

test_site_default() {
	plugstack "optional $plugin nic=eth0,ib0 ${plug_args:-}"
	afterwards 'plugstack "$plug_line"'
	succeed srun -N2 --dist-train=ddp sh -c "$show_nic"
	two_say '^one=eth0,eth0 hccl==eth0,ib0 nccl==eth0,ib0$'
	succeed srun -N2 --dist-train=ddp,nic=auto sh -c "$show_nic"
	two_say ' nccl==eth0$'
}
