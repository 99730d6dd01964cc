# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# The administrator's sets of variables.
# clusters: plain
# shellcheck disable=SC2016,SC2034,SC2154 # shared with lib.sh

# profiles NAME TEXT...: a folder of them in $d/profiles
profiles() {
	mkdir -p "$d/profiles"
	while [ $# -gt 0 ]; do
		printf '%b\n' "$2" > "$d/profiles/$1.conf"
		shift 2
	done
	chown -R 0:0 "$d/profiles"
	chmod -R u=rwX,go=rX "$d/profiles"
}

# configured ARG...: the plugin has them until the case ends
configured() {
	plugstack "optional $plugin profiledir=$d/profiles $*"
	afterwards "plugstack '$plug_line'"
}

show='echo "tc=$NCCL_IB_TC nic=$GLOO_SOCKET_IFNAME hca=$NCCL_IB_HCA $LD_LIBRARY_PATH"'

# long: tests/core/option/test_profile (strength, folders); profiles.features
# (the user's value, the launcher), profiles.shipped
test_strength() {
	profiles roce 'NCCL_IB_TC=106\nGLOO_SOCKET_IFNAME=bond7' \
		more '# later\nNCCL_IB_HCA=mlx5\nLD_LIBRARY_PATH+=/opt/x/lib'
	configured
	succeed srun -N2 --dist-train=ddp,profile=roce sh -c "$show"
	says '^tc=106 nic=bond7 hca= '
	succeed env LD_LIBRARY_PATH=/mine srun -N1 \
		--dist-train=ddp,profile=roce+more sh -c "$show"
	says '^tc=106 nic=bond7 hca=mlx5 /opt/x/lib:/mine$'
	succeed env NCCL_IB_TC=1 srun -N2 --dist-train=ddp,profile=roce,nic=eth0 \
		sh -c "$show"
	says '^tc=1 nic=eth0 hca= '
	succeed env LD_LIBRARY_PATH=/mine srun -N1 --dist-train=ddp,procs=2,profile=more \
		sh -c "$show"
	says '^tc= nic=.* hca=mlx5 /opt/x/lib:/mine$'
}

# long: tests/spank/scenarios/profile-partition; as strength
test_defaults() {
	local partition

	partition=$(user=root at sinfo -h -o %R | head -n 1)
	profiles here 'NCCL_IB_TC=5' there 'NCCL_IB_HCA=no' own 'NCCL_IB_TC=9'
	configured "profile=here@$partition" profile=there@nowhere
	succeed srun -N1 --dist-train=ddp sh -c "$show"
	says '^tc=5 nic=.* hca= $'
	succeed srun -N1 --dist-train=ddp,profile=own sh -c "$show"
	says '^tc=9 '
}

# features NODES LIST: until the case ends
features() {
	user=root at scontrol update "nodename=$1" "availablefeatures=$2" \
		"activefeatures=$2" || fail "no features for $1"
	afterwards "user=root at scontrol update nodename=$1" \
		"availablefeatures= activefeatures="
}

# Each node has the defaults of its own features, in the order of the arguments
test_features() {
	features 'node[1-2]' 'big,ib'
	features node4 iberia
	profiles ib 'NCCL_IB_TC=5' big 'NCCL_IB_HCA=big' own 'NCCL_IB_TC=9'
	configured profile=ib@ib profile=big@big
	succeed srun -N4 --label --dist-train=ddp sh -c "$show"
	for n in 0 1; do
		says "^$n: tc=5 nic=.* hca=big "
	done
	for n in 2 3; do
		says "^$n: tc= nic=.* hca= "
	done
	succeed srun -w node3 -N1 --dist-train=ddp sh -c "$show"
	says '^tc= nic=.* hca= '
	succeed srun -w node2 -N1 --export=NONE --dist-train=ddp,procs=2 \
		/bin/sh -c "$show"
	says '^tc=5 nic=.* hca=big '
	succeed srun -N2 --dist-train=ddp,profile=own sh -c "$show"
	says '^tc=9 nic=.* hca= '
	succeed env NCCL_IB_TC=1 srun -N2 --dist-train=ddp sh -c "$show"
	says '^tc=1 nic=.* hca=big '
}

# A step on some of the job's nodes, and not from the first
# long: tests/spank/scenarios/profile-feature, layout-subset
test_features_of_a_step() {
	features 'node[3-4]' ib
	profiles ib 'NCCL_IB_TC=5'
	configured profile=ib@ib
	succeed salloc -Q -N4 sh -c \
		"srun -w node2,node4 -n2 -N2 --label --dist-train=ddp \
		sh -c '$show'"
	says '^0: tc= '
	says '^1: tc=5 '
}

test_refused() {
	profiles bad 'A=1\nB' rank 'RANK=0' open 'A=1'
	chmod o+w "$d/profiles/open.conf"
	configured
	refuse "bad.conf:2: 'B': must be NAME=value" \
		srun -N1 --dist-train=ddp,profile=bad true
	refuse 'the profile sets RANK' \
		srun -N1 --dist-train=ddp,profile=rank true
	refuse 'open.conf is refused: root must own it' \
		srun -N1 --dist-train=ddp,profile=open true
	refuse 'profile=none-such: none-such.conf: No such file' \
		srun -N1 --dist-train=ddp,profile=none-such true
	refuse 'profile=' srun -N1 --dist-train=ddp,profile=../x true
}

# What we ship reaches the processes as it is written, without profiledir= and
# without its comments
test_shipped() {
	local file name line

	afterwards "plugstack '$plug_line'"
	plugstack "optional $plugin"
	for file in "$seen$etc"/dist-train/profiles/*.conf; do
		name=$(basename "$file" .conf)
		succeed srun -N1 "--dist-train=ddp,profile=$name" env
		! grep -q '^#' "$d/out" || fail "$name: it has comments"
		while read -r line; do
			case $line in
			'' | \#*) ;;
			*+=*)
				grep -Eq "^${line%%+=*}=(.*:)?${line#*+=}(:|\$)" "$d/out" ||
					fail "$name: no $line"
				;;
			*) grep -qxF "$line" "$d/out" || fail "$name: no $line" ;;
			esac
		done < "$file"
	done
	[ "$name" != '*' ] || fail "there are none"
}
