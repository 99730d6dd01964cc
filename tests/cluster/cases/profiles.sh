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

test_refused() {
	profiles bad 'A=1\nB' rank 'RANK=0' open 'A=1'
	chmod o+w "$d/profiles/open.conf"
	configured
	refuse "bad.conf:2: 'B': neither NAME=value" \
		srun -N1 --dist-train=ddp,profile=bad true
	refuse 'the profile sets RANK' \
		srun -N1 --dist-train=ddp,profile=rank true
	refuse 'open.conf isn.t taken: it must be root' \
		srun -N1 --dist-train=ddp,profile=open true
	refuse 'profile=none-such: none-such.conf: No such file' \
		srun -N1 --dist-train=ddp,profile=none-such true
	refuse 'profile=' srun -N1 --dist-train=ddp,profile=../x true
}

test_without_folder() {
	refuse 'this cluster has none' srun -N1 --dist-train=ddp,profile=x true
}
